// The same reader with the right bound: every header is refused or fits.
// run: check
// verdict: verified
void __VERIFIER_nondet_memory(void *, __SIZE_TYPE__);

struct header {
    unsigned char version;
    unsigned short length;
};

static struct header header;
static unsigned char data[1 << 20];
static int sums[16];

int main(void) {
    __VERIFIER_nondet_memory(&header, sizeof header);
    __VERIFIER_nondet_memory(data, sizeof data);
    if (header.version != 3) return 0;
    if (header.length >= 16) return 0;
    return sums[header.length];
}
