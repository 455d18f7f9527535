// run: check
// verdict: verified
// A pointer that travelled through an integer is still the same pointer.
#include <stdint.h>
#include <stdlib.h>
int main(void) {
    void *p = malloc(8);
    uintptr_t number = (uintptr_t)p;
    free((void *)number);
    return 0;
}
