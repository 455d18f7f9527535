// An uninitialised local serves as input: any value, split where the program looks at it.
// run: check --property assertion
// verdict: violated assertion
// assumption: uninitialized is not looked for: an indeterminate value is any value of its type
#include <assert.h>

int main(void) {
    int x;
    unsigned char bytes[4];
    if (x > 1000000 && bytes[2] == 77) assert(x != 123456789); // fails
    return 0;
}
