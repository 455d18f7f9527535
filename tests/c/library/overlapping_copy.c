// memcpy between overlapping ranges is undefined; memmove is not.
// run: check
// verdict: violated out-of-bounds
#include <string.h>
int main(void) {
    char text[] = "overlap";
    memmove(text + 1, text, 4);
    memcpy(text + 1, text, 4); // fails
    return 0;
}
