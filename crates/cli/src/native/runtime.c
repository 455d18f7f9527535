// Makes the threads of a compiled program take recorded turns, and gives it recorded inputs.
//
// One thread runs at a time: the one whose turn it is. A turn ends before a recorded access (__unpick_point), inside a
// recorded call (__unpick_enter, __unpick_leave), or where the thread cannot go on. Locks are the real ones, taken by
// trying; what cannot be tried (conditions, barriers, once) is kept in tables here. After the last turn all threads run
// freely. The turns are kept by naps and plain atomic variables, so that they order nothing for a race detector.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 256, MAX_OBJECTS = 1024, MAX_CALLS = 64, STUCK_AFTER = 150 };
enum { EXIT_HANG = 97, EXIT_LOST = 98 };

#define W(name) __unpick_##name
void __unpick_touch(const volatile char *);

// Turns and calls.

static int at;                          // the turn at hand
static __thread int me;                 // 0 is the first thread
static int n_threads = 1;
static int has_ended[MAX_THREADS], is_joined[MAX_THREADS], stuck[MAX_THREADS];
static const char *waits_in[MAX_THREADS];
static pthread_t ids[MAX_THREADS];
static pthread_key_t end_key;
static unsigned passed[MAX_THREADS][N_POINTS + 1];

struct call {
    unsigned point, nth;
    const unsigned long long *answers;
    unsigned n_answers;
};
static __thread struct call calls[MAX_CALLS];
static __thread int depth;

static int now(void) { return __atomic_load_n(&at, __ATOMIC_SEQ_CST); }
static int is_free(void) { return now() >= N_TURNS; }
static int is_mine(void) {
    int turn = now();
    return turn < N_TURNS && turns[turn].thread == me;
}

static void nap(long microseconds) {
    struct timespec time = {0, microseconds * 1000};
    nanosleep(&time, 0);
}

// Gives the turn away.
static void pass(void) { __atomic_fetch_add(&at, 1, __ATOMIC_SEQ_CST); }

