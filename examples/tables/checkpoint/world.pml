/*
 * The network between manager and workers, and what workers do of their own accord: the second one crashes once at
 * most, and both leave at last, the first one before the second, or not at all.
 *
 * Between two messages everybody touches only what is their own, so that it makes no difference who goes first: one
 * runs at a time, until it sends or waits. Nobody looks again at messages that were sent or dealt with, so they are
 * forgotten.
 */

#define MANAGER 2
#define NOBODY 3

chan to_manager[2] = [1] of { byte, byte, byte, byte };
chan to_worker[2] = [1] of { byte, byte, byte, byte };
bool has_crashed;
bool has_left[2];
byte running = NOBODY;

/* At the start nobody has anything to let go. */
inline let_go(the_one) {
    running = (running == the_one -> NOBODY : running)
}

inline forget(the_old) {
    the_old.kind = 0; the_old.number = 0; the_old.version = 0; the_old.sum = 0
}

/* If nobody waits for room, a message that finds none is not sent, and the result says so. */
inline send_to_worker(the_worker, the_message, the_result, the_size, the_flags) {
    let_go(MANAGER);
    if
    :: atomic {
        running == NOBODY && nfull(to_worker[the_worker]) ->
        to_worker[the_worker] ! the_message.kind, the_message.number, the_message.version, the_message.sum;
        the_result = the_size;
        forget(the_message);
        running = MANAGER
    }
    :: atomic { running == NOBODY && the_flags != 0 && full(to_worker[the_worker]) -> the_result = -1; running = MANAGER }
    fi
}

inline send_to_manager(the_worker, the_message, the_result, the_size) {
    let_go(the_worker);
    atomic {
        running == NOBODY && nfull(to_manager[the_worker]) ->
        to_manager[the_worker] ! the_message.kind, the_message.number, the_message.version, the_message.sum;
        the_result = the_size;
        forget(the_message);
        running = the_worker
    }
}

inline next_source(the_source, the_message) {
    atomic { forget(the_message); let_go(MANAGER) }
    atomic {
        if
        :: running == NOBODY && nempty(to_manager[0]) -> the_source = 0
        :: running == NOBODY && nempty(to_manager[1]) -> the_source = 1
        :: running == NOBODY && phase == RESTING && (peers[0].standing == WORKING || peers[1].standing == WORKING) ->
            the_source = CLOCK
        fi;
        running = MANAGER
    }
}

inline next_activity(the_worker, the_activity, the_message) {
    atomic { forget(the_message); let_go(the_worker) }
    atomic {
        if
        :: running == NOBODY && nempty(to_worker[the_worker]) -> the_activity = LISTEN
        :: running == NOBODY && the_worker == 1 && !has_crashed && !has_left[1] && workers[1].mood != STARTING ->
            has_crashed = true; the_activity = CRASH
        :: running == NOBODY && !has_left[the_worker] && (the_worker == 0 || has_left[0]) && workers[the_worker].mood == BUSY ->
            has_left[the_worker] = true; the_activity = LEAVE
        fi;
        running = the_worker
    }
}
