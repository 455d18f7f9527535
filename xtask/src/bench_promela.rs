//! Models of Promela: states per second and bytes per state of `unpick check` against SPIN's verifier, both in one run
//! on one machine.
//!
//! `bench/promela/models.txt` lists the models, one line each: `FILE MACROS...`, relative to `bench`. Each is searched
//! exhaustively by both sides, with reductions off (states are counted and have to be equal) and on, by one worker and
//! by two, with plain and with compressed states. `small.txt` lists models on which only the time to the verdict
//! counts, `hashing.txt` those on which ways to hash are compared, `liveness.txt` questions about endless executions.
//!
//! What was measured is written after every row, so that a run may be cut short.

mod hashing;
mod liveness;
mod measure;
mod profile;
mod small;
mod table;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use self::measure::Measured;
use crate::campaign::{scratch, unpick};

const USAGE: &str = "usage: cargo xtask bench promela [--out FOLDER] [--only WHAT,...] [NAME...]\n\
                     WHAT: plain, compressed, reduced, small, profile, hashing, liveness; all of them by default";

/// Whoever needs longer has no result.
const LIMIT: Duration = Duration::from_secs(400);

/// So many models are profiled, spread over the list.
const N_PROFILES: usize = 4;

/// A model at one size.
struct Row {
    file: PathBuf,
    macros: Vec<String>,
}

impl Row {
    fn name(&self) -> String {
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        format!("{stem} {}", self.macros.join(" ").replace("-D", "")).trim().to_owned()
    }
}

/// How a model is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Every step is taken.
    Plain,
    /// Every state is found, and steps that commute are taken in one order only; against the same search of SPIN's.
    Asleep,
    Compressed,
    Reduced,
}

/// A part of what is measured, in the order in which it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Section {
    /// In ways that are compared with one search of SPIN's.
    Search(&'static [Way]),
    Small,
    Profile,
    Hashing,
    Liveness,
}

const SECTIONS: [(&str, Section); 7] = [
    ("plain", Section::Search(&[Way::Plain, Way::Asleep])),
    ("compressed", Section::Search(&[Way::Compressed])),
    ("reduced", Section::Search(&[Way::Reduced])),
    ("small", Section::Small),
    ("profile", Section::Profile),
    ("hashing", Section::Hashing),
    ("liveness", Section::Liveness),
];

/// What both sides needed for a model: SPIN, ours with one worker, ours with two.
struct Compared {
    name: String,
    way: Way,
    spin: Option<Measured>,
    ours: [Option<Measured>; 2],
}

/// Everything measured so far.
#[derive(Default)]
struct Results {
    compared: Vec<Compared>,
    small: Vec<small::Compared>,
    latency: Vec<String>,
    profiles: Vec<profile::Profile>,
    hashing: Vec<hashing::Compared>,
}

/// Where things are.
struct Bench<'a> {
    bench: PathBuf,
    folder: PathBuf,
    binary: PathBuf,
    out: Option<PathBuf>,
    names: Vec<&'a str>,
}

pub fn run(words: &[&str]) -> Result<()> {
    let (mut out, mut names, mut sections) = (None, Vec::new(), SECTIONS.map(|(_, section)| section).to_vec());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--out" => out = Some(PathBuf::from(words.next().context(USAGE)?)),
            "--only" => {
                let section = |name: &str| SECTIONS.iter().find(|(known, _)| *known == name).context(USAGE);
                let list = words.next().context(USAGE)?.split(',');
                sections = list.map(|name| section(name).map(|(_, section)| *section)).collect::<Result<_>>()?;
            }
            _ if word.starts_with('-') => bail!(USAGE),
            _ => names.push(*word),
        }
    }
    let bench = Path::new("bench").canonicalize().context("bench (run from the project's root)")?;
    let bench = Bench { bench, folder: scratch("bench-promela")?, binary: unpick()?, out, names };
    let mut results = Results::default();
    for section in sections {
        bench.measure(section, &mut results)?;
    }
    std::fs::remove_dir_all(&bench.folder)?;
    print!("{}", table::markdown(&results));
    Ok(())
}

