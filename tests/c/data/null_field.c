// A field is written through a pointer that may be null; SPIN would crash, the model is looked at as C.
// run: check
// verdict: violated null-dereference
// run: check --tabled --data c
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

static struct node nodes[2];
static struct node *head;

int main(void)
{
    struct node *at;
    nodes[0].next = &nodes[1];
    head = &nodes[0];
    for (at = head; at != NULL; at = at->next)
        at->value = 1;
    at->value = 2; // fails
    return 0;
}
