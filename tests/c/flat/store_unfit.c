// What only flat states have is refused, in one line, for a program that they do not fit.
// run: check --store tree
// verdict: unknown stores, orders of search and checkpoints are for programs that flat states fit, and the program has one thread
int main(void)
{
    return 0;
}
