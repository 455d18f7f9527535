// run: check
// verdict: violated uninitialized
// The scan for the terminator meets a byte nobody wrote.
#include <string.h>
int main(void) {
    char text[8];
    text[0] = 'a';
    text[1] = 'b';
    return strlen(text) > 2; // fails
}
