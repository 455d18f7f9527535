// run: check
// verdict: verified
// Everything is read before it is freed.
#include <assert.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
int main(void) {
    struct node *list = 0;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->value = i;
        node->next = list;
        list = node;
    }
    int sum = 0;
    while (list) {
        struct node *next = list->next;
        sum += list->value;
        free(list);
        list = next;
    }
    assert(sum == 3);
    return 0;
}
