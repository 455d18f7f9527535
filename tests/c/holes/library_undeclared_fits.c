// The repaired sibling: the index fits. `send` with two arguments is not the library's, which takes four.
// run: check
// verdict: verified
// assumption: `atoi` is not declared: the C library's is meant (`#include <stdlib.h>` is missing)
int main(void) {
    char *text = malloc(5);
    if (text == NULL)
        return EXIT_FAILURE;
    text[atoi("4")] = (char)send(1, 2);
    assert(text[4] == 3 && INT_MAX > 2000000000 && UINT_MAX > 4000000000u);
    free(text);
    return EXIT_SUCCESS;
}

int send(int left, int right) {
    return left + right;
}
