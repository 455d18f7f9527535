// Another word breaks it.
// run: check --args '-n 13'
// verdict: violated assertion
#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
    assert(argc == 3);
    assert(strcmp(argv[2], "12") == 0); // fails
    return 0;
}
