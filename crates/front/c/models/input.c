//! header: stdio.h
// Reading from streams: each byte is any byte or the end of the file.
typedef __typeof__(sizeof 0) size_t;
typedef __typeof__((char *)0 - (char *)0) ssize_t;
struct _IO_FILE;
typedef struct _IO_FILE FILE;

extern FILE *stdin;
int __model_read(FILE *file);
void *realloc(void *p, size_t size);

/// fgetc: any value
int fgetc(FILE *file) { return __model_read(file); }

/// getc: any value
int getc(FILE *file) { return __model_read(file); }

/// _IO_getc: any value
int _IO_getc(FILE *file) { return __model_read(file); }

/// getchar: any value
int getchar(void) { return __model_read(stdin); }

/// getc_unlocked: any value
int getc_unlocked(FILE *file) { return __model_read(file); }

/// fgetc_unlocked: any value
int fgetc_unlocked(FILE *file) { return __model_read(file); }

/// getchar_unlocked: any value
int getchar_unlocked(void) { return __model_read(stdin); }

/// fgets: any value
char *fgets(char *restrict s, int size, FILE *restrict file) {
    int n = 0;
    if (size <= 0) return (char *)0;
    while (n < size - 1) {
        int c = __model_read(file);
        if (c == -1) break;
        s[n++] = (char)c;
        if (c == '\n') break;
    }
    if (n == 0 && size > 1) return (char *)0;
    s[n] = 0;
    return s;
}

/// __fgets_chk: any value
char *__fgets_chk(char *restrict s, size_t room, int size, FILE *restrict file) {
    (void)room;
    return fgets(s, size, file);
}

/// gets: any value — any line, so any buffer can overflow
char *gets(char *s) {
    size_t n = 0;
    int c;
    while ((c = __model_read(stdin)) != -1 && c != '\n') s[n++] = (char)c;
    if (c == -1 && n == 0) return (char *)0;
    s[n] = 0;
    return s;
}

/// fread: any value
size_t fread(void *restrict to, size_t size, size_t n, FILE *restrict file) {
    unsigned char *bytes = to;
    if (size == 0) return 0;
    for (size_t i = 0; i < size * n; i++) {
        int c = __model_read(file);
        if (c == -1) return i / size;
        bytes[i] = (unsigned char)c;
    }
    return n;
}

/// fread_unlocked: any value
size_t fread_unlocked(void *restrict to, size_t size, size_t n, FILE *restrict file) {
    return fread(to, size, n, file);
}

/// getw: any value
int getw(FILE *file) {
    int word;
    return fread(&word, sizeof word, 1, file) == 1 ? word : -1;
}

/// getdelim: any value
ssize_t getdelim(char **restrict line, size_t *restrict room, int delimiter, FILE *restrict file) {
    size_t n = 0;
    int c;
    if (!*line) *room = 0;
    do {
        c = __model_read(file);
        if (c == -1 && n == 0) return -1;
        if (n + 2 > *room) {
            size_t larger = *room < 60 ? 120 : 2 * *room;
            char *moved = realloc(*line, larger);
            if (!moved) return -1;
            *line = moved;
            *room = larger;
        }
        if (c != -1) (*line)[n++] = (char)c;
    } while (c != -1 && c != delimiter);
    (*line)[n] = 0;
    return (ssize_t)n;
}

/// __getdelim: any value
ssize_t __getdelim(char **restrict line, size_t *restrict room, int delimiter, FILE *restrict file) {
    return getdelim(line, room, delimiter, file);
}

/// getline: any value
ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict file) {
    return getdelim(line, room, '\n', file);
}
