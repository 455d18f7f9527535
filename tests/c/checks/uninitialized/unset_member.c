// run: check
// verdict: violated uninitialized
// One member of the struct is never set.
struct point { int x, y; };
static void set(struct point *point) { point->x = 1; }
int main(void) {
    struct point point;
    set(&point);
    switch (point.y) { // fails
    case 0: return 0;
    default: return 1;
    }
}
