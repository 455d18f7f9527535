// One step too many leaves the section.
// run: check
// verdict: violated out-of-bounds
static int first __attribute__((section("numbers"), used)) = 1;
static int second __attribute__((section("numbers"), used)) = 2;
extern int __start_numbers[], __stop_numbers[];

int main(void) {
    int sum = 0;
    for (int *number = __start_numbers; number <= __stop_numbers; number++)
        sum += *number; // fails
    return sum;
}
