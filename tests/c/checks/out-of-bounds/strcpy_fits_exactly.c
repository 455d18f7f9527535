// run: check
// verdict: verified
// The string and its terminator fill the buffer to the last byte.
#include <assert.h>
#include <string.h>
int main(void) {
    char buffer[6];
    strcpy(buffer, "exact");
    assert(buffer[5] == 0);
    return 0;
}
