/* Users, the other switch, and what connects them. */

chan inbox[3] = [3] of { byte, byte };
bool lifted[2];
bool settled[2]; /* has reacted to everything so far */

byte under_way; /* messages that nobody has read yet */

#define quiet (settled[0] && settled[1] && under_way == 0)

inline post(the_target, the_event, the_sender) {
    atomic { inbox[the_target] ! the_event, the_sender; under_way++ }
}

/* News come first; when there are none, the user or the clock does something. */
inline next_event(the_line, the_event, the_sender) {
    settled[the_line] = true;
    atomic {
        if
        :: inbox[the_line] ? the_event, the_sender -> under_way--
        :: empty(inbox[the_line]) ->
            the_sender = NOBODY;
            if
            :: !lifted[the_line] -> lifted[the_line] = true; the_event = OFFHOOK
            :: lifted[the_line] -> lifted[the_line] = false; the_event = ONHOOK
            :: line[the_line].state == DIALTONE -> the_event = DIGIT_OTHER
            :: line[the_line].state == DIALTONE -> the_event = DIGIT_TRUNK
            :: line[the_line].state == TALKING -> the_event = FLASH
            :: line[the_line].state == HOLDING -> the_event = FLASH
            :: line[the_line].timer > 0 -> the_event = TIMEOUT
            fi
        fi;
        settled[the_line] = false
    }
}

/* The other switch takes a call or does not, and calls the first line now and then. */
active proctype trunk() {
    byte event, from;
    bool busy;
    do
    :: inbox[2] ? event, from ->
        under_way--;
        if
        :: event == SETUP && busy -> post(from, REFUSED, 2)
        :: event == SETUP && !busy -> post(from, REFUSED, 2)
        :: event == SETUP && !busy -> busy = true; post(from, CONNECT, 2)
        :: event == RELEASE || event == REFUSED -> busy = false
        :: event == CONNECT && !busy -> post(from, RELEASE, 2)
        :: event == CONNECT && busy
        :: event != SETUP && event != RELEASE && event != REFUSED && event != CONNECT
        fi;
        event = 0; from = 0
    :: empty(inbox[2]) && !busy -> busy = true; post(0, SETUP, 2)
    od
}
