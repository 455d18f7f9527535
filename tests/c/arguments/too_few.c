// Nobody has to give an argument: argv[1] may be the null pointer behind the last.
// run: check => violated null-dereference
// run: check --args none => violated null-dereference
// run: check --args 7 => verified
#include <stdlib.h>

static int table[10];

int main(int argc, char **argv) {
    if (argc > 2) return 1;
    int number = atoi(argv[1]); // fails
    if (number < 0 || number >= 10) return 1;
    return table[number];
}
