// run: check
// verdict: verified
// The address of a member of a null pointer as offsetof computes it is no access.
#include <assert.h>
#include <stddef.h>
struct pair { int first, second; };
int main(void) {
    assert(offsetof(struct pair, second) == sizeof(int));
    return 0;
}
