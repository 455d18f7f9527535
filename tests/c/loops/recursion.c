// Unbounded recursion ends in unknown and names the function.
// run: check
// verdict: unknown descend
static unsigned descend(unsigned n)
{
    return descend(n + 1) + 1;
}

int main(void) { return (int)descend(0); }
