// A ring that the handler fills and the program empties, without turning interrupts off: each side writes its own
// index only, after the data.
// run: check --isr receive:0:4
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: verified
#include <assert.h>
#define SIZE 2

static unsigned char data[SIZE];
static volatile unsigned head, tail;
static unsigned char next_sent;

void receive(void)
{
    if (head - tail == SIZE)
        return;
    data[head % SIZE] = next_sent++;
    head = head + 1;
}

int main(void)
{
    unsigned char expected = 0;
    for (int n = 0; n < 3; n++) {
        if (head != tail) {
            unsigned char byte = data[tail % SIZE];
            tail = tail + 1;
            assert(byte == expected);
            expected++;
        }
    }
    return 0;
}
