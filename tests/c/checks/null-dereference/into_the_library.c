// run: check
// verdict: violated null-dereference
// The null pointer is followed inside strlen; the user sees the call.
#include <string.h>
int main(void) {
    const char *name = 0;
    return (int)strlen(name); // fails
}
