// Objects made and freed in every round do not hide that the state repeats.
// run: check
// verdict: verified
#include <stdlib.h>

int main(void)
{
    for (;;) {
        int *p = malloc(sizeof *p);
        *p = 3;
        free(p);
    }
}
