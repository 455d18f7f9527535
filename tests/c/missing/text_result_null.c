// ... if there is one.
// run: check
// verdict: violated null-dereference
#include <string.h>

const char *name_of(int number);

int main(void) {
    char room[8];
    strcpy(room, name_of(3)); // fails
    return room[0] == 'x';
}
