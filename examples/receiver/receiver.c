/* The receiving end of a serial line. A frame is a start byte, the number of its data bytes, the data, and their sum. */

enum { START = 7, MAX_DATA = 2 };

static enum { WAITING, LENGTH, DATA, SUM } phase;
static unsigned char data[MAX_DATA];
static unsigned char n_wanted, n_seen, sum;

/* Takes the next byte from the line. Returns how many data bytes a frame brought that is now complete, else 0. */
int receive(unsigned char byte)
{
    switch (phase) {
    case WAITING:
        if (byte == START)
            phase = LENGTH;
        return 0;
    case LENGTH:
#ifdef BUG
        if (byte > MAX_DATA + 1) {
#else
        if (byte == 0 || byte > MAX_DATA) {
#endif
            phase = WAITING;
            return 0;
        }
        n_wanted = byte;
        n_seen = sum = 0;
        phase = DATA;
        return 0;
    case DATA:
        data[n_seen] = byte;
        n_seen++;
        sum += byte;
        if (n_seen == n_wanted)
            phase = SUM;
        return 0;
    case SUM:
        phase = WAITING;
        return byte == sum ? n_wanted : 0;
    }
    return 0;
}
