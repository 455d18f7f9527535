// A fuzz target gets a buffer of exactly as many unknown bytes as it is told; it needs no `main`.
// run: check
// verdict: violated out-of-bounds
// assumption: there is no `main`: the program is assumed to start in `LLVMFuzzerTestOneInput`
// assumption: parameter `data` of `LLVMFuzzerTestOneInput` is assumed to point to as many elements as `size` says, up to 16
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || data[0] != 'o')
        return 0;
    if (data[1] == 'k')
        return data[2]; // fails
    return 0;
}
