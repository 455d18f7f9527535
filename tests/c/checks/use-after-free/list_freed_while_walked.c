// run: check
// verdict: violated use-after-free
// The next pointer is read from the node that was just freed.
#include <stdlib.h>
struct node { struct node *next; };
int main(void) {
    struct node *list = 0;
    for (int i = 0; i < 2; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->next = list;
        list = node;
    }
    for (struct node *node = list; node;
         node = node->next) // fails
        free(node);
    return 0;
}
