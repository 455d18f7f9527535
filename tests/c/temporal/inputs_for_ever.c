// A thread that asks for inputs for ever, and touches nothing that others see, violates what it keeps from happening.
// run: check --ltl [](!busy||<>!busy) => violated ltl
// run: check --ltl []<>(busy||!busy) => verified
// run: check --property livelock => violated livelock
extern int get(void);

int busy;

int main(void)
{
    while (1) { // fails
        busy = 1; // fails
        while (get()) // fails
            ;
        busy = 0; // fails
    }
    return 0;
}
