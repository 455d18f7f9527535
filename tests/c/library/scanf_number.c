// A number read by scanf is one open input; a range check narrows it.
// run: check
// verdict: verified
// assumption: may be anything
#include <assert.h>
#include <stdio.h>
int main(void) {
    int table[10] = {0}, i;
    if (scanf("%d", &i) != 1) return 1;
    if (i < 0 || i >= 10) return 1;
    return table[i];
}
