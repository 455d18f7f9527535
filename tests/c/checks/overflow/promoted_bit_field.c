// run: check
// verdict: violated overflow
// 31 unsigned bits fit an int, so the sum is signed.
struct s { unsigned a : 31; };
int main(void) {
    struct s s = {2147483647};
    long x = s.a + 1; // fails
    return x == 0;
}
