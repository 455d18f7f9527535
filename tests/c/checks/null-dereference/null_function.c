// run: check
// verdict: violated null-dereference
// A call through a null function pointer.
int main(void) {
    void (*handler)(void) = 0;
    handler(); // fails
    return 0;
}
