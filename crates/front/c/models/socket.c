//! header: sys/socket.h
// Sockets: what is sent is looked at and lost, what is received may be anything, every call may fail.
typedef __typeof__(sizeof 0) size_t;
typedef __typeof__((char *)0 - (char *)0) ssize_t;

int __model_fail(void);
ssize_t __model_receive(void *bytes, size_t room);

// 0 or, with any error, -1.
static int attempt(void) { return __VERIFIER_nondet_bool() ? 0 : __model_fail(); }

static int descriptor(void) {
    if (attempt()) return -1;
    int number = __VERIFIER_nondet_int();
    __VERIFIER_assume(number > 2);
    __VERIFIER_assume(number < 1024);
    return number;
}

// Reads as sending would, without looking at the values.
static void look_at(const void *bytes, size_t n) {
    if (n == 0) return;
    void *copy = __unpick_alloc(n, 1, 0);
    __unpick_memcpy(copy, bytes, n);
    __unpick_free(copy);
}

// A peer's address, cut to the room there is; how long it is in full is said.
static void any_address(void *address, unsigned *length) {
    if (!address || !length) return;
    __unpick_memany(address, *length);
    unsigned full = __VERIFIER_nondet_uint();
    __VERIFIER_assume(full <= 128);
    *length = full;
}

static ssize_t any_part(size_t n) {
    ssize_t length = __VERIFIER_nondet_long();
    __VERIFIER_assume(length >= -1);
    __VERIFIER_assume(length <= (ssize_t)n);
    if (length == -1) return __model_fail();
    return length;
}

/// socket: any value — fails or yields any descriptor above 2
int socket(int domain, int type, int protocol) {
    (void)domain, (void)type, (void)protocol;
    return descriptor();
}

/// bind: any value — succeeds or fails
int bind(int socket, const void *address, unsigned length) {
    (void)socket;
    look_at(address, length);
    return attempt();
}

/// listen: any value — succeeds or fails
int listen(int socket, int most) {
    (void)socket, (void)most;
    return attempt();
}

/// connect: any value — succeeds or fails
int connect(int socket, const void *address, unsigned length) {
    (void)socket;
    look_at(address, length);
    return attempt();
}

/// accept: any value — fails or yields any descriptor above 2; the peer's address is anything
int accept(int socket, void *restrict address, unsigned *restrict length) {
    (void)socket;
    int number = descriptor();
    if (number >= 0) any_address(address, length);
    return number;
}

/// shutdown: any value — succeeds or fails
int shutdown(int socket, int how) {
    (void)socket, (void)how;
    return attempt();
}

/// setsockopt: any value — succeeds or fails
int setsockopt(int socket, int level, int name, const void *value, unsigned length) {
    (void)socket, (void)level, (void)name;
    look_at(value, length);
    return attempt();
}

/// getsockopt: any value
int getsockopt(int socket, int level, int name, void *restrict value, unsigned *restrict length) {
    (void)socket, (void)level, (void)name;
    if (attempt()) return -1;
    __unpick_memany(value, *length);
    return 0;
}

/// getsockname: any value
int getsockname(int socket, void *restrict address, unsigned *restrict length) {
    (void)socket;
    if (attempt()) return -1;
    any_address(address, length);
    return 0;
}

/// getpeername: any value
int getpeername(int socket, void *restrict address, unsigned *restrict length) {
    return getsockname(socket, address, length);
}

/// send: any value — a part of it is sent, or it fails
ssize_t send(int socket, const void *bytes, size_t n, int flags) {
    (void)socket, (void)flags;
    look_at(bytes, n);
    return any_part(n);
}

/// sendto: any value — as send
ssize_t sendto(int socket, const void *bytes, size_t n, int flags, const void *address, unsigned length) {
    if (address) look_at(address, length);
    return send(socket, bytes, n, flags);
}

/// recv: any value — a part of the room is filled with anything, or it fails
ssize_t recv(int socket, void *bytes, size_t n, int flags) {
    (void)socket, (void)flags;
    __unpick_note("what the program receives may be anything");
    return __model_receive(bytes, n);
}

/// recvfrom: any value — as recv; the peer's address is anything
ssize_t recvfrom(int socket, void *restrict bytes, size_t n, int flags, void *restrict address,
                 unsigned *restrict length) {
    ssize_t received = recv(socket, bytes, n, flags);
    if (received >= 0) any_address(address, length);
    return received;
}

struct pollfd {
    int fd;
    short events;
    short revents;
};

enum { IN = 1, OUT = 4, ERROR = 8, HUNG_UP = 16 };

/// poll: any value — any of what is asked for is ready, or hung up, or failed; without a limit of time at least one is
int poll(struct pollfd *descriptors, unsigned long n, int timeout) {
    __unpick_note("which sockets and files are ready may be anything");
    if (attempt()) return -1;
    int n_ready = 0;
    for (unsigned long i = 0; i < n; i++) {
        short asked = descriptors[i].events, ready = 0;
        if (descriptors[i].fd >= 0 && __VERIFIER_nondet_bool()) {
            if (asked & IN && __VERIFIER_nondet_bool()) ready |= IN;
            if (asked & OUT && __VERIFIER_nondet_bool()) ready |= OUT;
            if (asked & ~(IN | OUT) && __VERIFIER_nondet_bool()) ready |= (short)(asked & ~(IN | OUT));
            if (__VERIFIER_nondet_bool()) ready |= ERROR;
            if (__VERIFIER_nondet_bool()) ready |= HUNG_UP;
        }
        descriptors[i].revents = ready;
        n_ready += ready != 0;
    }
    if (timeout < 0 && n > 0) __VERIFIER_assume(n_ready > 0);
    return n_ready;
}

// Each of the bits that are asked for stays or goes.
static int thin_out(int n, unsigned long *set) {
    int n_ready = 0;
    if (!set) return 0;
    for (int i = 0; i < n; i++) {
        unsigned long bit = 1UL << i % (8 * (int)sizeof *set);
        unsigned long *word = &set[i / (8 * (int)sizeof *set)];
        if (!(*word & bit)) continue;
        if (__VERIFIER_nondet_bool()) n_ready++;
        else *word &= ~bit;
    }
    return n_ready;
}

/// select: any value — any of the descriptors asked for are ready; the rest of the time is anything
int select(int n, unsigned long *restrict reading, unsigned long *restrict writing, unsigned long *restrict failing,
           void *restrict timeout) {
    __unpick_note("which sockets and files are ready may be anything");
    if (attempt()) return -1;
    if (timeout) __unpick_memany(timeout, 2 * sizeof(long));
    return thin_out(n, reading) + thin_out(n, writing) + thin_out(n, failing);
}
