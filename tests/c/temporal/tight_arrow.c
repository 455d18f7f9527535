// A tight arrow is a member access, which people who mean an implication are told.
// run: check --ltl [](turn==0->X(turn<=1))
// exit: 2
// stderr: write spaces for an implication
static int turn;

int main(void)
{
    turn = 1;
    return 0;
}
