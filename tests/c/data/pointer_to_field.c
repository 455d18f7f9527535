// Pointers to fields of records, and to a field of an element.
// run: check
// verdict: violated assertion
// models: c violated
#include <assert.h>

struct pair {
    int left, right;
};

static struct pair pairs[2];

static void set(int *place, int value)
{
    *place = value;
}

int main(void)
{
    int *field = &pairs[1].right;
    set(field, 7);
    set(&pairs[0].left, 2);
    set(field - 1, 5);
    assert(pairs[1].left == 5 && pairs[1].right == 7);
    assert(pairs[0].left == 3); // fails
    return 0;
}
