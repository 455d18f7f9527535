/*
 * The manager: brings the workers from one checkpoint to the next.
 *
 * It is in one of three phases. Resting, it waits for the time of the next round. Collecting, it has asked everybody to
 * save and counts the answers. Committing, it has told everybody that the checkpoint stands, and waits until they have
 * heard. Workers join, crash and leave whenever they like.
 *
 * Macros put mistakes in, to see them found:
 *   BUG_LEAVE   a worker that leaves during a round is waited for all the same
 *   BUG_LOST    what does not fit into the socket's buffer is lost
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "protocol.h"

/* What the manager knows of a worker. */
enum standing {
    ABSENT,     /* has not joined yet */
    WORKING,    /* has joined */
    ASKED,      /* is to save */
    READY,      /* has saved */
    TOLD,       /* is to commit */
    GONE        /* has left */
};

enum phase { RESTING, COLLECTING, COMMITTING };

/* What comes instead of a worker when the time of a round has come. */
enum { CLOCK = N_WORKERS };

struct peer {
    enum standing standing;
    unsigned long n_saved;
    unsigned long n_failed;
    unsigned long n_crashes;
    time_t since;
    char address[INET_ADDRSTRLEN];
};

static struct peer peers[N_WORKERS];
static int line[N_WORKERS];         /* sockets */
static enum phase phase;
static unsigned char last;          /* the last checkpoint that stands */
static unsigned char next;          /* the one that is being taken */
static unsigned char pending;       /* workers whose answer is missing */
static unsigned char has_failed;    /* whether somebody could not save */
static unsigned char n_gone;        /* workers that have left */

/* Statistics; nobody decides by them. */
static unsigned long n_rounds, n_commits, n_aborts, n_surprises, n_broken;
static time_t started;

static const char catalogue[] = "checkpoint.catalogue";

/* ---- Sockets ---- */

static int open_port(int port)
{
    struct sockaddr_in address;
    int on = 1;
    int fd;

    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) {
        perror("socket");
        exit(1);
    }
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0)
        perror("setsockopt");
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    address.sin_port = htons((unsigned short)port);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        perror("bind");
        close(fd);
        exit(1);
    }
    if (listen(fd, N_WORKERS) < 0) {
        perror("listen");
        close(fd);
        exit(1);
    }
    return fd;
}

/* Waits until all workers have connected; who they are follows from the order. */
static void accept_workers(int port)
{
    struct sockaddr_in address;
    socklen_t size;
    int fd, who;

    fd = open_port(port);
    for (who = 0; who < N_WORKERS; who++) {
        size = sizeof address;
        line[who] = accept(fd, (struct sockaddr *)&address, &size);
        if (line[who] < 0) {
            if (errno == EINTR) {
                who--;
                continue;
            }
            perror("accept");
            exit(1);
        }
        if (!inet_ntop(AF_INET, &address.sin_addr, peers[who].address, sizeof peers[who].address))
            peers[who].address[0] = '\0';
        peers[who].since = time(NULL);
        note("manager", who, "connected", line[who]);
    }
    close(fd);
}

/* The worker that has something to say, or CLOCK. */
static int next_source(void)
{
    struct pollfd sources[N_WORKERS];
    int who, n_ready;

    for (;;) {
        for (who = 0; who < N_WORKERS; who++) {
            sources[who].fd = peers[who].standing == GONE ? -1 : line[who];
            sources[who].events = POLLIN;
            sources[who].revents = 0;
        }
        n_ready = poll(sources, N_WORKERS, phase == RESTING ? 1000 : -1);
        if (n_ready < 0 && errno != EINTR) {
            perror("poll");
            exit(1);
        }
        if (n_ready == 0)
            return CLOCK;
        for (who = 0; who < N_WORKERS; who++) {
            if (sources[who].revents & (POLLIN | POLLHUP))
                return who;
        }
    }
}

