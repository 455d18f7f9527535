// A critical section that was not entered is left.
// run: check --isr tick:0:1
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: violated unlock-error
void vPortEnterCritical(void);
void vPortExitCritical(void);

void tick(void)
{
}

int main(void)
{
    vPortEnterCritical();
    vPortExitCritical();
    vPortExitCritical(); // fails
    return 0;
}
