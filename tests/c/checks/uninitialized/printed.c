// run: check
// verdict: violated uninitialized
// A number without a value is printed; that nobody looks at the result of printf does not matter.
#include <stdio.h>
int main(void) {
    int x, y = 1;
    printf("%d\n", y);
    printf("%d\n", x); // fails
    return 0;
}
