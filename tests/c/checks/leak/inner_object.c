// run: check --property default,leak
// verdict: violated leak
// The struct is freed, what it owns is not.
#include <stdlib.h>
struct person { char *name; };
static void work(void) {
    struct person *person = malloc(sizeof *person);
    if (!person) return;
    person->name = malloc(4); // fails
    free(person);
}
int main(void) {
    work();
    return 0;
}
