//! header: getopt.h
// Options of the command line. Arguments are not put into order: options behind other arguments are unmodelled.
typedef __typeof__(sizeof 0) size_t;
struct _IO_FILE;

struct option {
    const char *name;
    int has_arg;
    int *flag;
    int val;
};

extern struct _IO_FILE *stderr;
int fprintf(struct _IO_FILE *restrict file, const char *restrict format, ...);
size_t strlen(const char *s);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

// The next letter of a cluster of options such as `-abc`.
static char *rest;

static int missing(char *const arguments[], const char *letters, int letter) {
    optopt = letter;
    if (opterr && *letters != ':') fprintf(stderr, "%s: option requires an argument -- '%c'\n", arguments[0], letter);
    return *letters == ':' ? ':' : '?';
}

static int short_option(int n, char *const arguments[], const char *letters) {
    int letter = *rest++;
    char *found = letter == ':' ? (char *)0 : strchr(letters, letter);
    if (!*rest) optind++;
    if (!found) {
        if (opterr && *letters != ':') fprintf(stderr, "%s: invalid option -- '%c'\n", arguments[0], letter);
        optopt = letter;
        return '?';
    }
    if (found[1] != ':') return letter;
    optarg = (char *)0;
    if (*rest) {
        optarg = rest;
        optind++;
    } else if (found[2] != ':') {
        if (optind >= n) {
            rest = (char *)0;
            return missing(arguments, letters, letter);
        }
        optarg = arguments[optind++];
    }
    rest = (char *)0;
    return letter;
}

// 1 if an option stands at `optind`, otherwise 0.
static int is_at_option(int n, char *const arguments[]) {
    if (optind >= n || !arguments[optind]) return 0;
    const char *argument = arguments[optind];
    if (argument[0] == '-' && argument[1]) return 1;
    for (int i = optind; i < n; i++)
        if (arguments[i][0] == '-' && arguments[i][1]) __unpick_unmodelled("options behind other arguments");
    return 0;
}

static int long_option(int n, char *const arguments[], const char *letters, const struct option *options, int *index) {
    const char *text = arguments[optind++] + 2;
    size_t length = 0;
    while (text[length] && text[length] != '=') length++;
    for (int i = 0; options[i].name; i++) {
        if (strncmp(options[i].name, text, length) != 0 || options[i].name[length]) continue;
        if (index) *index = i;
        optarg = text[length] ? (char *)text + length + 1 : (char *)0;
        if (options[i].has_arg == 1 && !optarg) {
            if (optind >= n) return missing(arguments, letters, options[i].val);
            optarg = arguments[optind++];
        }
        if (!options[i].flag) return options[i].val;
        *options[i].flag = options[i].val;
        return 0;
    }
    if (opterr && *letters != ':') fprintf(stderr, "%s: unrecognized option '--%s'\n", arguments[0], text);
    optopt = 0;
    return '?';
}

/// getopt_long: bounded — options first, names in full
int getopt_long(int n, char *const arguments[], const char *letters, const struct option *options, int *index) {
    if (optind == 0) optind = 1;
    if (!rest || !*rest) {
        if (!is_at_option(n, arguments)) return -1;
        if (arguments[optind][1] == '-') {
            if (!arguments[optind][2]) {
                optind++;
                return -1;
            }
            if (options) return long_option(n, arguments, letters, options, index);
        }
        rest = arguments[optind] + 1;
    }
    return short_option(n, arguments, letters);
}

/// getopt: bounded — options first
int getopt(int n, char *const arguments[], const char *letters) {
    return getopt_long(n, arguments, letters, (const struct option *)0, (int *)0);
}
