// With --missing fail nothing is assumed of functions without a body.
// run: check --missing fail
// exit: 2
// stderr: function `read_sensor` has no body
int read_sensor(int *value);

int main(void) {
    int value = 0;
    return read_sensor(&value) > value;
}
