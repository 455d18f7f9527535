// run: check
// verdict: violated use-after-free
// A write through a second pointer to the freed object.
#include <stdlib.h>
struct node { int value; struct node *next; };
int main(void) {
    struct node *node = malloc(sizeof *node), *alias = node;
    if (!node) return 0;
    free(node);
    alias->value = 1; // fails
    return 0;
}
