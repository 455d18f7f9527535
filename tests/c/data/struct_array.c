// An array of records with arrays in them.
// run: check
// verdict: violated assertion
// models: promela violated, c violated
#include <assert.h>

struct line {
    int length;
    unsigned char cells[3];
};

static struct line lines[3];

int main(void)
{
    int i, sum = 0;
    for (i = 0; i < 3; i++) {
        lines[i].length = i + 1;
        lines[i].cells[i] = (unsigned char)(250 + 3 * i);
    }
    for (i = 0; i < 3; i++)
        sum += lines[i].cells[i] + lines[i].length;
    assert(sum == 759 + 6); // fails
    return 0;
}
