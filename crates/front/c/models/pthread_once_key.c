//! header: pthread.h
// Initialisation once, and values that each thread has of its own. The values of a thread are a list without nulls,
// because a state of the program should hold no more than was set.

typedef unsigned pthread_key_t;

/// pthread_once: exact
int pthread_once(int *once, void (*function)(void)) {
    // 0 not yet, 1 running, 2 done.
    __unpick_atomic_begin();
    __unpick_wait(*once != 1);
    int is_first = *once == 0;
    if (is_first) *once = 1;
    __unpick_atomic_end();
    if (is_first) {
        function();
        __unpick_atomic_begin();
        *once = 2;
        __unpick_atomic_end();
    }
    return 0;
}

struct key {
    struct key *next;
    pthread_key_t number;
    void (*destructor)(void *);
};

struct value {
    struct value *next;
    pthread_key_t key;
    void *value;
};

static struct key *keys;
static pthread_key_t n_keys;
static _Thread_local struct value *values;

extern _Thread_local void (*__thread_cleanup)(void);

static struct key **find_key(pthread_key_t number) {
    struct key **place = &keys;
    while (*place && (*place)->number != number) place = &(*place)->next;
    return place;
}

/// pthread_key_create: exact — fails only with `--library-fails`, or beyond 1024 keys
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    if (__unpick_option("library-fails") && __VERIFIER_nondet_bool()) return 11;
    __unpick_atomic_begin();
    int is_full = n_keys == 1024;
    if (!is_full) {
        struct key *made = __unpick_alloc(sizeof *made, 16, 0);
        made->next = keys;
        made->number = n_keys++;
        made->destructor = destructor;
        keys = made;
        *key = made->number;
    }
    __unpick_atomic_end();
    return is_full ? 11 : 0;
}

/// pthread_key_delete: exact — numbers of deleted keys are not used again
int pthread_key_delete(pthread_key_t number) {
    __unpick_atomic_begin();
    struct key **place = find_key(number), *key = *place;
    if (key) {
        *place = key->next;
        __unpick_free(key);
    }
    __unpick_atomic_end();
    return key ? 0 : 22;
}

// Where the value of a key is or should be; the list is in the order of keys.
static struct value **find_value(pthread_key_t key) {
    struct value **place = &values;
    while (*place && (*place)->key < key) place = &(*place)->next;
    return place;
}

/// pthread_getspecific: exact
void *pthread_getspecific(pthread_key_t key) {
    struct value *found = *find_value(key);
    return found && found->key == key ? found->value : (void *)0;
}

static int is_live(pthread_key_t number) {
    __unpick_atomic_begin();
    int is_there = *find_key(number) != 0;
    __unpick_atomic_end();
    return is_there;
}

static void set(pthread_key_t key, void *value) {
    struct value **place = find_value(key), *found = *place;
    int is_there = found && found->key == key;
    if (is_there && !value) {
        *place = found->next;
        __unpick_free(found);
    } else if (is_there) {
        found->value = value;
    } else if (value) {
        struct value *added = __unpick_alloc(sizeof *added, 16, 0);
        added->next = found;
        added->key = key;
        added->value = value;
        *place = added;
    }
}

static void (*destructor_of(pthread_key_t number))(void *) {
    __unpick_atomic_begin();
    struct key *key = *find_key(number);
    void (*destructor)(void *) = key ? key->destructor : (void (*)(void *))0;
    __unpick_atomic_end();
    return destructor;
}

// One round at the end of a thread: every value goes to the destructor of its key.
static void destroy_values(void) {
    pthread_key_t next_key = 0;
    for (;;) {
        struct value *found = *find_value(next_key);
        if (!found) return;
        pthread_key_t key = found->key;
        void *value = found->value;
        void (*destructor)(void *) = destructor_of(key);
        set(key, (void *)0);
        if (destructor) destructor(value);
        next_key = key + 1;
    }
}

static void clean_up(void) {
    for (int round = 0; round < 4 && values; round++) destroy_values();
    while (values) set(values->key, (void *)0);
}

/// pthread_setspecific: exact — destructors run when the thread ends, in at most four rounds
int pthread_setspecific(pthread_key_t key, const void *value) {
    if (!is_live(key)) return 22;
    set(key, (void *)value);
    __thread_cleanup = clean_up;
    return 0;
}
