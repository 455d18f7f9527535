// One thread: formulas over globals, also when the program ends and when a value comes from outside.
// run: check --ltl <>(state==3) => verified
// run: check --ltl [](state<=3) => verified
// run: check --ltl [](state<3) => violated ltl
// run: check --invariant state!=2 => violated invariant
// run: check --invariant state>=0&&state<4 => verified
// run: check --ltl <>[](state==3) => verified
// run: check --ltl (state==0)U(state==1) => verified
// run: check --ltl []<>(state==0) => violated ltl
// run: check --invariant input<10 => violated invariant
// run: check --invariant input<=20 => verified
// run: check -DENDLESS --ltl <>[](state==3) => verified
// run: check -DENDLESS --ltl []<>(state==0) => violated ltl
// run: check -DENDLESS --property termination => violated termination
extern int __VERIFIER_nondet_int(void);

static int state, input;

int main(void)
{
    for (int i = 1; i <= 3; i++)
        state = i; // fails
    int given = __VERIFIER_nondet_int();
    if (given >= 0 && given <= 20)
        input = given;
#ifdef ENDLESS
    for (;;) // fails
        ;
#endif
    return 0; // fails
}
