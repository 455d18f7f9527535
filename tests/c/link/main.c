// Two files are linked as C does; each has its own static `counter`.
// run: check
// files: other.c
// verdict: verified
#include <assert.h>
static int counter = 5;
extern int shared;
int bump(void);

int main(void)
{
    assert(bump() == 11 && counter == 5);
    assert(shared == 3);
    return 0;
}
