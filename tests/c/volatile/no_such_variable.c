// A variable that is not there.
// run: check --volatile-any ticks
// exit: 2
// stderr: no variable `ticks` of static storage is used
int main(void)
{
    return 0;
}
