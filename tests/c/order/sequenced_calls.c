// The same calls one after the other.
// run: check --json
// verdict: verified
// stdout: "assumptions":[]
#include <assert.h>

static int n;

static int next(void) { return ++n; }
static int twice(void) { return n *= 2; }

int main(void) {
    int first = next();
    int second = twice();
    assert(first - second == -1);
    return 0;
}
