// A handler that is not there.
// run: check --isr tik
// exit: 2
// stderr: there is no function `tik` to handle an interrupt
// stderr: did you mean `tick`?
void tick(void)
{
}

int main(void)
{
    return 0;
}
