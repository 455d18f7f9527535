//! header: stdio.h
// Formatted input from a stream that holds anything: a conversion stores any value of its type, or the input does
// not match, or it has ended. The bytes themselves are not chosen, so reading an int costs one open input.
typedef __typeof__(sizeof 0) size_t;
struct _IO_FILE;
typedef struct _IO_FILE FILE;

extern FILE *stdin;
int __model_stream(FILE *file);

struct arguments {
    __builtin_va_list list;
};

static void any_integer(void *place, int length) {
    switch (length) {
    case 'H': *(unsigned char *)place = __VERIFIER_nondet_uchar(); break;
    case 'h': *(unsigned short *)place = __VERIFIER_nondet_ushort(); break;
    case 'l': *(unsigned long *)place = __VERIFIER_nondet_ulong(); break;
    case 'q':
    case 'L':
    case 'j': *(unsigned long long *)place = __VERIFIER_nondet_ulonglong(); break;
    case 'z':
    case 't': *(size_t *)place = __VERIFIER_nondet_ulong(); break;
    default: *(unsigned *)place = __VERIFIER_nondet_uint();
    }
}

static void any_float(void *place, int length) {
    if (length == 'L' || length == 'q') *(long double *)place = __VERIFIER_nondet_double();
    else if (length == 'l') *(double *)place = __VERIFIER_nondet_double();
    else *(float *)place = __VERIFIER_nondet_float();
}

// As many bytes as the input likes: without a width, any buffer can overflow.
static void any_text(char *place, int width, int is_word) {
    int n = 0;
    do {
        char c = __VERIFIER_nondet_char();
        __VERIFIER_assume(c != 0);
        if (is_word) {
            __VERIFIER_assume(c != ' ');
            __VERIFIER_assume(c != '\n');
        }
        place[n++] = c;
    } while ((width == 0 || n < width) && __VERIFIER_nondet_bool());
    place[n] = 0;
}

static void any_characters(char *place, int width) {
    for (int i = 0; i < (width == 0 ? 1 : width); i++) place[i] = __VERIFIER_nondet_char();
}

static const char *skip_set(const char *p) {
    if (*p == '^') p++;
    if (*p == ']') p++;
    while (*p && *p != ']') p++;
    return *p ? p + 1 : p;
}

struct directive {
    int is_suppressed, width, length, conversion;
};

static const char *read_directive(const char *p, struct directive *directive) {
    struct directive empty = {0, 0, 0, 0};
    *directive = empty;
    if (*p == '*') {
        directive->is_suppressed = 1;
        p++;
    }
    while (*p >= '0' && *p <= '9') directive->width = directive->width * 10 + (*p++ - '0');
    if (*p == '$') __unpick_unmodelled("scanf with numbered arguments");
    if (*p == 'm') __unpick_unmodelled("scanf that allocates");
    if (*p == 'h' || *p == 'l' || *p == 'j' || *p == 'z' || *p == 't' || *p == 'L' || *p == 'q') {
        directive->length = *p++;
        if (directive->length == 'h' && *p == 'h') p++, directive->length = 'H';
        if (directive->length == 'l' && *p == 'l') p++, directive->length = 'q';
    }
    directive->conversion = *p;
    return *p ? p + 1 : p;
}

static void store_any(const struct directive *directive, void *place) {
    switch (directive->conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'n':
    case 'X': any_integer(place, directive->length); break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': any_float(place, directive->length); break;
    case 'c': any_characters(place, directive->width); break;
    case 's': any_text(place, directive->width, 1); break;
    case '[': any_text(place, directive->width, 0); break;
    default: __unpick_unmodelled("an unknown scanf conversion");
    }
}

/// vfscanf: any value — any input; without %p and %m
int vfscanf(FILE *restrict file, const char *restrict format, __builtin_va_list list) {
    struct arguments arguments;
    struct directive directive;
    int n_stored = 0;
    __unpick_note("what the program reads from files and standard input may be anything");
    (void)__model_stream(file);
    __builtin_va_copy(arguments.list, list);
    for (; *format; format++) {
        if (*format != '%' || format[1] == '%') continue;
        format = read_directive(format + 1, &directive);
        if (directive.conversion == '[') format = skip_set(format);
        format--;
        void *place = directive.is_suppressed ? (void *)0 : __builtin_va_arg(arguments.list, void *);
        if (directive.conversion == 'n') {
            if (place) store_any(&directive, place);
            continue;
        }
        if (!__VERIFIER_nondet_bool()) {
            // The input ends, or does not match.
            if (n_stored == 0 && __VERIFIER_nondet_bool()) n_stored = -1;
            break;
        }
        if (place) {
            store_any(&directive, place);
            n_stored++;
        }
    }
    __builtin_va_end(arguments.list);
    return n_stored;
}

/// vscanf: any value — as vfscanf
int vscanf(const char *restrict format, __builtin_va_list list) { return vfscanf(stdin, format, list); }

/// __isoc99_vfscanf: any value — as vfscanf
int __isoc99_vfscanf(FILE *restrict file, const char *restrict format, __builtin_va_list list) {
    return vfscanf(file, format, list);
}

/// __isoc99_vscanf: any value — as vfscanf
int __isoc99_vscanf(const char *restrict format, __builtin_va_list list) { return vfscanf(stdin, format, list); }

/// scanf: any value — as vfscanf
int scanf(const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(stdin, format, list);
    __builtin_va_end(list);
    return n;
}

/// __isoc99_scanf: any value — as vfscanf
int __isoc99_scanf(const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(stdin, format, list);
    __builtin_va_end(list);
    return n;
}

/// __isoc23_scanf: any value — as vfscanf
int __isoc23_scanf(const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(stdin, format, list);
    __builtin_va_end(list);
    return n;
}

/// fscanf: any value — as vfscanf
int fscanf(FILE *restrict file, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(file, format, list);
    __builtin_va_end(list);
    return n;
}

/// __isoc99_fscanf: any value — as vfscanf
int __isoc99_fscanf(FILE *restrict file, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(file, format, list);
    __builtin_va_end(list);
    return n;
}

/// __isoc23_fscanf: any value — as vfscanf
int __isoc23_fscanf(FILE *restrict file, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(file, format, list);
    __builtin_va_end(list);
    return n;
}
