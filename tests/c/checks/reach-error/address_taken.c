// run: check
// verdict: verified
// Mentioning the function is not calling it.
extern void reach_error(void);
int main(void) {
    void (*function)(void) = reach_error;
    return function == 0;
}
