// Inside the member, one past its end as an address, back to the whole struct, and through a pointer that walks.
// run: check
// verdict: verified
#include <assert.h>
#include <stddef.h>

struct person {
    char name[4];
    char secret[4];
};

int main(void) {
    struct person s = {"abc", "xyz"};
    char *p = s.name, *end = &p[4];
    int sum = 0;
    for (int i = 0; i < 4; i++) sum += p[i];
    assert(sum == 'a' + 'b' + 'c' && end == s.secret);
    struct person *whole = (struct person *)(p - offsetof(struct person, name));
    assert(whole->secret[0] == 'x');
    const unsigned char *bytes = (const unsigned char *)&s;
    assert(bytes[4] == 'x');
    for (char *walk = s.name; walk != end; walk++) sum -= *walk;
    return sum;
}
