// A bound on iterations leaves the rest unknown.
// run: check --unwind 10
// verdict: unknown unwind.c:8
int main(void)
{
    volatile int sum = 0;

    for (int i = 0; i < 100; i++)
        sum = (sum + i) % 7;
    return 0;
}
