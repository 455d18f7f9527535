// run: check
// verdict: verified
// INT_MAX and INT_MIN themselves can be reached.
#include <assert.h>
#include <limits.h>
int main(void) {
    int x = INT_MAX - 1, y = INT_MIN + 1;
    assert(x + 1 == INT_MAX && y - 1 == INT_MIN && -y == INT_MAX);
    return 0;
}
