// run: check
// verdict: verified
// A loop that repeats its state forever does not reach the error behind it.
extern void reach_error(void);
int main(void) {
    int x = 0;
    while (1) {
        x = 1 - x;
        if (x > 1) break;
    }
    reach_error();
    return 0;
}
