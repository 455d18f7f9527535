// The kind of a mutex is found on 32-bit targets too, here with the layout of glibc.
// run: check --target ilp32
// verdict: verified
typedef union {
    struct {
        int lock;
        unsigned count;
        int owner, kind;
        unsigned n_users;
        void *list;
    } data;
    char size[24];
} pthread_mutex_t;

extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);

static pthread_mutex_t mutex = {.data = {.kind = 1}};

int main(void) {
    if (pthread_mutex_lock(&mutex) != 0 || pthread_mutex_lock(&mutex) != 0) __builtin_trap();
    if (pthread_mutex_unlock(&mutex) != 0 || pthread_mutex_unlock(&mutex) != 0) __builtin_trap();
    return 0;
}
