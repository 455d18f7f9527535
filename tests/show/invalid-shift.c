// A mask for one bit too many.
// run: check
int main(void)
{
    unsigned mask = 0;
    for (int bit = 30; bit <= 32; bit++)
        mask |= 1u << bit;
    return mask != 0;
}
