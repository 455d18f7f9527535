// abort ends the program by a signal.
// run: simulate
// like: cc
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    printf("before\n");
    fflush(stdout);
    abort();
}
