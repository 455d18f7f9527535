// run: check
// verdict: violated overflow
// INT_MIN minus one, by a compound assignment.
#include <limits.h>
int main(void) {
    int x = INT_MIN;
    x -= 1; // fails
    return x > 0;
}
