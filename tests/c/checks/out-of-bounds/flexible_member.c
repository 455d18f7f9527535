// run: check
// verdict: verified
// A flexible array member reaches to the end of its allocation.
#include <assert.h>
#include <stdlib.h>
struct message { int length; char text[]; };
int main(void) {
    struct message *message = malloc(sizeof *message + 3);
    if (!message) return 0;
    message->length = 3;
    for (int i = 0; i < message->length; i++) message->text[i] = (char)i;
    assert(message->text[2] == 2);
    free(message);
    return 0;
}
