// A variable of the environment stays what it is, and one that was set is what it was set to.
// run: check
// verdict: verified
// assumption: variables of the environment are absent or hold any text of up to 7 bytes
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char room[8];
    if (getenv("HOME")) strcpy(room, getenv("HOME"));
    if (setenv("MODE", "fast", 1) != 0) return 1;
    assert(strcmp(getenv("MODE"), "fast") == 0);
    unsetenv("MODE");
    assert(!getenv("MODE"));
    return 0;
}
