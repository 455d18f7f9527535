// run: check
// verdict: violated overflow
// A product that fits only into a wider type.
int main(void) {
    int width = 65536, height = 65536;
    long long area = width * height; // fails
    return area != 0;
}
