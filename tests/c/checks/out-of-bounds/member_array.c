// run: check
// verdict: violated out-of-bounds
// A write beyond a member array hits the next member.
struct record { char name[4]; int id; };
int main(void) {
    struct record record = {{0}, 7};
    for (int i = 0; i < 5; i++)
        record.name[i] = 'x'; // fails
    return record.id == 7 ? 0 : 1;
}
