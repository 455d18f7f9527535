// A string that fills its member exactly is fine, and so is copying several members at once by their size.
// run: check
// verdict: verified
#include <stdio.h>
#include <string.h>
struct account { char name[8]; int is_admin; char rows[2][4]; };

int main(void)
{
    struct account account, copy;
    strcpy(account.name, "mallory");
    account.is_admin = 0;
    snprintf(account.rows[0], sizeof account.rows[0], "%d", 12345);
    strcpy(account.rows[1], "abc");
    memcpy(copy.name, account.name, sizeof account);
    return strcmp(copy.rows[1], "abc");
}
