// Nothing lies in this section: its bounds are objects that nobody defines.
// run: check
// verdict: violated out-of-bounds
// assumption: `__start_numbers` is defined nowhere
static int other __attribute__((section("letters"), used)) = 1;
extern int __start_numbers[], __stop_numbers[];

int main(void) {
    return __start_numbers < __stop_numbers ? other : 0; // fails
}
