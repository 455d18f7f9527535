// An endless execution shows which part repeats.
// run: check --property termination --width 60
// run: check --property termination --width 100
// exit: 1
// stdout: +-> from here on the execution repeats itself
// stdout: +-- back to the beginning of the repetition
int main(void)
{
    unsigned char n = 3;
    while (n != 2)
        n = n + 2;
    return 0;
}
