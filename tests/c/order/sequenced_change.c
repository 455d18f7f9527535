// Everything here has an order, or nobody could tell: nothing to say.
// run: check --json
// verdict: verified
// stdout: "assumptions":[]
#include <stddef.h>

static int total;

static int square(int x) { return x * x; }
static int add(int x) {
    total += x;
    return total;
}

int main(void) {
    int i = 0, j = 0, a[4] = {0, 0, 0, 0}, *p = a;
    i = i + 1;
    i++, i++;
    a[i] = j++;
    *p++ = i;
    i = (j = 2, j + 1);
    if (i++ && i > 2) j = square(i) + square(j);
    j = add(j);
    i = i ? i-- > 3 ? 1 : 2 : 3;
    return i - i;
}
