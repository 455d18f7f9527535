// run: check
// verdict: violated overflow
// The classic binary search midpoint.
int main(void) {
    int low = 1500000000, high = 2000000000;
    int middle = (low + high) / 2; // fails
    return middle > 0;
}
