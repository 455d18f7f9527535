// run: check
// verdict: violated reach-error
// The error function is called.
extern void reach_error(void);
int main(void) {
    reach_error(); // fails
    return 0;
}
