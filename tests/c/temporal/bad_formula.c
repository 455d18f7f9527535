// A formula that does not end is shown with the place.
// run: check --ltl [](count==
// exit: 2
// stderr: --ltl: 
// stderr: ^
int count;

int main(void) { return count; }