/* Sends a message; whether it went out. */
static int tell(int who, int kind, int number)
{
    struct message out;
    int n_sent;

    out.kind = kind;
    out.number = number;
    out.version = VERSION;
    out.sum = sum_of(kind, number);
#ifdef BUG_LOST
    n_sent = send(line[who], &out, sizeof out, MSG_DONTWAIT);
    (void)n_sent;
    return 1;
#else
    n_sent = send(line[who], &out, sizeof out, 0);
    if (n_sent != (int)sizeof out) {
        note("manager", who, "cannot send", kind);
        return 0;
    }
    return 1;
#endif
}

/* ---- The catalogue: which checkpoint stands ---- */

static int write_catalogue(int number)
{
    char text[64];
    FILE *file;
    int n;

    snprintf(text, sizeof text, "%s.new", catalogue);
    file = fopen(text, "w");
    if (!file) {
        perror(text);
        return 0;
    }
    n = fprintf(file, "%d\n", number);
    if (fclose(file) != 0 || n < 0) {
        perror(text);
        return 0;
    }
    if (rename(text, catalogue) != 0) {
        perror(catalogue);
        return 0;
    }
    return 1;
}

static int read_catalogue(void)
{
    FILE *file;
    int number = 0;

    file = fopen(catalogue, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%d", &number) != 1)
        number = 0;
    fclose(file);
    if (number < 0 || number >= N_NUMBERS)
        number = 0;
    return number;
}

/* ---- Rounds ---- */

/* Asks everybody to save. */
static void begin_round(void)
{
    int who;

    if (phase != RESTING)
        return;
    next = after(last);
    pending = 0;
    has_failed = 0;
    for (who = 0; who < N_WORKERS; who++) {
        if (peers[who].standing == WORKING) {
            peers[who].standing = ASKED;
            pending++;
            tell(who, SAVE, next);
        }
    }
    if (pending > 0) {
        phase = COLLECTING;
        n_rounds++;
        note("manager", next, "begins", pending);
    }
}

/* The checkpoint stands: everybody is told. */
static void commit_round(void)
{
    int who;

    last = next;
    n_commits++;
    note("manager", last, "stands", 0);
    if (!write_catalogue(last))
        note("manager", last, "is not in the catalogue", 0);
    phase = COMMITTING;
    pending = 0;
    for (who = 0; who < N_WORKERS; who++) {
        if (peers[who].standing == READY) {
            peers[who].standing = TOLD;
            pending++;
            tell(who, COMMIT, last);
        }
    }
    if (pending == 0)
        phase = RESTING;
}

/* Somebody could not save: everybody forgets it. */
static void abort_round(void)
{
    int who;

    n_aborts++;
    note("manager", next, "is given up", 0);
    for (who = 0; who < N_WORKERS; who++) {
        if (peers[who].standing == READY) {
            peers[who].standing = WORKING;
            tell(who, ABORT, next);
        }
    }
    phase = RESTING;
}

/* All answers are there. */
static void decide(void)
{
    if (has_failed)
        abort_round();
    else
        commit_round();
}

/* One answer less is missing. */
static void count_down(void)
{
    pending--;
    if (pending > 0)
        return;
    if (phase == COLLECTING)
        decide();
    else
        phase = RESTING;
}

/* ---- Messages ---- */

static void on_hello(int who)
{
    if (peers[who].standing != ABSENT) {
        n_surprises++;
        note("manager", who, "joins twice", 0);
        return;
    }
    peers[who].standing = WORKING;
    tell(who, WELCOME, last);
}

static void on_saved(int who, int number)
{
    if (phase != COLLECTING || peers[who].standing != ASKED || number != next) {
        n_surprises++;
        note("manager", who, "saved too late", number);
        return;
    }
    peers[who].standing = READY;
    peers[who].n_saved++;
    count_down();
}

static void on_failed(int who, int number)
{
    if (phase != COLLECTING || peers[who].standing != ASKED || number != next) {
        n_surprises++;
        note("manager", who, "failed too late", number);
        return;
    }
    peers[who].standing = READY;
    peers[who].n_failed++;
    has_failed = 1;
    count_down();
}

static void on_done(int who, int number)
{
    if (phase != COMMITTING || peers[who].standing != TOLD || number != last) {
        n_surprises++;
        note("manager", who, "committed too late", number);
        return;
    }
    peers[who].standing = WORKING;
    count_down();
}

/* A worker begins again: what it had saved in this round is worth nothing. */
static void on_recover(int who)
{
    int standing;

    peers[who].n_crashes++;
    note("manager", who, "has crashed", last);
    standing = peers[who].standing;
    tell(who, RESTORE, last);
    if (standing == READY)
        has_failed = 1;
    peers[who].standing = WORKING;
    if (standing == ASKED) {
        has_failed = 1;
        count_down();
    }
    if (standing == TOLD)
        count_down();
}

/* A worker leaves, whatever was going on. */
static void on_bye(int who)
{
    int standing;

    standing = peers[who].standing;
    peers[who].standing = GONE;
    n_gone++;
    tell(who, CLOSE, last);
    note("manager", who, "has left", last);
#ifndef BUG_LEAVE
    if (standing == ASKED || standing == TOLD)
        count_down();
#endif
}

static void react(int who, int kind, int number)
{
    switch (kind) {
    case HELLO:
        on_hello(who);
        break;
    case SAVED:
        on_saved(who, number);
        break;
    case FAILED:
        on_failed(who, number);
        break;
    case DONE:
        on_done(who, number);
        break;
    case RECOVER:
        on_recover(who);
        break;
    case BYE:
        on_bye(who);
        break;
    default:
        n_surprises++;
        note("manager", who, "sends nonsense", kind);
    }
}

/* ---- Report ---- */

static const char *standing_name(int who)
{
    switch (peers[who].standing) {
    case ABSENT:
        return "absent";
    case WORKING:
        return "working";
    case ASKED:
        return "asked";
    case READY:
        return "ready";
    case TOLD:
        return "told";
    case GONE:
        return "gone";
    }
    return "?";
}

void report(void)
{
    char when[32];
    struct tm *local;
    time_t now = time(NULL);
    int who;

    local = localtime(&now);
    if (!local || strftime(when, sizeof when, "%H:%M:%S", local) == 0)
        strcpy(when, "?");
    printf("%s: checkpoint %d stands, %lu rounds, %lu commits, %lu aborts in %ld seconds\n", when, last, n_rounds,
           n_commits, n_aborts, (long)(now - started));
    for (who = 0; who < N_WORKERS; who++) {
        printf("  worker %d (%s): %s, saved %lu, failed %lu, crashed %lu times\n", who, peers[who].address,
               standing_name(who), peers[who].n_saved, peers[who].n_failed, peers[who].n_crashes);
    }
    if (n_surprises > 0)
        printf("  %lu messages were not expected\n", n_surprises);
    if (n_broken > 0)
        printf("  %lu messages were broken\n", n_broken);
}

/* ---- The manager ---- */

/* Serves until everybody has left. */
void manager(void)
{
    struct message in;
    int who, n_read;

    started = time(NULL);
    last = read_catalogue();
    accept_workers(PORT);
    while (n_gone < N_WORKERS) {
        who = next_source();
        if (who == CLOCK) {
            begin_round();
            continue;
        }
        n_read = recv(line[who], &in, sizeof in, MSG_WAITALL);
        if (n_read != (int)sizeof in) {
            /* The connection is broken: as if the worker had said good-bye. */
            on_bye(who);
            continue;
        }
        if (in.version != VERSION || in.sum != sum_of(in.kind, in.number)) {
            n_broken++;
            note("manager", who, "sends something broken", in.kind);
            continue;
        }
        react(who, in.kind, in.number);
    }
    report();
}
