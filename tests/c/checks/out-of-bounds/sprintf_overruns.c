// run: check
// verdict: violated out-of-bounds
// Eleven characters and a terminator do not fit into eleven bytes.
#include <stdio.h>
int main(void) {
    char text[11];
    sprintf(text, "%d", -2147483647); // fails
    return text[0];
}
