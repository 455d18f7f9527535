// A file closed twice is freed memory.
// run: check
// verdict: violated use-after-free
// assumption: opening a file may succeed or fail
#include <stdio.h>
int main(void) {
    FILE *file = fopen("name", "r");
    if (!file) return 1;
    fclose(file);
    fclose(file); // fails
    return 0;
}
