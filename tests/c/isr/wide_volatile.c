// A volatile object that takes two accesses on this machine is read in halves.
// run: check --target ilp32 --isr tick
// run: check --isr tick => verified
// verdict: violated data-race
static volatile long long stamp;

void tick(void)
{
    stamp = 0x100000000; // fails
}

int main(void)
{
    return stamp == 1;
}
