// A line read from standard input may be anything that fits, and is a string.
// run: check
// verdict: violated assertion
// assumption: may be anything
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    char line[4];
    if (!fgets(line, sizeof line, stdin)) return 0;
    assert(strlen(line) <= 3);
    assert(strcmp(line, "ab\n") != 0); // fails
    return 0;
}
