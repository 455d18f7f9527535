// A pointer that was made from an array member stays inside of it, although the struct goes on.
// run: check
// verdict: violated out-of-bounds
struct person {
    char name[4];
    char secret[4];
};

int main(void) {
    struct person s = {"abc", "xyz"};
    char *p = s.name;
    int sum = 0;
    for (int i = 0; i < 5; i++) sum += p[i]; // fails
    return sum;
}
