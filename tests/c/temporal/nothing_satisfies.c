// What no execution satisfies is violated, by every execution.
// run: check --ltl false => violated ltl
// run: check --ltl <>false => violated ltl
// run: check --ltl []false => violated ltl
// run: check --ltl false --fair => violated ltl
// run: check --ltl true => verified
static int x;

int main(void)
{
    x = 1;
    return 0; // fails
}
