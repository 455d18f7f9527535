/* What the models share: locks, semaphores and condition variables as their C counterparts behave. A condition
   variable is the set of the threads that wait for it, as bits; `me` is the number of the thread. */
#define lock(m)         atomic { m == 0 -> m = 1 }
#define unlock(m)       m = 0
#define sem_wait(s)     atomic { s > 0 -> s-- }
#define sem_post(s)     s++
#define wait(c, m)      atomic { c = c | (1 << me); m = 0 }; atomic { (c & (1 << me)) == 0 && m == 0 -> m = 1 }
#define broadcast(c)    c = 0
#define join_all        (_nr_pr == 1)

inline signal(c)
{
    atomic {
        if
        :: c == 0
        :: c & 1 -> c = c & ~1
        :: c & 2 -> c = c & ~2
        :: c & 4 -> c = c & ~4
        :: c & 8 -> c = c & ~8
        :: c & 16 -> c = c & ~16
        :: c & 32 -> c = c & ~32
        fi
    }
}
