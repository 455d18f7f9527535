/*
 * A worker: computes, saves when the manager asks for it, and begins again where the last checkpoint was.
 *
 * Between SAVE and the manager's decision nothing is computed, so that all workers' states fit together.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protocol.h"

enum { N_CELLS = 4096 };

/* What a worker does next, if no message is there. */
enum activity { COMPUTE, LISTEN, CRASH, LEAVE };

enum mood {
    STARTING,    /* waits for WELCOME */
    BUSY,        /* computes */
    FROZEN,      /* has saved, waits for the decision */
    RECOVERING,  /* waits for RESTORE */
    LEAVING      /* waits for CLOSE */
};

struct worker {
    enum mood mood;
    unsigned char last;      /* the last checkpoint */
    unsigned char saved;     /* what is saved, but does not stand yet */
    unsigned char has_saved;
    /* What it is all about; nobody decides by it. */
    double cells[N_CELLS];
    unsigned long n_steps;
    unsigned long n_saves;
    unsigned long n_restores;
    unsigned long n_surprises;
};

struct worker workers[N_WORKERS];
static int up[N_WORKERS];    /* sockets */

/* ---- Computation ---- */

static void fill(int me)
{
    int i;

    for (i = 0; i < N_CELLS; i++)
        workers[me].cells[i] = (double)(i * (me + 1)) / N_CELLS;
}

/* One step: heat spreads. */
static void compute(int me)
{
    double before = workers[me].cells[0];
    int i;

    for (i = 1; i + 1 < N_CELLS; i++) {
        double here = workers[me].cells[i];

        workers[me].cells[i] = (before + here + workers[me].cells[i + 1]) / 3;
        before = here;
    }
    workers[me].n_steps++;
}

/* ---- Files ---- */

static void file_name(char *text, size_t size, int me, int number)
{
    snprintf(text, size, "checkpoint.%d.%d", me, number);
}

/* Writes everything down; whether that was possible. */
static int write_cells(int me, int number)
{
    char text[64];
    FILE *file;
    size_t n;

    file_name(text, sizeof text, me, number);
    file = fopen(text, "wb");
    if (!file) {
        perror(text);
        return 0;
    }
    n = fwrite(workers[me].cells, sizeof workers[me].cells[0], N_CELLS, file);
    if (fclose(file) != 0 || n != N_CELLS) {
        perror(text);
        remove(text);
        return 0;
    }
    workers[me].n_saves++;
    return 1;
}

/* Reads everything back; the first checkpoint has no file. */
static void read_cells(int me, int number)
{
    char text[64];
    FILE *file;
    size_t n;

    file_name(text, sizeof text, me, number);
    file = fopen(text, "rb");
    if (!file) {
        fill(me);
        return;
    }
    n = fread(workers[me].cells, sizeof workers[me].cells[0], N_CELLS, file);
    if (n != N_CELLS) {
        fprintf(stderr, "%s: too short\n", text);
        fill(me);
    }
    fclose(file);
    workers[me].n_restores++;
}

static void remove_cells(int me, int number)
{
    char text[64];

    file_name(text, sizeof text, me, number);
    if (remove(text) != 0 && errno != ENOENT)
        perror(text);
}

/* ---- Sockets ---- */

static int connect_to_manager(int me)
{
    struct sockaddr_in address;
    int fd, n_tries;

    for (n_tries = 0; n_tries < 10; n_tries++) {
        fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd < 0) {
            perror("socket");
            exit(1);
        }
        memset(&address, 0, sizeof address);
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(PORT);
        if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
            note("worker", me, "connected", fd);
            return fd;
        }
        close(fd);
        sleep(1);
    }
    fprintf(stderr, "worker %d: nobody is there\n", me);
    exit(1);
}

static void say(int me, int kind, int number)
{
    struct message out;
    int n_sent;

    out.kind = kind;
    out.number = number;
    out.version = VERSION;
    out.sum = sum_of(kind, number);
    n_sent = send(up[me], &out, sizeof out, 0);
    if (n_sent != (int)sizeof out)
        note("worker", me, "cannot send", kind);
}

