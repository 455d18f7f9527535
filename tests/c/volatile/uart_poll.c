// A serial port at a fixed address: the status may be anything each time it is read, and so may the data.
// run: check --config board.toml
// run: check --config board.toml --target ilp32
// verdict: verified
// assumption: memory at 0x40001000 to 0x4000100f: each read gives any value
#include <assert.h>
#include <stdint.h>

struct uart {
    uint32_t status;
    uint32_t data;
};

#define UART ((volatile struct uart *)0x40001000)

static int receive(void)
{
    while (!(UART->status & 1))
        ;
    return UART->data & 0xff;
}

int main(void)
{
    int byte = receive();
    assert(byte >= 0 && byte < 256);
    UART->data = 'x';
    return 0;
}
