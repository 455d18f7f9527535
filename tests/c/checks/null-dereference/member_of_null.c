// run: check
// verdict: violated null-dereference
// The address is null plus an offset, still a null dereference.
struct pair { int first, second; };
static int second(const struct pair *pair) {
    return pair->second; // fails
}
int main(void) {
    return second((struct pair *)0);
}
