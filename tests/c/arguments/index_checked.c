// The same with bounds, for every argument, and for the ones that are given.
// run: check
// run: check --args none
// run: check --args any
// verdict: verified
#include <stdlib.h>

static int table[10];

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int number = atoi(argv[1]);
    if (number < 0 || number >= 10) return 1;
    return table[number];
}
