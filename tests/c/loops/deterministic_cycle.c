// A deterministic endless loop is recognised when its state comes back.
// run: check
// verdict: verified
int main(void)
{
    unsigned char x = 1;
    for (;;)
        x = (unsigned char)(x * 5 + 3);
}
