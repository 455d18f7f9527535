// run: check
// verdict: verified
// Reading another member of a union reinterprets the bytes.
#include <assert.h>
union view { float value; unsigned bits; };
int main(void) {
    union view view;
    view.value = 1.0f;
    assert(view.bits == 0x3f800000);
    return 0;
}
