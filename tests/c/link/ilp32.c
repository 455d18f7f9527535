// On ILP32 a long and a pointer have four bytes, and double members are aligned to four.
// run: check --target ilp32
// verdict: verified
#include <assert.h>
#include <stddef.h>
struct pair { char c; double d; };

int main(void)
{
    assert(sizeof(long) == 4 && sizeof(void *) == 4 && sizeof(size_t) == 4);
    assert(offsetof(struct pair, d) == 4 && sizeof(struct pair) == 12);
    long big = 2147483647L;
    unsigned long wrapped = (unsigned long)big + 1UL;
    assert(wrapped == 2147483648UL);
    return 0;
}
