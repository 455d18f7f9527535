// A call that says that progress is made does so in the model.
// run: check --property livelock
// run: check --tabled --property livelock
// verdict: verified
extern void __unpick_progress(void);

static int turn;

int main(void)
{
    while (1) {
        turn = 1 - turn;
        __unpick_progress();
    }
    return 0;
}
