// A copy of indeterminate memory holds what the original holds, whatever that is.
// run: check --property assertion
// verdict: verified
// assumption: uninitialized is not looked for: an indeterminate value is any value of its type
#include <assert.h>
#include <string.h>

struct mixed {
    char kind;
    long size;
    struct mixed *next;
};

int main(void) {
    int source[8], target[8], count;
    if (count == 3 || count == 4) {
        memcpy(target, source, sizeof(int) * count);
        assert(target[1] == source[1]);
    }
    struct mixed a, b;
    b = a;
    assert(a.kind == b.kind);
    if (a.size > 1000) assert(b.size > 999);
    return 0;
}
