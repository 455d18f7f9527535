//! header: stdio.h
// Streams. What a program writes to the standard streams is its output; other files swallow what is written, and
// reading yields anything: a stream is little more than its end-of-file and error marks and what was pushed back.
// Open files form a list, so that one that is never closed is no leak; a closed one is freed memory.
typedef __typeof__(sizeof 0) size_t;

struct _IO_FILE {
    int descriptor;
    int is_at_end, has_error;
    int n_pushed_back;
    unsigned char pushed_back[4];
    struct _IO_FILE *next, *previous;
};
typedef struct _IO_FILE FILE;

static FILE standard[3] = {{0, 0, 0, 0, {0}, 0, 0}, {1, 0, 0, 0, {0}, 0, 0}, {2, 0, 0, 0, {0}, 0, 0}};
static FILE *first_open;
static int next_descriptor = 3;

FILE *stdin = &standard[0];
FILE *stdout = &standard[1];
FILE *stderr = &standard[2];

int *__errno_location(void);
size_t strlen(const char *s);
char *strerror(int error);

// The output stream behind a file: 1, 2, or 0 for any other.
int __model_stream(FILE *file) {
    int descriptor = file->descriptor;
    return descriptor == 1 || descriptor == 2 ? descriptor : 0;
}

void __model_write(FILE *file, const void *bytes, size_t n) {
    int stream = __model_stream(file);
    if (n == 0) return;
    if (stream != 0) __unpick_output(stream, bytes, n);
}

// The next byte of a file, or -1 at its end.
int __model_read(FILE *file) {
    if (file->n_pushed_back > 0) return file->pushed_back[--file->n_pushed_back];
    if (file->is_at_end) return -1;
    __unpick_note("what the program reads from files and standard input may be anything");
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1);
    __VERIFIER_assume(c <= 255);
    if (c == -1) file->is_at_end = 1;
    return c;
}

// Reads a range as writing it to a file would, without looking at the values.
static void touch(const void *bytes, size_t n) {
    void *copy = __unpick_alloc(n, 1, 0);
    __unpick_memcpy(copy, bytes, n);
    __unpick_free(copy);
}

/// fputc: exact
int fputc(int c, FILE *file) {
    unsigned char byte = (unsigned char)c;
    __model_write(file, &byte, 1);
    return byte;
}

/// putc: exact
int putc(int c, FILE *file) { return fputc(c, file); }

/// putchar: exact
int putchar(int c) { return fputc(c, stdout); }

/// _IO_putc: exact
int _IO_putc(int c, FILE *file) { return fputc(c, file); }

/// putc_unlocked: exact
int putc_unlocked(int c, FILE *file) { return fputc(c, file); }

/// fputc_unlocked: exact
int fputc_unlocked(int c, FILE *file) { return fputc(c, file); }

/// putchar_unlocked: exact
int putchar_unlocked(int c) { return fputc(c, stdout); }

/// fputs: exact
int fputs(const char *restrict s, FILE *restrict file) {
    __model_write(file, s, strlen(s));
    return 1;
}

/// fputs_unlocked: exact
int fputs_unlocked(const char *restrict s, FILE *restrict file) { return fputs(s, file); }

/// puts: exact
int puts(const char *s) {
    size_t n = strlen(s);
    __model_write(stdout, s, n);
    __model_write(stdout, "\n", 1);
    return (int)n + 1;
}

/// putw: exact
int putw(int word, FILE *file) {
    __model_write(file, &word, sizeof word);
    return 0;
}

/// fwrite: exact
size_t fwrite(const void *restrict from, size_t size, size_t n, FILE *restrict file) {
    if (size == 0 || n == 0) return 0;
    if (__model_stream(file) == 0) touch(from, size * n);
    __model_write(file, from, size * n);
    return n;
}

/// fwrite_unlocked: exact
size_t fwrite_unlocked(const void *restrict from, size_t size, size_t n, FILE *restrict file) {
    return fwrite(from, size, n, file);
}

/// perror: exact
void perror(const char *s) {
    const char *text = strerror(*__errno_location());
    if (s && *s) {
        fputs(s, stderr);
        fputs(": ", stderr);
    }
    fputs(text, stderr);
    fputc('\n', stderr);
}

/// fflush: exact
int fflush(FILE *file) {
    if (file) (void)__model_stream(file);
    return 0;
}

/// fflush_unlocked: exact
int fflush_unlocked(FILE *file) { return fflush(file); }

static FILE *open_any(void) {
    __unpick_note("opening a file may succeed or fail");
    if (!__VERIFIER_nondet_bool()) {
        *__errno_location() = 2;
        return (FILE *)0;
    }
    FILE *file = __unpick_alloc(sizeof(FILE), 16, 1);
    file->descriptor = next_descriptor++;
    file->next = first_open;
    if (first_open) first_open->previous = file;
    first_open = file;
    return file;
}

/// fopen: any value — succeeds or fails; the file holds anything
FILE *fopen(const char *restrict path, const char *restrict mode) {
    (void)strlen(path), (void)strlen(mode);
    return open_any();
}

/// fopen64: any value — as fopen
FILE *fopen64(const char *restrict path, const char *restrict mode) { return fopen(path, mode); }

