/* The command: a manager or a worker, and what both write down. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "protocol.h"

static int is_quiet;
static FILE *journal;

const char *name_of(int kind)
{
    static const char *const names[] = {
        "HELLO", "SAVED", "FAILED", "DONE", "RECOVER", "BYE", "WELCOME", "SAVE", "COMMIT", "ABORT", "RESTORE", "CLOSE",
    };

    if (kind < 0 || kind >= (int)(sizeof names / sizeof names[0]))
        return "?";
    return names[kind];
}

void note(const char *who, int number, const char *text, int value)
{
    FILE *file = journal ? journal : stderr;

    if (is_quiet)
        return;
    fprintf(file, "%ld %s %d %s %d\n", (long)time(NULL), who, number, text, value);
    fflush(file);
}

static void usage(void)
{
    int kind;

    fputs("usage: checkpoint manager [-q] [-j FILE]\n"
          "       checkpoint worker NUMBER [-q] [-j FILE]\n"
          "messages:",
          stderr);
    for (kind = HELLO; kind <= CLOSE; kind++)
        fprintf(stderr, " %s", name_of(kind));
    fputs("\n", stderr);
    exit(2);
}

static void read_options(int argc, char **argv, int first)
{
    int i;

    for (i = first; i < argc; i++) {
        if (strcmp(argv[i], "-q") == 0) {
            is_quiet = 1;
        } else if (strcmp(argv[i], "-j") == 0 && i + 1 < argc) {
            journal = fopen(argv[++i], "a");
            if (!journal) {
                perror(argv[i]);
                exit(1);
            }
        } else {
            usage();
        }
    }
}

int main(int argc, char **argv)
{
    int number;

    signal(SIGPIPE, SIG_IGN);
    if (argc >= 2 && strcmp(argv[1], "manager") == 0) {
        read_options(argc, argv, 2);
        manager();
        return 0;
    }
    if (argc >= 3 && strcmp(argv[1], "worker") == 0) {
        number = atoi(argv[2]);
        if (number < 0 || number >= N_WORKERS)
            usage();
        read_options(argc, argv, 3);
        worker(number);
        return 0;
    }
    usage();
    return 2;
}
