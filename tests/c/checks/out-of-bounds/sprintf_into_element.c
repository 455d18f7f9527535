// Formatting into one row of a matrix must not run into the next.
// run: check
// verdict: violated out-of-bounds
#include <stdio.h>
static char rows[3][4];

int main(void)
{
    for (int i = 0; i < 3; i++)
        sprintf(rows[i], "%d", i * 500 + 500); // fails
    return 0;
}
