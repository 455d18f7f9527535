// A number that a function without a body may change is not known any more.
// run: check
// verdict: violated assertion
#include <assert.h>

struct pair {
    int first, second;
};

void change(int *number);

int main(void) {
    struct pair pair = {1, 2};
    change(&pair.second);
    assert(pair.first == 1);
    assert(pair.second == 2); // fails
    return 0;
}
