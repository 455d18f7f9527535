// run: check
// verdict: violated double-free
// Two pointers to one object are both freed.
#include <stdlib.h>
struct owner { int *data; };
int main(void) {
    struct owner a = {malloc(sizeof(int))}, b = a;
    free(a.data);
    free(b.data); // fails
    return 0;
}
