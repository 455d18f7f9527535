// It may fail, and then says nothing.
// run: check
// verdict: violated uninitialized
#include <sys/stat.h>

int main(void) {
    struct stat state;
    stat("file", &state);
    return state.st_size > 1000; // fails
}
