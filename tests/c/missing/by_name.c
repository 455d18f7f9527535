// Single functions by the configuration: `logged` leaves memory alone, the others write.
// run: check --config by_name.toml
// verdict: verified
// assumption: `logged` has no body: assumed to have no effect
// assumption: `update` has no body: assumed to write any value through its pointer arguments
#include <assert.h>

void logged(int *number);
void update(int *number);

int main(void) {
    int one = 1, two;
    logged(&one);
    assert(one == 1);
    update(&two);
    return two == 5;
}
