// Arguments are inputs: a number from the command line is any number.
// run: check
// verdict: violated out-of-bounds
// assumption: the program is started with up to 3 arguments, each any text of up to 3 bytes, or 3 bytes and 297 times `A`
#include <stdlib.h>

static int table[10];

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    return table[atoi(argv[1])]; // fails
}
