// atexit handlers run in reverse order, and the status is that of exit.
// run: simulate
// like: cc
#include <stdio.h>
#include <stdlib.h>
static void first(void) { printf("first\n"); }
static void second(void) { printf("second\n"); }
int main(void)
{
    atexit(first);
    atexit(second);
    printf("main\n");
    exit(42);
}
