//! header: pthread.h
// Threads that wait to be woken: a list of records on their own stacks, in the order of thread numbers, so that the
// order in which they came does not multiply states. Whoever wakes a thread takes it off the list: the object it
// waited for may be gone when it runs.

struct waiter {
    struct waiter *next;
    // What belongs to the wait: the mutex of a condition.
    void *with;
    int thread;
    int is_woken;
};

void __waiters_add(struct waiter **list, struct waiter *waiter, void *with) {
    int me = __unpick_self();
    while (*list && (*list)->thread < me) list = &(*list)->next;
    waiter->next = *list;
    waiter->with = with;
    waiter->thread = me;
    waiter->is_woken = 0;
    *list = waiter;
}

// Nothing is left of where and how the thread waited.
void __waiters_wake(struct waiter *waiter, int how) {
    waiter->next = (struct waiter *)0;
    waiter->with = (void *)0;
    waiter->thread = 0;
    waiter->is_woken = how;
}

static void take_off(struct waiter **place, int how) {
    struct waiter *waiter = *place;
    *place = waiter->next;
    __waiters_wake(waiter, how);
}

void __waiters_remove(struct waiter **list, struct waiter *waiter) {
    while (*list != waiter) list = &(*list)->next;
    take_off(list, 1);
}

// Any of them.
void __waiters_wake_one(struct waiter **list) {
    if (!*list) return;
    while ((*list)->next && __VERIFIER_nondet_bool()) list = &(*list)->next;
    take_off(list, 1);
}

void __waiters_wake_all(struct waiter **list, int how) {
    while (*list) take_off(list, how);
}
