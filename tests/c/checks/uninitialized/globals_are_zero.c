// run: check
// verdict: verified
// Static objects start as zero.
#include <assert.h>
static int table[4];
int main(void) {
    static int local;
    assert(table[3] == 0 && local == 0);
    return 0;
}
