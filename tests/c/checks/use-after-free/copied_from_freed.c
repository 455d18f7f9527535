// run: check
// verdict: violated use-after-free
// The library reads the freed memory; the user sees the call.
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *text = strdup("text"), copy[5];
    free(text);
    memcpy(copy, text, 5); // fails
    return copy[0];
}
