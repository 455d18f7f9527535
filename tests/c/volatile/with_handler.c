// A handler that reads the data register into a ring, and a program that empties it.
// run: check --config board.toml --isr receive:1:3
// verdict: verified
#include <assert.h>
#include <stdint.h>

#define STATUS (*(volatile uint32_t *)0x40001000)
#define DATA (*(volatile uint32_t *)0x40001004)

static uint8_t ring[2];
static volatile uint8_t head, tail;

void receive(void)
{
    if ((STATUS & 1) && (uint8_t)(head - tail) < 2) {
        ring[head & 1] = DATA & 1;
        head = head + 1;
    }
}

int main(void)
{
    for (int n = 0; n < 2; n++) {
        if (head != tail) {
            uint8_t byte = ring[tail & 1];
            tail = tail + 1;
            assert(byte < 2);
        }
    }
    return 0;
}
