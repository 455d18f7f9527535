// Lists on the heap: the order of allocations tells no states apart.
// run: check
// verdict: verified
c_decl {
    \#include <stdlib.h>
    struct node { int value; struct node *next; } *head;
    void insert(int value) {
        struct node **at = &head, *fresh = malloc(sizeof *fresh);
        while (*at && (*at)->value < value) at = &(*at)->next;
        fresh->value = value; fresh->next = *at; *at = fresh;
    }
    void drop(void) { struct node *first = head; head = first->next; free(first); }
}
proctype Q(byte n) { c_code { insert(PQ->n); } }
init {
    run Q(1); run Q(2); run Q(3); (_nr_pr == 1);
    assert(c_expr { head->value == 1 && head->next->next->value == 3 });
    c_code { drop(); drop(); drop(); };
    assert(c_expr { !head })
}
