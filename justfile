# `just check` runs exactly what CI runs.

check:
    cargo xtask test

# What takes longer: memory and threads of `store`, fuzz targets, campaigns on the day's seeds.
nightly seconds="60":
    cargo xtask nightly --seconds {{seconds}}

# Random programs against the C compiler: `just csmith 1-1000`.
csmith seeds="1-1000":
    cargo xtask csmith {{seeds}}

# The front end on well-known libraries and on system headers.
real-code:
    cargo xtask real-code
    cargo xtask headers

# Ten minutes of fuzzing for each target.
fuzz seconds="600":
    cd fuzz && UNPICK_FUZZ_SECONDS={{seconds}} cargo test --release

# Licences and advisories of the dependencies.
deny:
    cargo deny check licenses bans sources
