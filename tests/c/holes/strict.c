// Under --strict a hole is an error.
// run: check --strict
// exit: 2
// stderr: board/uart.h
#include "board/uart.h"

int main(void) { return 0; }
