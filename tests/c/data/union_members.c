// A union of which two members are used: each shows what the other has written.
// run: check
// verdict: verified
// models: c verified
#include <assert.h>

union word {
    unsigned int whole;
    unsigned char bytes[4];
};

static union word word;

int main(void)
{
    word.whole = 0x01020304;
    word.bytes[3] = 9;
    assert(word.whole == 0x09020304);
    return 0;
}
