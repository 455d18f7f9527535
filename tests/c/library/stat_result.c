// What stat says is anything, once it succeeds.
// run: check
// verdict: verified
// assumption: what the system says of a file may be anything
#include <sys/stat.h>

int main(void) {
    struct stat state;
    if (stat("file", &state) != 0) return 1;
    if (S_ISDIR(state.st_mode)) return 2;
    return state.st_size > 1000;
}
