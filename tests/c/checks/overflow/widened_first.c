// run: check
// verdict: verified
// The operands are widened before the product.
#include <assert.h>
int main(void) {
    int width = 65536, height = 65536;
    long long area = (long long)width * height;
    assert(area == 4294967296);
    return 0;
}
