// What `i++` was worth in a condition is not the new value less one where the type wraps round or stays at its end.
// run: check --tabled => violated assertion
// run: check --tabled -DBOOL => violated assertion
// run: check --tabled -DINDEX => violated assertion
// run: check => violated assertion
#include <assert.h>

int main(void)
{
    int hit = 0;
#if defined BOOL
    _Bool b = 1;
    if (b++ == 1)
        hit = 1;
#elif defined INDEX
    int a[2] = {0, 0};
    unsigned char i = 0;
    while ((a[(i++) % 2] += 1) < 2 && i < 4)
        ;
    hit = a[0] == 2;
#else
    unsigned char i = 255;
    if (i++ == 255)
        hit = 1;
#endif
    assert(hit == 0); // fails
    return 0;
}
