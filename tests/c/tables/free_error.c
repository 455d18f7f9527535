// A call of the error function behind a free decision is one of the program.
// run: check --tabled
// verdict: violated reach-error
extern int get(void);
extern void reach_error(void);

int main(void)
{
    int y = 0;
    if (get() > 2)
        y = 1;
    if (y)
        reach_error(); // fails
    return 0;
}
