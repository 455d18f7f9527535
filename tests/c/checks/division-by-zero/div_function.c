// run: check
// verdict: violated division-by-zero
// div divides inside the library; the user sees the call.
#include <stdlib.h>
int main(void) {
    int zero = 0;
    return div(5, zero).quot; // fails
}
