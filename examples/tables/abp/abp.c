/* The alternating bit protocol: one message at a time over lines that lose messages. */

typedef struct {
    unsigned char seq; /* the bit */
    unsigned char data;
} frame;

enum { WINDOW = 4 };

void to_receiver(frame f);     /* puts a frame on the line */
void to_sender(frame f);       /* the same, the other way */
void from_sender(frame *f);    /* waits for a frame */
int from_receiver(frame *f);   /* the same; 0 if it took too long */
unsigned char next_data(void); /* something to be sent */
void deliver(unsigned char data);
void trace(const char *text, int value);

void sender(void)
{
    frame out, in;
    unsigned char bit = 0;

    out.data = next_data();
    while (1) {
        out.seq = bit;
        to_receiver(out);
        trace("sent", bit);
        if (!from_receiver(&in)) {
            trace("timeout", bit);
            continue;
        }
        if (in.seq == bit) {
            bit = 1 - bit;
            out.data = next_data();
        }
    }
}

void receiver(void)
{
    frame in, ack;
    unsigned char expected = 0;

    while (1) {
        from_sender(&in);
        ack.seq = in.seq;
        if (in.seq == expected) {
            deliver(in.data);
            expected = 1 - expected;
        }
        to_sender(ack);
    }
}
