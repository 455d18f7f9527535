// A copy that is cut does not.
// run: check
// verdict: verified
#include <string.h>

int main(int argc, char **argv) {
    char name[64];
    if (argc != 2) return 1;
    strncpy(name, argv[1], sizeof name - 1);
    name[sizeof name - 1] = 0;
    return name[0] == 'x';
}
