//! header: fenv.h
// Rounding is to nearest and exceptions are not recorded; asking for another rounding has no model.

/// fesetround: bounded — to nearest; other directions are unmodelled
int fesetround(int direction) {
    if (direction == 0) return 0;
    if (direction != 0x400 && direction != 0x800 && direction != 0xc00) return 1;
    __unpick_unmodelled("rounding that is not to nearest");
    return 0;
}

/// fegetround: exact — to nearest, other directions are unmodelled
int fegetround(void) { return 0; }

/// fetestexcept: any value — of the flags asked for
int fetestexcept(int flags) { return flags & __VERIFIER_nondet_int(); }

/// feclearexcept: exact — the flags are not kept
int feclearexcept(int flags) {
    (void)flags;
    return 0;
}

/// feraiseexcept: exact — the flags are not kept
int feraiseexcept(int flags) {
    (void)flags;
    return 0;
}

// The members are nobody's business; FE_DFL_ENV is -1 and no place to look at.
struct environment {
    unsigned words[7];
};

/// fegetenv: exact — the contents are 0
int fegetenv(struct environment *place) {
    *place = (struct environment){{0}};
    return 0;
}

/// feholdexcept: exact — the contents are 0
int feholdexcept(struct environment *place) {
    *place = (struct environment){{0}};
    return 0;
}

/// fesetenv: exact — rounding is to nearest in every environment
int fesetenv(const struct environment *place) {
    (void)place;
    return 0;
}

/// feupdateenv: exact — rounding is to nearest in every environment
int feupdateenv(const struct environment *place) {
    (void)place;
    return 0;
}
