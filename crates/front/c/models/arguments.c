//! header: stdlib.h
// What the program is started with. A text is any three bytes, or any three that are followed by a long run of one letter:
// short texts are followed byte by byte, and long ones find buffers that are too small without a choice for each byte.
typedef __typeof__(sizeof 0) size_t;

enum { ANY = 3, LETTERS = 297 };

// Whether the text is long stays open until somebody reads that far.
static char *any_text(void) {
    char *text = __unpick_alloc(ANY + LETTERS + 1, 1, 2);
    __unpick_memset(text + ANY + 1, 'A', LETTERS - 1);
    text[ANY] = (char)('A' * __VERIFIER_nondet_bool());
    text[ANY + LETTERS] = 0;
    return text;
}

// The first is the name of the program, the last a null pointer. What the environment owns is no leak.
char **__model_arguments(int n, char *program) {
    __unpick_note("the program is started with up to 3 arguments, each any text of up to 3 bytes, or 3 bytes and 297 times "
                  "`A` (--args)");
    char **table = __unpick_alloc((size_t)(n + 1) * sizeof *table, 16, 2);
    table[0] = program;
    for (int i = 1; i < n; i++) table[i] = any_text();
    table[n] = (char *)0;
    return table;
}
