// A size behind a pointer to bytes says how many of them are written; the others stay indeterminate.
// run: check
// verdict: violated uninitialized
#include <stddef.h>

void fill(void *buffer, size_t size);

int main(void) {
    unsigned char bytes[8];
    fill(bytes, 4);
    if (bytes[3] == 7) return 1;
    return bytes[4] == 7; // fails
}