impl Bench<'_> {
    fn measure(&self, section: Section, results: &mut Results) -> Result<()> {
        let Bench { bench, folder, binary, .. } = self;
        match section {
            Section::Search(ways) => {
                for row in self.rows("models.txt")? {
                    results.compared.extend(self.compare(&row, ways)?);
                    self.write(results)?;
                }
            }
            Section::Small => {
                small::settle(folder, binary)?;
                for row in self.rows("small.txt")? {
                    eprintln!("{}", row.name());
                    results.small.push(small::compare(bench, folder, binary, &row)?);
                    self.write(results)?;
                }
            }
            Section::Profile => {
                results.latency = profile::latency()?;
                let rows = self.rows("models.txt")?;
                for row in rows.iter().step_by(rows.len().div_ceil(N_PROFILES).max(1)) {
                    results.profiles.extend(profile::profile(bench, folder, binary, row)?);
                    self.write(results)?;
                }
            }
            Section::Hashing => {
                for row in self.rows("hashing.txt")? {
                    results.hashing.extend(hashing::compare(bench, folder, binary, &row)?);
                    self.write(results)?;
                }
            }
            Section::Liveness => liveness::run(bench, folder, binary, &self.names, self.out.as_deref())?,
        }
        Ok(())
    }

    fn rows(&self, list: &str) -> Result<Vec<Row>> {
        let mut rows = read_rows(&std::fs::read_to_string(self.bench.join("promela").join(list))?);
        rows.retain(|row| self.names.is_empty() || self.names.iter().any(|name| row.name().contains(name)));
        Ok(rows)
    }

    fn write(&self, results: &Results) -> Result<()> {
        if let Some(out) = &self.out {
            std::fs::create_dir_all(out)?;
            std::fs::write(out.join("promela.md"), table::markdown(results))?;
        }
        Ok(())
    }

    fn compare(&self, row: &Row, ways: &[Way]) -> Result<Vec<Compared>> {
        let mut compared: Vec<Compared> = Vec::new();
        for way in ways {
            let ours = self.ours(row, *way)?;
            let spin = match compared.first() {
                Some(first) => first.spin,
                None => self.spin(row, *way, ours[0].map_or(1e7, |measured| measured.states))?,
            };
            compared.push(self.one(row, *way, spin, ours)?);
        }
        Ok(compared)
    }

    /// What our search needed with one worker and with two.
    fn ours(&self, row: &Row, way: Way) -> Result<[Option<Measured>; 2]> {
        let Bench { bench, folder, binary, .. } = self;
        let [one, two] = [1, 2].map(|n_workers| measure::ours(bench, folder, binary, row, way, n_workers));
        Ok([one?, two?])
    }

    fn one(&self, row: &Row, way: Way, spin: Option<Measured>, ours: [Option<Measured>; 2]) -> Result<Compared> {
        for measured in ours.iter().flatten() {
            let is_counted = way != Way::Reduced && !measured.is_error;
            if is_counted && spin.is_some_and(|spin| !spin.is_error && spin.states != measured.states) {
                bail!("{}: {} states, SPIN has {:?}", row.name(), measured.states, spin);
            }
            if spin.is_some_and(|spin| spin.is_error != measured.is_error) {
                bail!("{}: one finds an error, the other does not ({way:?})", row.name());
            }
        }
        let say = |measured: &Option<Measured>| match measured {
            Some(found) => format!("{:.0} states in {:.2} s", found.states, found.seconds),
            None => "no end".to_owned(),
        };
        eprintln!("{way:?} {}: spin {}; ours {}, two workers {}", row.name(), say(&spin), say(&ours[0]), say(&ours[1]));
        Ok(Compared { name: row.name(), way, spin, ours })
    }

    /// What SPIN's search needed, of about so many states.
    fn spin(&self, row: &Row, way: Way, n_states: f64) -> Result<Option<Measured>> {
        let own = self.folder.join("model");
        measure::generate(&self.bench, &own, row, way != Way::Reduced)?;
        let options: &[&str] = match way {
            Way::Plain | Way::Asleep => &["-O2", "-DSAFETY", "-DNOREDUCE"],
            Way::Compressed => &["-O2", "-DSAFETY", "-DNOREDUCE", "-DCOLLAPSE"],
            Way::Reduced => &["-O2", "-DSAFETY"],
        };
        measure::compile(&own, options)?;
        let measured = measure::search_of_spin(&own, n_states)?;
        std::fs::remove_dir_all(&own)?;
        Ok(measured)
    }
}

fn read_rows(text: &str) -> Vec<Row> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let row = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        Row { file: words.next().unwrap_or_default().into(), macros: words.collect() }
    };
    lines.map(row).collect()
}