/// fdopen: any value — as fopen
FILE *fdopen(int descriptor, const char *mode) {
    (void)strlen(mode);
    FILE *file = open_any();
    if (file) file->descriptor = descriptor;
    return file;
}

/// popen: any value — as fopen
FILE *popen(const char *command, const char *mode) { return fopen(command, mode); }

/// tmpfile: any value — as fopen
FILE *tmpfile(void) { return open_any(); }

/// fclose: exact — a file closed twice is freed memory
int fclose(FILE *file) {
    FILE *next = file->next, *previous = file->previous;
    if (file->descriptor >= 0 && file->descriptor <= 2 && !next && !previous && file != first_open) return 0;
    if (previous) previous->next = next;
    else first_open = next;
    if (next) next->previous = previous;
    __unpick_free(file);
    return 0;
}

/// pclose: any value — the status of the command
int pclose(FILE *file) {
    fclose(file);
    return __VERIFIER_nondet_int();
}

/// freopen: any value — as fopen
FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict file) {
    if (path) (void)strlen(path);
    (void)strlen(mode);
    file->is_at_end = file->has_error = file->n_pushed_back = 0;
    file->descriptor = next_descriptor++;
    if (__VERIFIER_nondet_bool()) return file;
    *__errno_location() = 2;
    return (FILE *)0;
}

/// feof: exact
int feof(FILE *file) { return file->is_at_end; }

/// ferror: exact — reading never fails
int ferror(FILE *file) { return file->has_error; }

/// feof_unlocked: exact
int feof_unlocked(FILE *file) { return file->is_at_end; }

/// ferror_unlocked: exact — reading never fails
int ferror_unlocked(FILE *file) { return file->has_error; }

/// clearerr: exact
void clearerr(FILE *file) { file->is_at_end = file->has_error = 0; }

/// fileno: exact
int fileno(FILE *file) { return file->descriptor; }

static int succeeds(void) {
    if (__VERIFIER_nondet_bool()) return 1;
    *__errno_location() = 22;
    return 0;
}

/// fseek: any value — succeeds or fails
int fseek(FILE *file, long offset, int whence) {
    (void)offset, (void)whence;
    if (!succeeds()) return -1;
    file->is_at_end = file->n_pushed_back = 0;
    return 0;
}

/// ftell: any value
long ftell(FILE *file) {
    (void)__model_stream(file);
    long place = __VERIFIER_nondet_long();
    __VERIFIER_assume(place >= -1);
    return place;
}

/// fseeko: any value — succeeds or fails
int fseeko(FILE *file, long offset, int whence) { return fseek(file, offset, whence); }

/// ftello: any value
long ftello(FILE *file) { return ftell(file); }

/// fgetpos: any value
int fgetpos(FILE *restrict file, void *restrict place) {
    *(long *)place = ftell(file);
    return *(long *)place < 0 ? -1 : 0;
}

/// fsetpos: any value — succeeds or fails
int fsetpos(FILE *file, const void *place) { return fseek(file, *(const long *)place, 0); }

/// rewind: exact
void rewind(FILE *file) { file->is_at_end = file->has_error = file->n_pushed_back = 0; }

/// setvbuf: exact
int setvbuf(FILE *restrict file, char *restrict buffer, int mode, size_t size) {
    (void)__model_stream(file), (void)buffer, (void)mode, (void)size;
    return 0;
}

/// setbuf: exact
void setbuf(FILE *restrict file, char *restrict buffer) { (void)__model_stream(file), (void)buffer; }

/// setlinebuf: exact
void setlinebuf(FILE *file) { (void)__model_stream(file); }

/// flockfile: exact — one thread at a time is not modelled
void flockfile(FILE *file) { (void)__model_stream(file); }

/// funlockfile: exact — as flockfile
void funlockfile(FILE *file) { (void)__model_stream(file); }

/// remove: any value — succeeds or fails
int remove(const char *path) {
    (void)strlen(path);
    return succeeds() ? 0 : -1;
}

/// rename: any value — succeeds or fails
int rename(const char *from, const char *to) {
    (void)strlen(from), (void)strlen(to);
    return succeeds() ? 0 : -1;
}

/// ungetc: exact — at most four bytes
int ungetc(int c, FILE *file) {
    if (c == -1 || file->n_pushed_back == 4) return -1;
    file->is_at_end = 0;
    file->pushed_back[file->n_pushed_back++] = (unsigned char)c;
    return (unsigned char)c;
}

// Quiet twins, for calls whose result is unused where output does not matter.

int __quiet_fputc(int c, FILE *file) {
    (void)c, (void)__model_stream(file);
    return 0;
}

int __quiet_putc(int c, FILE *file) { return __quiet_fputc(c, file); }

int __quiet__IO_putc(int c, FILE *file) { return __quiet_fputc(c, file); }

int __quiet_putchar(int c) { return __quiet_fputc(c, stdout); }

int __quiet_fputs(const char *restrict s, FILE *restrict file) {
    (void)strlen(s), (void)__model_stream(file);
    return 0;
}

int __quiet_puts(const char *s) {
    (void)strlen(s);
    return 0;
}

size_t __quiet_fwrite(const void *restrict from, size_t size, size_t n, FILE *restrict file) {
    (void)__model_stream(file);
    if (size != 0 && n != 0) touch(from, size * n);
    return n;
}
