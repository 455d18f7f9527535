// A missing header, an unknown typedef and five undeclared functions still get a verdict that names each hole.
// run: check
// verdict: verified
// assumption: board/uart.h
// assumption: uart_t
// assumption: uart_open
// assumption: uart_speed
// assumption: uart_ready
// assumption: uart_send
// assumption: uart_close
#include "board/uart.h"

int main(void)
{
    uart_t port = uart_open(1);
    uart_speed(port, 9600);
    if (uart_ready(port))
        uart_send(port, 'x');
    uart_close(port);
    return 0;
}
