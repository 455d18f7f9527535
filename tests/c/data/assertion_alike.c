// An assertion of the program may read like one that asks whether the model has room.
// run: check
// verdict: violated assertion
// models: promela violated, c violated
#include <assert.h>

int _pid = 20;

int main(void)
{
    assert(_pid < 16); // fails
    return 0;
}
