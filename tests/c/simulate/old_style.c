// Definitions as they were written before prototypes.
// run: simulate
// like: cc
#include <stdio.h>
static counter;
add(a, b)
    int a;
    short b;
{
    return a + b;
}
double half(x) float x; { return x / 2; }
int no_arguments() { return counter++; }
main()
{
    register i;
    for (i = 0; i < 3; i++)
        no_arguments();
    printf("%d %g %d\n", add(40, 2), half(5.0), counter);
    return 0;
}
