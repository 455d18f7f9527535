// run: check
// verdict: verified
// A character pointer to a struct reaches all of its bytes.
#include <assert.h>
#include <stddef.h>
struct record { char name[4]; int id; };
int main(void) {
    struct record record = {"abc", 258};
    const unsigned char *bytes = (const unsigned char *)&record;
    assert(bytes[offsetof(struct record, id)] == 2);
    assert(bytes[offsetof(struct record, id) + 1] == 1);
    return 0;
}
