// The next state is the one before the next access to shared memory, and the verdict says so.
// run: check --ltl [](turn!=0||X(turn<=1))
// verdict: verified
// assumption: "next" in `[](turn!=0||X(turn<=1))` is the state before the next access to shared memory
static int turn;

int main(void)
{
    turn = 1;
    turn = 2;
    return 0;
}
