// The index moves before the byte is read, so that the handler may overwrite it.
// run: check --isr receive:0:4
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: violated data-race
#include <assert.h>
#define SIZE 2

static unsigned char data[SIZE];
static volatile unsigned head, tail;
static unsigned char next_sent;

void receive(void)
{
    if (head - tail == SIZE)
        return;
    data[head % SIZE] = next_sent++; // fails
    head = head + 1;
}

int main(void)
{
    unsigned char expected = 0;
    for (int n = 0; n < 3; n++) {
        if (head != tail) {
            unsigned at = tail;
            tail = tail + 1;
            unsigned char byte = data[at % SIZE]; // fails
            assert(byte == expected);
            expected++;
        }
    }
    return 0;
}
