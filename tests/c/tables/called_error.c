// The function that must not be reached is an assertion that fails.
// run: check --tabled
// verdict: violated assertion
extern void reach_error(void);

int main(void) {
    int x = 3;
    if (x > 2)
        reach_error(); // fails
    return 0;
}
