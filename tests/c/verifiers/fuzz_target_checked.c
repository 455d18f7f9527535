// The repaired sibling. The pointer is never null by accident, and its size is the true one.
// run: check
// run: check --entry first_seven
// verdict: verified
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3 || data[0] != 'o')
        return 0;
    return data[1] == 'k' ? data[2] : 0;
}

int first_seven(const short *values, int count) {
    for (int i = 0; i < count; i++)
        if (values[i] == 7)
            return i;
    return -1;
}
