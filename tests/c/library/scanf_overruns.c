// A word without a width overruns any buffer.
// run: check
// verdict: violated out-of-bounds
#include <stdio.h>
int main(void) {
    char word[4];
    if (scanf("%s", word) != 1) // fails
        return 1;
    return 0;
}
