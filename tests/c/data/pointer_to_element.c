// Pointers walk along a local array and along the rows of a matrix; the element behind the end is compared, never read.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>

static int matrix[2][3];

static int sum(const int *from, const int *to)
{
    int total = 0;
    while (from != to)
        total += *from++;
    return total;
}

int main(void)
{
    int numbers[4] = {1, 2, 3, 4};
    int *row = matrix[1];
    row[0] = 5;
    row[2] = 7;
    matrix[0][1] = sum(numbers, numbers + 4);
    assert(matrix[0][1] == 10);
    assert(matrix[1][0] == 5 && matrix[1][1] == 0);
    assert(sum(matrix[0], matrix[0] + 3) == 10);
    assert(sum(row, row + 3) == 12);
    assert(*(&numbers[3] - 2) == 2);
    return 0;
}
