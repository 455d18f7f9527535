// The repaired sibling. The pointer is never null by accident, and its size is the true one.
// run: check
// run: check --entry sum
// verdict: verified
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3 || data[0] != 'o')
        return 0;
    return data[1] == 'k' ? data[2] : 0;
}

long sum(const short *values, int count) {
    long total = 0;
    for (int i = 0; i < count; i++)
        total += values[i] > 0;
    return total;
}
