// Only their number matters: it stays open until somebody asks.
// run: check
// verdict: violated assertion
// assumption: the program is started with up to 3 arguments (--args)
#include <assert.h>

int main(int argc, char **argv) {
    (void)argv;
    assert(argc < 4); // fails
    return 0;
}
