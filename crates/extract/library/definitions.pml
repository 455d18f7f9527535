bool thread_ended[16];

chan message[8] = [4] of { int };

inline thread_join(the_thread) {
    (thread_ended[the_thread])
}

inline mutex_lock(the_lock) {
    atomic { the_lock == 0 -> the_lock = _pid + 1 }
}

inline mutex_unlock(the_lock) {
    d_step { assert(the_lock == _pid + 1); the_lock = 0 }
}

inline mutex_trylock(the_lock, the_result, the_reason) {
    atomic {
        if
        :: the_lock == 0 -> the_lock = _pid + 1; the_result = 0
        :: the_lock != 0 -> the_result = the_reason
        fi
    }
}

inline condition_wait(the_condition, the_lock) {
    atomic {
        assert(the_lock == _pid + 1);
        if
        :: the_condition = the_condition | (1 << _pid)
        :: skip /* the wait ends by itself */
        fi;
        the_lock = 0
    };
    atomic { ((the_condition >> _pid) & 1) == 0 && the_lock == 0 -> the_lock = _pid + 1 }
}

inline condition_wait_for_signal(the_condition, the_lock) {
    d_step { assert(the_lock == _pid + 1); the_condition = the_condition | (1 << _pid); the_lock = 0 };
    atomic { ((the_condition >> _pid) & 1) == 0 && the_lock == 0 -> the_lock = _pid + 1 }
}

inline condition_timedwait(the_condition, the_lock, the_result, the_reason) {
    d_step { assert(the_lock == _pid + 1); the_condition = the_condition | (1 << _pid); the_lock = 0 };
    atomic {
        if
        :: ((the_condition >> _pid) & 1) == 0 && the_lock == 0 -> the_result = 0
        :: the_lock == 0 -> the_condition = the_condition & ~(1 << _pid); the_result = the_reason
        :: the_lock == 0 -> the_condition = the_condition & ~(1 << _pid); the_result = 0
        fi;
        the_lock = _pid + 1
    }
}

inline condition_signal(the_condition) {
    atomic {
        if
        :: the_condition == 0
        :: ((the_condition >> 0) & 1) -> the_condition = the_condition & ~(1 << 0)
        :: ((the_condition >> 1) & 1) -> the_condition = the_condition & ~(1 << 1)
        :: ((the_condition >> 2) & 1) -> the_condition = the_condition & ~(1 << 2)
        :: ((the_condition >> 3) & 1) -> the_condition = the_condition & ~(1 << 3)
        :: ((the_condition >> 4) & 1) -> the_condition = the_condition & ~(1 << 4)
        :: ((the_condition >> 5) & 1) -> the_condition = the_condition & ~(1 << 5)
        :: ((the_condition >> 6) & 1) -> the_condition = the_condition & ~(1 << 6)
        :: ((the_condition >> 7) & 1) -> the_condition = the_condition & ~(1 << 7)
        :: ((the_condition >> 8) & 1) -> the_condition = the_condition & ~(1 << 8)
        :: ((the_condition >> 9) & 1) -> the_condition = the_condition & ~(1 << 9)
        :: ((the_condition >> 10) & 1) -> the_condition = the_condition & ~(1 << 10)
        :: ((the_condition >> 11) & 1) -> the_condition = the_condition & ~(1 << 11)
        :: ((the_condition >> 12) & 1) -> the_condition = the_condition & ~(1 << 12)
        :: ((the_condition >> 13) & 1) -> the_condition = the_condition & ~(1 << 13)
        :: ((the_condition >> 14) & 1) -> the_condition = the_condition & ~(1 << 14)
        :: ((the_condition >> 15) & 1) -> the_condition = the_condition & ~(1 << 15)
        fi
    }
}

inline semaphore_wait(the_semaphore) {
    atomic { the_semaphore > 0 -> the_semaphore = the_semaphore - 1 }
}

inline semaphore_trywait(the_semaphore, the_result) {
    atomic {
        if
        :: the_semaphore > 0 -> the_semaphore = the_semaphore - 1; the_result = 0
        :: the_semaphore == 0 -> the_result = -1
        fi
    }
}

inline compare_exchange(the_object, the_old, the_new, the_result) {
    atomic {
        if
        :: the_object == the_old -> the_object = the_new; the_result = 1
        :: the_object != the_old -> the_old = the_object; the_result = 0
        fi
    }
}

inline rwlock_read(the_lock) {
    atomic { the_lock >= 0 -> the_lock = the_lock + 1 }
}

inline rwlock_write(the_lock) {
    atomic { the_lock == 0 -> the_lock = -(_pid + 1) }
}

inline rwlock_try_read(the_lock, the_result) {
    atomic {
        if
        :: the_lock >= 0 -> the_lock = the_lock + 1; the_result = 0
        :: the_lock < 0 -> the_result = 16
        fi
    }
}

inline rwlock_try_write(the_lock, the_result) {
    atomic {
        if
        :: the_lock == 0 -> the_lock = -(_pid + 1); the_result = 0
        :: the_lock != 0 -> the_result = 16
        fi
    }
}

inline rwlock_unlock(the_lock) {
    atomic {
        assert(the_lock > 0 || the_lock == -(_pid + 1));
        if
        :: the_lock > 0 -> the_lock = the_lock - 1
        :: the_lock < 0 -> the_lock = 0
        fi
    }
}
