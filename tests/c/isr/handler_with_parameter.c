// Nobody passes a handler arguments.
// run: check --isr tick
// exit: 2
// stderr: `tick` cannot handle interrupts
void tick(int line)
{
    (void)line;
}

int main(void)
{
    return 0;
}
