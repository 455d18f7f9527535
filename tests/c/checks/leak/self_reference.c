// run: check --property default,leak
// verdict: violated leak
// An object that only knows itself.
#include <stdlib.h>
struct node { struct node *other; };
static void work(void) {
    struct node *a = malloc(sizeof *a); // fails
    if (!a) return;
    a->other = a;
}
int main(void) {
    work();
    return 0;
}
