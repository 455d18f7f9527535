// A copy out of registers would have to know which bytes are read together.
// run: check --config board.toml
// verdict: unknown
// stdout: bytes are read one by one
#include <string.h>

int main(void)
{
    char bytes[4];
    memcpy(bytes, (const void *)0x40001000, 4);
    return bytes[0] == 1;
}
