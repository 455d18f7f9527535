// All bytes that are read were written; a million of them cost nothing.
// run: check
// verdict: verified
#include <stddef.h>

void fill(void *buffer, size_t size);

static unsigned char frame[1 << 20];

int main(void) {
    unsigned char bytes[8];
    fill(bytes, sizeof bytes);
    fill(frame, sizeof frame);
    if (frame[1000] == 1) return 2;
    return bytes[4] == 7;
}
