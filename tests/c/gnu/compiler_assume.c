// Clang's assumption does not evaluate what has effects; any value of a type is one of its values.
// run: check
// verdict: verified
#include <assert.h>

static int n;
static int next(void) { return ++n; }

int main(void) {
    int x = 3;
    __builtin_assume(x > 2);
    __builtin_assume(next() == 5);
    __builtin_assume(x++ == 7);
    assert(n == 0 && x == 3);
    if (__builtin_unpredictable(x == 3)) n = 1;
    assert(n == 1);
    _Bool any = __builtin_nondeterministic_value((_Bool)next());
    assert(any == 0 || any == 1);
    assert(n == 1);
    return 0;
}
