// Inserting into a sorted list keeps it sorted.
// run: check --engine sat
// verdict: verified
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static void insert(struct node **at, int x)
{
    while (*at && (*at)->value < x)
        at = &(*at)->next;
    struct node *new = malloc(sizeof *new);
    new->value = x;
    new->next = *at;
    *at = new;
}

int main(void)
{
    struct node *head = 0;
    for (int i = 0; i < 3; i++)
        insert(&head, __VERIFIER_nondet_int());
    for (struct node *p = head; p->next; p = p->next)
        assert(p->value <= p->next->value);
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
