// A function without a body may write what its pointer arguments let it write: the reading is any number.
// run: check
// verdict: violated out-of-bounds
// assumption: `read_sensor` has no body: assumed to return any value, to write any value through its pointer arguments
int read_sensor(int *value);

static int limits[8];

int main(void) {
    int value = 0;
    if (read_sensor(&value) != 0) return 1;
    if (value < 0 || value > 8) return 1;
    return limits[value]; // fails
}
