// A long argument overruns a buffer.
// run: check
// verdict: violated out-of-bounds
#include <string.h>

int main(int argc, char **argv) {
    char name[64];
    if (argc != 2) return 1;
    strcpy(name, argv[1]); // fails
    return name[0] == 'x';
}