/* Whether the user wants something, or the manager. */
static int next_activity(int me)
{
    fd_set sources;
    struct timeval no_time = {0, 0};

    if (getenv("WORKER_LEAVES"))
        return LEAVE;
    if (getenv("WORKER_CRASHES"))
        return CRASH;
    FD_ZERO(&sources);
    FD_SET(up[me], &sources);
    if (select(up[me] + 1, &sources, NULL, NULL, &no_time) > 0)
        return LISTEN;
    return COMPUTE;
}

/* ---- Messages ---- */

static void on_welcome(int me, int number)
{
    if (workers[me].mood != STARTING)
        return;
    workers[me].last = number;
    workers[me].mood = BUSY;
    read_cells(me, number);
}

/* Saves, and says whether that was possible. Who is leaving or recovering does not save. */
static void on_save(int me, int number)
{
    if (workers[me].mood != BUSY) {
        workers[me].n_surprises++;
        note("worker", me, "cannot save now", number);
        return;
    }
    workers[me].mood = FROZEN;
    if (write_cells(me, number)) {
        workers[me].saved = number;
        workers[me].has_saved = 1;
        say(me, SAVED, number);
    } else {
        workers[me].has_saved = 0;
        say(me, FAILED, number);
    }
}

static void on_commit(int me, int number)
{
    if (workers[me].mood != FROZEN) {
        workers[me].n_surprises++;
        note("worker", me, "commit while not frozen", number);
        return;
    }
    remove_cells(me, workers[me].last);
    workers[me].last = number;
    workers[me].has_saved = 0;
    workers[me].mood = BUSY;
    say(me, DONE, number);
}

static void on_abort(int me, int number)
{
    if (workers[me].mood != FROZEN) {
        workers[me].n_surprises++;
        note("worker", me, "abort while not frozen", number);
        return;
    }
    if (workers[me].has_saved)
        remove_cells(me, number);
    workers[me].has_saved = 0;
    workers[me].mood = BUSY;
}

static void on_restore(int me, int number)
{
    if (workers[me].mood != RECOVERING) {
        workers[me].n_surprises++;
        note("worker", me, "restore without need", number);
        return;
    }
    workers[me].last = number;
    workers[me].has_saved = 0;
    workers[me].mood = BUSY;
    read_cells(me, number);
}

static void hear(int me, int kind, int number)
{
    switch (kind) {
    case WELCOME:
        on_welcome(me, number);
        break;
    case SAVE:
        on_save(me, number);
        break;
    case COMMIT:
        on_commit(me, number);
        break;
    case ABORT:
        on_abort(me, number);
        break;
    case RESTORE:
        on_restore(me, number);
        break;
    case CLOSE:
        note("worker", me, "is dismissed", number);
        break;
    default:
        workers[me].n_surprises++;
        note("worker", me, "hears nonsense", kind);
    }
}

/* ---- The worker ---- */

/* Everything in memory is lost. */
static void crash(int me)
{
    note("worker", me, "crashes", workers[me].last);
    memset(workers[me].cells, 0, sizeof workers[me].cells);
    workers[me].mood = RECOVERING;
    workers[me].saved = 0;
    workers[me].has_saved = 0;
    workers[me].last = 0;
    say(me, RECOVER, 0);
}

static void leave(int me)
{
    note("worker", me, "leaves", workers[me].last);
    workers[me].mood = LEAVING;
    say(me, BYE, 0);
}

/* Works until it leaves and has been let go. */
void worker(int me)
{
    struct message in;
    int activity, n_read;

    workers[me].mood = STARTING;
    up[me] = connect_to_manager(me);
    fill(me);
    say(me, HELLO, 0);
    for (;;) {
        activity = next_activity(me);
        if (activity == COMPUTE) {
            compute(me);
            continue;
        }
        if (activity == CRASH) {
            crash(me);
            continue;
        }
        if (activity == LEAVE) {
            leave(me);
            continue;
        }
        n_read = recv(up[me], &in, sizeof in, MSG_WAITALL);
        if (n_read != (int)sizeof in) {
            note("worker", me, "has lost the manager", n_read);
            break;
        }
        if (in.version != VERSION || in.sum != sum_of(in.kind, in.number)) {
            note("worker", me, "hears something broken", in.kind);
            continue;
        }
        hear(me, in.kind, in.number);
        if (in.kind == CLOSE)
            break;
    }
    close(up[me]);
    note("worker", me, "ends", workers[me].last);
}
