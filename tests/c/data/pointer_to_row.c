// A function gets a pointer to rows of a matrix, and one row of them is wrong.
// run: check
// verdict: violated assertion
// models: promela violated, c violated
#include <assert.h>

static int matrix[3][2];

static void fill(int (*rows)[2], int n)
{
    int i;
    for (i = 0; i < n; i++) {
        rows[i][0] = i;
        rows[i][1] = 10 * i;
    }
}

int main(void)
{
    int (*last)[2] = &matrix[2];
    fill(matrix, 3);
    assert(matrix[1][0] == 1 && matrix[2][1] == 20);
    (*last)[1] = 3;
    assert(matrix[2][1] == 20); // fails
    return 0;
}
