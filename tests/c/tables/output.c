// What nobody in the program receives is output: however much it is, nobody waits.
// run: check --tabled --property assertion
// verdict: violated assertion
#include <assert.h>
#include <unistd.h>

int main(void) {
    int x = 0;
    while (x < 7) {
        write(1, &x, sizeof x);
        x++;
    }
    assert(0); // fails
    return 0;
}
