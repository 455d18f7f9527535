// Whether it is there is not known.
// run: check
// verdict: violated null-dereference
#include <stdlib.h>
#include <string.h>

int main(void) {
    char room[8];
    strcpy(room, getenv("HOME")); // fails
    return room[0] == '/';
}
