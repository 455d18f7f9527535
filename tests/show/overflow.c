// The middle of two large numbers.
// run: check
static int middle(int low, int high)
{
    return (low + high) / 2;
}

int main(void)
{
    return middle(2000000000, 2100000000) > 0;
}
