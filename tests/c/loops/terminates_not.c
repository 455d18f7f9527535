// Termination is a property of its own.
// run: check --property termination
// verdict: violated termination
int main(void)
{
    unsigned x = 1;
    while (x != 0) // fails
        x = (x * 2) % 7;
    return 0;
}
