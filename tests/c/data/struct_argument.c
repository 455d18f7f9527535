// A record goes to a function and comes back by value.
// run: check
// verdict: verified
// models: c verified
#include <assert.h>

struct inner {
    int low, high;
};

struct range {
    struct inner bounds;
    int step;
};

static struct range widened(struct range range, int by)
{
    range.bounds.low -= by;
    range.bounds.high += by;
    return range;
}

int main(void)
{
    struct range range = { { 2, 5 }, 1 };
    struct range wide = widened(range, 2);
    assert(wide.bounds.low == 0 && wide.bounds.high == 7 && wide.step == 1);
    assert(range.bounds.low == 2);
    return 0;
}
