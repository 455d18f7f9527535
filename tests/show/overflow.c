// The middle of two large numbers.
// run: check
static int middle(int low, int high)
{
    return (low + high) / 2;
}

int main(void)
{
    int low = 2000000000;
    int high = 2100000000;
    return middle(low, high) > 0;
}
