// A record may be one byte longer than the buffer.
// run: check --engine sat
// verdict: violated out-of-bounds
#include <assert.h>
#include <stdlib.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

static int records(const unsigned char *data, int size)
{
    int at = 0, n = 0;
    while (at + 2 <= size) {
        int length = data[at + 1];
        if (length > size - at - 1)
            return -1;
        for (int i = 0; i < length; i++)
            n += data[at + 2 + i] == 0; // fails
        at += 2 + length;
    }
    return n;
}

int main(void)
{
    unsigned char *data = malloc(8);
    for (int i = 0; i < 8; i++)
        data[i] = __VERIFIER_nondet_uchar();
    int n = records(data, 8);
    assert(n >= -1 && n <= 6);
    free(data);
    return 0;
}
