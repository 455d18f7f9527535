// Values are cut where C cuts them: results and arguments of calls, arrays of short numbers, bit-fields.
// run: check --tabled
// run: check
// verdict: verified
#include <assert.h>

static struct { unsigned three : 3; } s;
static unsigned short a[2];

static int large(void) {
    return 300;
}

static int passed(unsigned char p) {
    return p;
}

int main(void) {
    int x = 300;
    signed char c = large();
    assert(c == 44);
    assert(passed(x) == 44);
    a[0] = 65535;
    a[0]++;
    assert(a[0] == 0);
    s.three = 7;
    s.three++;
    assert(s.three == 0);
    return 0;
}
