// A constant object of static storage must not be written, also not through a cast.
// run: check
// verdict: violated out-of-bounds
// stdout: which must not be modified
static const int limit = 5;
static const char *const names[] = {"a", "b"};

int main(void) {
    int *p = (int *)&limit;
    if (names[1][0] == 'b') *p = 6; // fails
    return limit;
}
