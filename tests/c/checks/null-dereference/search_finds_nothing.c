// run: check
// verdict: violated null-dereference
// The result of strchr is used unchecked.
#include <string.h>
int main(void) {
    char text[] = "no equals sign";
    char *sign = strchr(text, '=');
    *sign = 0; // fails
    return 0;
}
