/*
 * What managers and workers say to each other.
 *
 * A manager takes checkpoints of a computation that several workers do together: now and then it asks all of them to save
 * what they have, and when all have done so, it tells them that this is where they begin again should one of them fail.
 * Either all of them commit to a checkpoint or none.
 *
 *   worker to manager          manager to worker
 *   HELLO     joins            WELCOME n   the last checkpoint is n
 *   SAVED n   has saved        SAVE n      save what you have
 *   FAILED n  could not        COMMIT n    n is the last checkpoint now
 *   DONE n    has committed    ABORT n     forget n
 *   RECOVER   has crashed      RESTORE n   begin again at n
 *   BYE       leaves           CLOSE       you have left
 */
#ifndef PROTOCOL_H
#define PROTOCOL_H

enum { N_WORKERS = 2, N_NUMBERS = 2, PORT = 7411 };

enum kind { HELLO, SAVED, FAILED, DONE, RECOVER, BYE, WELCOME, SAVE, COMMIT, ABORT, RESTORE, CLOSE };

struct message {
    unsigned char kind;
    unsigned char number;      /* of a checkpoint */
    unsigned char version;     /* of the protocol */
    unsigned char sum;         /* of what comes before */
};

enum { VERSION = 3 };

/* The checkpoint after this one; numbers begin again at some time. */
static inline int after(int number)
{
    return (number + 1) % N_NUMBERS;
}

/* A sum by which broken messages are told from others. */
static inline int sum_of(int kind, int number)
{
    return (kind * 31 + number * 7 + VERSION) % 251;
}

const char *name_of(int kind);
void note(const char *who, int number, const char *text, int value);

void manager(void);
void worker(int me);

#endif
