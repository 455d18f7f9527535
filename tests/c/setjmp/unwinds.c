// longjmp goes back over two activations, with its value; 0 becomes 1; errors are counted in a loop.
// run: check
// verdict: verified
// assumption: local variables keep over longjmp the values that they have at the jump
#include <assert.h>
#include <setjmp.h>

static jmp_buf place;
static int depth;

static void fail(int code)
{
    depth = 3;
    longjmp(place, code);
}

static void middle(int code)
{
    int local[4] = {0};
    local[code] = 1;
    fail(code);
    assert(0);
}

int main(void)
{
    volatile int n_errors = 0;
    for (volatile int code = 0; code < 3; code++) {
        int got = setjmp(place);
        if (got == 0)
            middle(code);
        assert(depth == 3);
        assert(got == (code == 0 ? 1 : code));
        n_errors++;
    }
    assert(n_errors == 3);
    return 0;
}
