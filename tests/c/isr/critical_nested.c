// Critical sections nest: the inner one's end does not let anything in.
// run: check --isr tick
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: verified
#include <assert.h>
void taskENTER_CRITICAL(void);
void taskEXIT_CRITICAL(void);

static int shared;

void tick(void)
{
    shared = 1;
}

static void inner(void)
{
    taskENTER_CRITICAL();
    shared = 0;
    taskEXIT_CRITICAL();
}

int main(void)
{
    taskENTER_CRITICAL();
    inner();
    assert(shared == 0);
    taskEXIT_CRITICAL();
    return 0;
}
