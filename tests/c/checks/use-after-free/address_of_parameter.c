// run: check
// verdict: violated use-after-free
struct pair { int x, y; };
static int *second(struct pair pair) { return &pair.y; }
int main(void) {
    struct pair pair = {1, 2};
    int *p = second(pair);
    return *p; // fails
}
