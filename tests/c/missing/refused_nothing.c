// Functions of the C library have models, and those that nobody calls are not missed.
// run: check --missing fail
// verdict: verified
#include <string.h>

int read_sensor(int *value);

int main(void) {
    char text[8];
    strcpy(text, "abc");
    return strlen(text) != 3;
}
