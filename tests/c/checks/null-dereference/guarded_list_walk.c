// run: check
// verdict: verified
// A loop that stops at the null pointer.
#include <assert.h>
struct node { int value; struct node *next; };
int main(void) {
    struct node last = {2, 0}, first = {1, &last};
    int sum = 0;
    for (struct node *node = &first; node; node = node->next) sum += node->value;
    assert(sum == 3);
    return 0;
}
