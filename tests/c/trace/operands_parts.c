// Of several comparisons those that came out false are told, with the types that their operands have.
// run: check
// verdict: violated assertion
// stdout: does not hold: 18446744073709551615 < 3 and 2.5 > 3
#include <assert.h>

struct reading {
    unsigned long count;
    double mean;
};

static struct reading reading = {-1ul, 2.5};

int main(void)
{
    int known = 1;
    assert(known == 1 && (reading.count < 3 || reading.mean > 3)); // fails
    return 0;
}
