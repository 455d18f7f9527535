// Jumps out of nested calls, out of a loop of the same function, and with sigsetjmp, as the compiled program does them.
// run: simulate
// like: cc
#include <setjmp.h>
#include <stdio.h>

static sigjmp_buf outer;
static jmp_buf inner;

static void descend(int n)
{
    if (n == 0)
        longjmp(inner, 7);
    descend(n - 1);
    puts("not reached");
}

static int attempt(volatile int n)
{
    switch (setjmp(inner)) {
    case 0:
        descend(n);
        break;
    case 7:
        printf("seven at %d\n", n);
        if (n < 3) {
            n++;
            longjmp(inner, 8);
        }
        siglongjmp(outer, n);
    default:
        printf("again at %d\n", n);
        longjmp(inner, 7);
    }
    return 0;
}

int main(void)
{
    int got = sigsetjmp(outer, 1);
    printf("got %d\n", got);
    return got ? got : attempt(1);
}
