// What is handed over for reading only stays what it is; what lies beside the written part too.
// run: check
// verdict: verified
#include <assert.h>

struct pair {
    int first, second;
};

void show(const struct pair *pair);
void change(int *number);

int main(void) {
    struct pair pair = {1, 2};
    show(&pair);
    assert(pair.first == 1);
    change(&pair.second);
    assert(pair.first == 1);
    return 0;
}
