// The loop goes one element too far.
// run: check
int main(void)
{
    int squares[4];
    int sum = 0;
    for (int i = 0; i <= 4; i++)
        squares[i] = i * i;
    for (int i = 0; i < 4; i++)
        sum += squares[i];
    return sum;
}
