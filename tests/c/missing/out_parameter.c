// What a function without a body hands out through a pointer is not indeterminate, unless it is said to leave memory alone.
// run: check => verified
// run: check --missing havoc => verified
// run: check --missing keep => violated uninitialized
struct reading {
    int channel;
    short values[4];
    unsigned long time;
    _Bool is_valid;
};

int take(struct reading *reading);

int main(void) {
    struct reading reading;
    take(&reading);
    if (!reading.is_valid) return 0; // fails
    if (reading.values[3] > 10 && reading.time > 5) return 1;
    return reading.channel != 0;
}
