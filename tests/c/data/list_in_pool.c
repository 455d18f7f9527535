// A linked list whose nodes lie in an array.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

static struct node pool[4];
static struct node *head;
static int n_used;

static void push(int value)
{
    struct node *node = &pool[n_used];
    n_used++;
    node->value = value;
    node->next = head;
    head = node;
}

int main(void)
{
    struct node *at;
    int sum = 0;
    push(1);
    push(2);
    push(3);
    for (at = head; at != NULL; at = at->next)
        sum = sum * 10 + at->value;
    assert(sum == 321);
    return 0;
}
