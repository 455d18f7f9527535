//! header: locale.h
// The C locale and no other.
typedef __typeof__(sizeof 0) size_t;

struct lconv {
    char *decimal_point, *thousands_sep, *grouping;
    char *int_curr_symbol, *currency_symbol, *mon_decimal_point, *mon_thousands_sep, *mon_grouping;
    char *positive_sign, *negative_sign;
    char int_frac_digits, frac_digits, p_cs_precedes, p_sep_by_space, n_cs_precedes, n_sep_by_space;
    char p_sign_posn, n_sign_posn, int_p_cs_precedes, int_p_sep_by_space, int_n_cs_precedes, int_n_sep_by_space;
    char int_p_sign_posn, int_n_sign_posn;
};

/// setlocale: bounded — only the C locale exists; other names are refused
char *setlocale(int category, const char *name) {
    (void)category;
    __unpick_note("the locale stays \"C\"");
    if (name && name[0] && (name[0] != 'C' || name[1]) && name[0] != 'P') return (char *)0;
    return "C";
}

/// localeconv: exact — the C locale
struct lconv *localeconv(void) {
    static struct lconv c = {".", "",  "",  "",  "",  "",  "",  "",  "",  "",  127, 127,
                             127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127};
    return &c;
}

/// nl_langinfo: unmodelled
char *nl_langinfo(int item) {
    (void)item;
    __unpick_unmodelled("nl_langinfo");
    return "";
}

/// __ctype_get_mb_cur_max: exact — the C locale
size_t __ctype_get_mb_cur_max(void) { return 1; }
