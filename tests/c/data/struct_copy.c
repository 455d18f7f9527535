// A record is copied as a whole, also out of an array.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>

struct point {
    int x, y;
};

static struct point a, all[3];

int main(void)
{
    struct point b;
    a.x = 3;
    a.y = 4;
    b = a;
    b.x++;
    all[1] = b;
    assert(all[1].x == 4 && all[1].y == 4 && a.x == 3);
    return 0;
}
