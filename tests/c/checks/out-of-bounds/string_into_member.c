// A string that leaves its member for the next one is out of bounds although the object is large enough.
// run: check
// verdict: violated out-of-bounds
#include <string.h>
struct account { char name[8]; int is_admin; };

int main(void)
{
    struct account account = {"", 0};
    strcpy(account.name, "mallory\1"); // fails
    return account.is_admin;
}
