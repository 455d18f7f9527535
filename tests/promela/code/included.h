/* Used by included.pml. */
static int share(int n)
{
    return 12 / n;
}
