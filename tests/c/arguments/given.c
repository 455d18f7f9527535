// Given words are what the program gets; no others, and the list says so.
// run: check --args '-n 12'
// verdict: verified
// assumption: the program is started with the arguments `-n`, `12`
#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
    assert(argc == 3);
    assert(strcmp(argv[1], "-n") == 0);
    assert(strcmp(argv[2], "12") == 0);
    assert(!argv[3]);
    argv[2][0] = 'x';
    return 0;
}
