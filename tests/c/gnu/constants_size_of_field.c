// A bit-field itself has no size.
// run: check
// exit: 2
// stderr: `sizeof` cannot be applied to a bit-field
struct fields {
    int a : 3;
} fields;

int main(void) { return sizeof(fields.a); }
