// Under --strict undeclared functions and unknown types are errors, each at its own line.
// run: check --strict
// exit: 2
// stderr: strict_names.c:9
// stderr: strict_names.c:10
// stderr: uart_open
int main(void)
{
    uart_t port;
    port = uart_open(1);
    return port;
}
