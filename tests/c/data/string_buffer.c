// Letters go into a buffer and are looked at there.
// run: check
// verdict: verified
// models: c verified
#include <assert.h>
#include <string.h>

static char buffer[8];
static int length;

static void put(char letter)
{
    buffer[length++] = letter;
    buffer[length] = 0;
}

int main(void)
{
    char copy[8] = "ab";
    put('a');
    put('b');
    assert(strcmp(buffer, copy) == 0);
    put('c');
    strcpy(copy, buffer);
    assert(strlen(copy) == 3 && copy[2] == 'c');
    return 0;
}
