// Functions and macros of the C library mean what the library means, also without a header.
// run: check
// verdict: violated out-of-bounds
// assumption: `malloc` is not declared: the C library's is meant (`#include <stdlib.h>` is missing)
// assumption: `NULL` is not declared: the C library's is meant (`#include <stddef.h>` is missing)
// assumption: `strtol` is not declared: the C library's is meant (`#include <stdlib.h>` is missing)
// assumption: `errno` is not declared: the C library's is meant (`#include <errno.h>` is missing)
// assumption: `LONG_MAX` is not declared: the C library's is meant (`#include <limits.h>` is missing)
int main(void) {
    char *text = malloc(4);
    if (text == NULL)
        return EXIT_FAILURE;
    long value = strtol("99999999999", NULL, 10);
    if (value != 99999999999)
        abort();
    errno = 0;
    if (strtol("99999999999999999999", NULL, 10) == LONG_MAX && errno == ERANGE)
        text[atoi("4")] = 0; // fails
    free(text);
    return EXIT_SUCCESS;
}
