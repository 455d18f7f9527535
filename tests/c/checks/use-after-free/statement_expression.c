// The address leaves the statement expression, the object does not.
// run: check
// verdict: violated use-after-free
int main(void) {
    int *p = ({ int x = 4; &x; });
    return *p; // fails
}
