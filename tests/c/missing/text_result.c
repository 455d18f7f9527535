// A text from a function without a body ends somewhere.
// run: check
// verdict: verified
// assumption: `name_of` has no body: assumed to return NULL or a new text of up to 7 bytes
#include <string.h>

const char *name_of(int number);

int main(void) {
    char room[8];
    const char *name = name_of(3);
    if (!name) return 1;
    strcpy(room, name);
    return room[0] == 'x';
}