static void wait_for_turn(void) {
    for (unsigned n = 0; !is_free() && !is_mine(); n++) {
        int turn = now(), thread = turn < N_TURNS ? turns[turn].thread : -1;
        // A thread that ended sooner than it should have takes no turn.
        if (thread >= 0 && thread < n_threads && __atomic_load_n(&has_ended[thread], __ATOMIC_SEQ_CST))
            __atomic_compare_exchange_n(&at, &turn, turn + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        // A thread that does nothing of interest any more is not waited for.
        if (turn < N_TURNS && turns[turn].how == ANYWHERE && turn + 1 < N_TURNS && turns[turn + 1].thread == me && n > 2000)
            __atomic_compare_exchange_n(&at, &turn, turn + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        if (n < 100)
            sched_yield();
        else
            nap(50);
    }
}

static void yield(void) {
    pass();
    wait_for_turn();
}

static int is_over(int how, unsigned point, unsigned nth) {
    if (!is_mine()) return 0;
    const struct turn *turn = &turns[now()];
    return turn->how == how && turn->point == point && turn->nth == nth;
}

void __unpick_point(unsigned point) {
    unsigned nth = ++passed[me][point];
    if (is_over(BEFORE, point, nth)) yield();
}

void __unpick_enter(unsigned point) {
    unsigned nth = ++passed[me][point];
    if (is_over(BEFORE, point, nth)) yield();
    if (depth + 1 < MAX_CALLS) depth++;
    struct call *call = &calls[depth];
    *call = (struct call){point, nth, 0, 0};
    for (unsigned i = 0; i < N_ANSWERS; i++)
        if (answers[i].thread == me && answers[i].point == point && answers[i].nth == nth) {
            call->answers = answer_values + answers[i].first;
            call->n_answers = answers[i].n;
        }
}

void __unpick_leave(unsigned point) {
    while (is_over(INSIDE, point, calls[depth].nth)) yield();
    if (depth > 0) depth--;
}

// A place inside a call where others may come between: behind so many of its indivisible parts, or any (0).
static void middle(unsigned n_parts) {
    if (depth == 0 || !is_over(INSIDE, calls[depth].point, calls[depth].nth)) return;
    if (n_parts == 0 || turns[now()].n_parts == n_parts) yield();
}

static unsigned long long answer(unsigned n) {
    return depth > 0 && n < calls[depth].n_answers ? calls[depth].answers[n] : 0;
}

static void hang(void) {
    for (int thread = 0; thread < n_threads; thread++)
        if (!has_ended[thread] && stuck[thread] < STUCK_AFTER) return;
    fprintf(stderr, "unpick-replay: hang: no thread can go on\n");
    for (int thread = 0; thread < n_threads; thread++)
        if (!has_ended[thread]) fprintf(stderr, "unpick-replay: thread %d waits in %s\n", thread, waits_in[thread]);
    fflush(0);
    _exit(EXIT_HANG);
}

// The thread cannot go on; it looks again later.
static void blocked(const char *where) {
    waits_in[me] = where;
    if (!is_free()) {
        if (is_mine()) pass();
        wait_for_turn();
        return;
    }
    nap(1000);
    stuck[me]++;
    hang();
}

static void unblocked(void) { stuck[me] = 0; }

static void end(void) {
    __atomic_store_n(&has_ended[me], 1, __ATOMIC_SEQ_CST);
    if (is_mine()) pass();
}

// Destructors of the program's own keys come first: ours asks to be called again a few times.
static void end_of_thread(void *round) {
    if ((long)round < 3)
        pthread_setspecific(end_key, (void *)((long)round + 1));
    else
        end();
}

static void lost(int signal) {
    (void)signal;
    static const char text[] = "unpick-replay: lost: the threads did not come to an end in time\n";
    if (write(2, text, sizeof text - 1) < 0) _exit(EXIT_LOST);
    _exit(EXIT_LOST);
}

// `main` has returned: what it lent may still be used before the process ends.
static void at_exit(void) {
    if (is_mine() && now() + 1 < N_TURNS) {
        pass();
        for (int n = 0; n < 2000 && !is_mine(); n++) nap(1000);
    }
}

__attribute__((constructor)) static void prepare(void) {
    atexit(at_exit);
    pthread_key_create(&end_key, end_of_thread);
    ids[0] = pthread_self();
    signal(SIGALRM, lost);
    alarm(60);
    setvbuf(stdout, 0, _IOLBF, 4096);
}

// Inputs.

static unsigned next_input[MAX_THREADS];

static unsigned __int128 input(void) {
    for (unsigned i = next_input[me]; i < N_INPUTS; i++)
        if (inputs[i].thread == me) {
            next_input[me] = i + 1;
            return (unsigned __int128)inputs[i].high << 64 | inputs[i].low;
        }
    next_input[me] = N_INPUTS;
    return 0;
}

void __unpick_input(void *to, unsigned long size) {
    unsigned __int128 value = input();
    memset(to, 0, size);
    memcpy(to, &value, size < sizeof value ? size : sizeof value);
}

// The result of a function without a body.
static unsigned __int128 result(void) { return depth > 0 && calls[depth].n_answers ? answer(0) : input(); }

void __unpick_result(void *to, unsigned long size) {
    unsigned __int128 value = result();
    memset(to, 0, size);
    memcpy(to, &value, size < sizeof value ? size : sizeof value);
}

void *__unpick_object(unsigned long size) { return result() ? calloc(1, size) : 0; }

#define NONDET(word, type) \
    type __VERIFIER_nondet_##word(void) { \
        type value; \
        __unpick_input(&value, sizeof value); \
        return value; \
    }
NONDET(char, char)
NONDET(schar, signed char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(size_t, size_t)
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
NONDET(float, float)
NONDET(double, double)
NONDET(pointer, void *)
NONDET(u8, unsigned char)
NONDET(u16, unsigned short)
NONDET(u32, unsigned)
NONDET(U8, unsigned char)
NONDET(U16, unsigned short)
NONDET(U32, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_char, unsigned char)
NONDET(unsigned_int, unsigned)
NONDET(pchar, char *)
_Bool __VERIFIER_nondet_bool(void) { return input() & 1; }

void __VERIFIER_assume(int holds) {
    if (holds) return;
    end();
    for (;;) pause();
}
void __CPROVER_assume(_Bool holds) { __VERIFIER_assume(holds); }
static void fail(const char *what) {
    fflush(stdout);
    fprintf(stderr, "unpick-replay: failed: %s\n", what);
    abort();
}
__attribute__((weak)) void __VERIFIER_error(void) { fail("__VERIFIER_error() was called"); }
__attribute__((weak)) void reach_error(void) { fail("reach_error() was called"); }
__attribute__((weak)) void __VERIFIER_assert(int holds) {
    if (!holds) fail("__VERIFIER_assert()");
}
void __CPROVER_assert(_Bool holds, const char *text) {
    if (!holds) fail(text);
}
void __CPROVER_output(const char *what, ...) { (void)what; }
void __VERIFIER_atomic_begin(void) {}
void __VERIFIER_atomic_end(void) {}
void __CPROVER_atomic_begin(void) {}
void __CPROVER_atomic_end(void) {}

// Threads.

struct start {
    void *(*function)(void *);
    int (*c11)(void *);
    void *argument;
    int number;
};

static void *begin(void *given) {
    struct start start = *(struct start *)given;
    me = start.number;
    pthread_setspecific(end_key, (void *)1);
    wait_for_turn();
    return start.c11 ? (void *)(long)start.c11(start.argument) : start.function(start.argument);
}

static struct start starts[MAX_THREADS];

static int create(pthread_t *id, const pthread_attr_t *attributes, struct start start) {
    if (answer(0) || n_threads == MAX_THREADS) return EAGAIN;
    pthread_t made;
    start.number = n_threads;
    starts[n_threads] = start;
    int error = pthread_create(&made, attributes, begin, &starts[n_threads]);
    if (error == 0) {
        *id = ids[n_threads] = made;
        n_threads++;
    }
    return error;
}

int W(pthread_create)(pthread_t *id, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    return create(id, attributes, (struct start){function, 0, argument, 0});
}

static int number_of(pthread_t id) {
    for (int thread = n_threads - 1; thread >= 0; thread--)
        if (!is_joined[thread] && pthread_equal(ids[thread], id)) return thread;
    return -1;
}

static int join(pthread_t id, void **result, const char *name) {
    int thread = number_of(id);
    if (thread >= 0) {
        while (!has_ended[thread]) blocked(name);
        unblocked();
        is_joined[thread] = 1;
        middle(0);
    }
    return thread == 0 ? 0 : pthread_join(id, result);
}

int W(pthread_join)(pthread_t id, void **result) { return join(id, result, "pthread_join"); }
int W(pthread_tryjoin_np)(pthread_t id, void **result) {
    int thread = number_of(id);
    return thread >= 0 && !has_ended[thread] ? EBUSY : join(id, result, "pthread_tryjoin_np");
}
int W(pthread_timedjoin_np)(pthread_t id, void **result, const struct timespec *until) {
    (void)until;
    int thread = number_of(id);
    return thread >= 0 && !has_ended[thread] ? ETIMEDOUT : join(id, result, "pthread_timedjoin_np");
}

static _Noreturn void leave(void *result) {
    if (me != 0) pthread_exit(result);
    __atomic_store_n(&has_ended[0], 1, __ATOMIC_SEQ_CST);
    for (;;) {
        int n_left = 0;
        for (int thread = 1; thread < n_threads; thread++) n_left += !has_ended[thread];
        if (n_left == 0) exit(0);
        blocked("pthread_exit");
    }
}
_Noreturn void W(pthread_exit)(void *result) { leave(result); }
_Noreturn void W(thrd_exit)(int result) { leave((void *)(long)result); }

int W(thrd_create)(thrd_t *id, int (*function)(void *), void *argument) {
    return create(id, 0, (struct start){0, function, argument, 0}) == 0 ? thrd_success : thrd_error;
}
int W(thrd_join)(thrd_t id, int *result) {
    void *left;
    if (join(id, &left, "thrd_join") != 0) return thrd_error;
    if (result) *result = (int)(long)left;
    return thrd_success;
}
void W(thrd_yield)(void) {}
int W(thrd_sleep)(const struct timespec *time, struct timespec *left) { return (void)time, (void)left, 0; }
int W(sched_yield)(void) { return 0; }
unsigned W(sleep)(unsigned seconds) { return (void)seconds, 0; }
int W(usleep)(unsigned microseconds) { return (void)microseconds, 0; }
int W(nanosleep)(const struct timespec *time, struct timespec *left) { return (void)time, (void)left, 0; }

// Locks.

static const struct timespec past = {0, 0};

int W(pthread_mutex_lock)(pthread_mutex_t *mutex) {
    __unpick_touch((void *)mutex);
    int error;
    while ((error = pthread_mutex_timedlock(mutex, &past)) == ETIMEDOUT) blocked("pthread_mutex_lock");
    unblocked();
    return error;
}
int W(pthread_mutex_timedlock)(pthread_mutex_t *mutex, const struct timespec *until) {
    (void)until;
    return pthread_mutex_timedlock(mutex, &past);
}
int W(pthread_mutex_unlock)(pthread_mutex_t *mutex) {
    __unpick_touch((void *)mutex);
    return pthread_mutex_unlock(mutex);
}
int W(pthread_mutex_init)(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    return answer(0) ? EAGAIN : pthread_mutex_init(mutex, attributes);
}
int W(mtx_lock)(mtx_t *mutex) {
    __unpick_touch((void *)mutex);
    int error;
    while ((error = mtx_trylock(mutex)) == thrd_busy) blocked("mtx_lock");
    unblocked();
    return error;
}
int W(mtx_timedlock)(mtx_t *mutex, const struct timespec *until) {
    (void)until;
    int error = mtx_trylock(mutex);
    return error == thrd_busy ? thrd_timedout : error;
}
int W(pthread_rwlock_rdlock)(pthread_rwlock_t *lock) {
    __unpick_touch((void *)lock);
    int error;
    while ((error = pthread_rwlock_tryrdlock(lock)) == EBUSY) blocked("pthread_rwlock_rdlock");
    unblocked();
    return error;
}
int W(pthread_rwlock_wrlock)(pthread_rwlock_t *lock) {
    __unpick_touch((void *)lock);
    int error;
    while ((error = pthread_rwlock_trywrlock(lock)) == EBUSY) blocked("pthread_rwlock_wrlock");
    unblocked();
    return error;
}
int W(pthread_rwlock_timedrdlock)(pthread_rwlock_t *lock, const struct timespec *until) {
    (void)until;
    int error = pthread_rwlock_tryrdlock(lock);
    return error == EBUSY ? ETIMEDOUT : error;
}
int W(pthread_rwlock_timedwrlock)(pthread_rwlock_t *lock, const struct timespec *until) {
    (void)until;
    int error = pthread_rwlock_trywrlock(lock);
    return error == EBUSY ? ETIMEDOUT : error;
}
int W(pthread_spin_lock)(pthread_spinlock_t *lock) {
    __unpick_touch((void *)lock);
    int error;
    while ((error = pthread_spin_trylock(lock)) == EBUSY) blocked("pthread_spin_lock");
    unblocked();
    return error;
}
int W(sem_wait)(sem_t *semaphore) {
    __unpick_touch((void *)semaphore);
    while (sem_trywait(semaphore) != 0) {
        if (errno != EAGAIN) return -1;
        blocked("sem_wait");
    }
    unblocked();
    return 0;
}
int W(sem_post)(sem_t *semaphore) {
    __unpick_touch((void *)semaphore);
    return sem_post(semaphore);
}
int W(sem_timedwait)(sem_t *semaphore, const struct timespec *until) {
    (void)until;
    if (sem_trywait(semaphore) == 0) return 0;
    if (errno == EAGAIN) errno = ETIMEDOUT;
    return -1;
}

// Threads that wait to be woken, by number.

static struct { const void *object; int is_woken; } waiting[MAX_THREADS];

static int nth_waiter(const void *object, int n) {
    for (int thread = 0; thread < n_threads; thread++)
        if (waiting[thread].object == object && n-- == 0) return thread;
    return -1;
}
static void wake(int thread, int how) {
    waiting[thread].object = 0;
    waiting[thread].is_woken = how;
}
static void wake_one(const void *object) {
    int n = 0;
    while (nth_waiter(object, n + 1) >= 0 && answer((unsigned)n)) n++;
    int thread = nth_waiter(object, n);
    if (thread >= 0) wake(thread, 1);
}
static void wake_all(const void *object) {
    for (int thread; (thread = nth_waiter(object, 0)) >= 0;) wake(thread, 1);
}
static void queue_up(const void *object) {
    waiting[me].object = object;
    waiting[me].is_woken = 0;
}
static void wait_for_signal(const void *condition, const char *name) {
    queue_up(condition);
    if (answer(0)) wake(me, 1);
    middle(0);
    while (!waiting[me].is_woken) blocked(name);
    unblocked();
}
static int wait_in_time(const void *condition) {
    queue_up(condition);
    if (answer(0)) wake(me, 1);
    middle(1);
    int is_late = !waiting[me].is_woken;
    wake(me, 1);
    middle(2);
    return is_late;
}
int W(pthread_cond_wait)(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    __unpick_touch((void *)condition);
    pthread_mutex_unlock(mutex);
    wait_for_signal(condition, "pthread_cond_wait");
    return W(pthread_mutex_lock)(mutex);
}
int W(pthread_cond_timedwait)(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    if (until->tv_nsec < 0 || until->tv_nsec >= 1000000000) return EINVAL;
    pthread_mutex_unlock(mutex);
    int is_late = wait_in_time(condition);
    W(pthread_mutex_lock)(mutex);
    return is_late ? ETIMEDOUT : 0;
}
int W(pthread_cond_signal)(pthread_cond_t *condition) {
    __unpick_touch((void *)condition);
    wake_one(condition);
    return 0;
}
int W(pthread_cond_broadcast)(pthread_cond_t *condition) {
    __unpick_touch((void *)condition);
    wake_all(condition);
    return 0;
}
int W(pthread_cond_destroy)(pthread_cond_t *condition) { return (void)condition, 0; }
int W(cnd_wait)(cnd_t *condition, mtx_t *mutex) {
    __unpick_touch((void *)condition);
    mtx_unlock(mutex);
    wait_for_signal(condition, "cnd_wait");
    return W(mtx_lock)(mutex);
}
int W(cnd_timedwait)(cnd_t *condition, mtx_t *mutex, const struct timespec *until) {
    (void)until;
    mtx_unlock(mutex);
    int is_late = wait_in_time(condition);
    W(mtx_lock)(mutex);
    return is_late ? thrd_timedout : thrd_success;
}
int W(cnd_signal)(cnd_t *condition) { return wake_one(condition), thrd_success; }
int W(cnd_broadcast)(cnd_t *condition) { return wake_all(condition), thrd_success; }
void W(cnd_destroy)(cnd_t *condition) { (void)condition; }

// Barriers and functions that run once.

static struct { const void *object; unsigned n_needed, n_arrived; int state; } objects[MAX_OBJECTS];

static int object_of(const void *object) {
    int at = 0;
    while (at < MAX_OBJECTS - 1 && objects[at].object && objects[at].object != object) at++;
    objects[at].object = object;
    return at;
}
int W(pthread_barrier_init)(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned n_needed) {
    (void)attributes;
    if (n_needed == 0) return EINVAL;
    int object = object_of(barrier);
    objects[object].n_needed = n_needed;
    objects[object].n_arrived = 0;
    return 0;
}
int W(pthread_barrier_destroy)(pthread_barrier_t *barrier) { return (void)barrier, 0; }
int W(pthread_barrier_wait)(pthread_barrier_t *barrier) {
    __unpick_touch((void *)barrier);
    int object = object_of(barrier);
    if (++objects[object].n_arrived == objects[object].n_needed) {
        int n = 0;
        while (nth_waiter(barrier, n) >= 0 && answer((unsigned)n)) n++;
        int special = nth_waiter(barrier, n);
        wake_all(barrier);
        objects[object].n_arrived = 0;
        if (special >= 0) waiting[special].is_woken = 2;
        return special >= 0 ? 0 : PTHREAD_BARRIER_SERIAL_THREAD;
    }
    queue_up(barrier);
    middle(0);
    while (!waiting[me].is_woken) blocked("pthread_barrier_wait");
    unblocked();
    return waiting[me].is_woken == 2 ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

static void once(const void *flag, void (*function)(void), const char *name) {
    int object = object_of(flag);
    while (objects[object].state == 1) blocked(name);
    unblocked();
    if (objects[object].state == 2) return;
    objects[object].state = 1;
    function();
    objects[object].state = 2;
}
int W(pthread_once)(pthread_once_t *flag, void (*function)(void)) { return once(flag, function, "pthread_once"), 0; }
void W(call_once)(once_flag *flag, void (*function)(void)) { once(flag, function, "call_once"); }

// Functions of the library that may fail or give any value.

void *W(malloc)(size_t size) { return answer(0) ? 0 : malloc(size); }
void *W(calloc)(size_t n, size_t size) { return answer(0) ? 0 : calloc(n, size); }
int W(rand)(void) { return depth > 0 && calls[depth].n_answers ? (int)answer(0) : rand(); }
long W(random)(void) { return depth > 0 && calls[depth].n_answers ? (long)answer(0) : random(); }

const char *__asan_default_options(void) {
    return "detect_stack_use_after_return=1:handle_abort=0:detect_leaks=" DETECT_LEAKS ":color=never";
}
const char *__tsan_default_options(void) { return "halt_on_error=1:color=never:report_bugs=1"; }
const char *__ubsan_default_options(void) { return "halt_on_error=1:color=never"; }
