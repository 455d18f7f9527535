// run: check
// verdict: violated invalid-free
// A string literal is freed.
#include <stdlib.h>
int main(void) {
    char *text = "literal";
    free(text); // fails
    return 0;
}
