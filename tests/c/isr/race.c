// A plain object that a handler writes while the code it interrupts reads it.
// run: check --isr tick
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: violated data-race
static int seconds;

void tick(void)
{
    seconds = 1; // fails
}

int main(void)
{
    return seconds > 1;
}
