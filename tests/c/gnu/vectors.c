// Vectors are worked on element by element.
// run: check
// verdict: verified
#include <assert.h>

typedef int v4 __attribute__((vector_size(16)));
typedef unsigned char v8 __attribute__((vector_size(8)));
typedef float f4 __attribute__((vector_size(16)));

static v4 table = {1, 2, 3, 4};

static v4 doubled(v4 v) { return v + v; }

int main(void) {
    v4 a = {1, 2, 3, 4}, b = {4, 3};
    assert(b[0] == 4 && b[2] == 0 && b[3] == 0);
    v4 c = a + b * 2;
    assert(c[0] == 9 && c[1] == 8 && c[2] == 3 && c[3] == 4);
    c -= 1;
    c[2] = -7;
    assert(c[0] == 8 && c[2] == -7 && (-c)[2] == 7 && (~c)[0] == ~8);
    v4 mask = a < b;
    assert(mask[0] == -1 && mask[1] == -1 && mask[2] == 0 && mask[3] == 0);
    assert(doubled(table)[3] == 8 && table[3] == 4);

    v8 bytes = {250, 1};
    bytes += 10;
    assert(bytes[0] == 4 && bytes[1] == 11 && bytes[7] == 10);
    assert((long long)bytes == 0x0a0a0a0a0a0a0b04);

    f4 halves = {0.5f, 1.5f};
    halves = halves * 2.0f;
    assert(halves[1] == 3.0f && ((v4)halves)[0] == 0x3f800000);
    return 0;
}
