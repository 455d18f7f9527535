// The step misses the end.
// run: check --property termination
int main(void)
{
    unsigned char n = 250;
    while (n != 3)
        n = n + 2;
    return 0;
}
