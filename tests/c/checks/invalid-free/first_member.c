// run: check
// verdict: verified
// A pointer to the first member is a pointer to the object.
#include <stdlib.h>
struct header { int kind; };
struct message { struct header header; int body; };
int main(void) {
    struct message *message = malloc(sizeof *message);
    if (!message) return 0;
    struct header *header = &message->header;
    free(header);
    return 0;
}
