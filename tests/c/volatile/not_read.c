// Nothing is assumed of volatile variables that are only written, of those that `--volatile-any` names, of atomic ones
// and of local ones.
// run: check --args none --volatile-any ticks
// verdict: verified
// stdout: "assumptions":["`ticks`: each read gives any value"]
#include <assert.h>

static volatile unsigned ticks, command;
static volatile _Atomic unsigned n;

int main(void)
{
    volatile int local = 1;
    command = 1;
    n++;
    unsigned now = ticks;
    assert(now == now && local == 1 && n == 1);
}
