// A function without a body may return any value: both branches are explored.
// run: check
// verdict: violated assertion
// assumption: read_sensor
#include <assert.h>
int read_sensor(void);

int main(void)
{
    int value = read_sensor();
    if (value == 12345)
        assert(0); // fails
    return 0;
}
