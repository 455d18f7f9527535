// The same with the right bound; left alone, the variable would keep its zero and the check would look superfluous.
// run: check
// run: check --missing keep
// verdict: verified
int read_sensor(int *value);

static int limits[8];

int main(void) {
    int value = 0;
    if (read_sensor(&value) != 0) return 1;
    if (value < 0 || value >= 8) return 1;
    return limits[value];
}
