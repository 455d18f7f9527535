// The objects of a linker section are walked from its start to its end.
// run: check
// verdict: verified
// assumption: the objects of section `commands` lie behind each other as they are defined
#include <assert.h>

struct command {
    const char *name;
    int (*run)(int);
};

#define COMMAND(NAME) \
    static struct command NAME##_command __attribute__((section("commands"), used)) = {#NAME, NAME}

static int twice(int n) { return 2 * n; }
static int next(int n) { return n + 1; }
COMMAND(twice);
COMMAND(next);

extern struct command __start_commands[], __stop_commands[];

int main(void) {
    int n = 3, count = 0;
    for (struct command *command = __start_commands; command < __stop_commands; command++, count++)
        n = command->run(n);
    assert(count == 2 && n == 7);
    assert(&twice_command == __start_commands && next_command.name[0] == 'n');
    return 0;
}
