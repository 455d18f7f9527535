// What was ready must stay so, and does not.
// run: check --property leak --ltl <>[](ready)
static int ready;

int main(void)
{
    for (;;) {
        ready = 1;
        ready = 0;
    }
}
