/*
 * Users, the other switch, and what connects them.
 *
 * What is assumed: one processor, on which a reaction runs to its end before the next one begins; news come first; and a
 * user does the next thing only when everything that the line has said so far was read. So messages of different parties
 * cross in all ways, but nobody is flooded with them: that no mailbox overflows is checked.
 */

chan inbox[3] = [4] of { byte, byte };
bool lifted[2];
bool up[2];                     /* has begun to work */
byte unread[3];                 /* messages of each party that nobody has read yet */
byte running = NOBODY;          /* whose reaction is under way */

#define rest (running == NOBODY && up[0] && up[1])
#define quiet (rest && unread[0] == 0 && unread[1] == 0 && unread[2] == 0)
#define at(a, which) (rest && line[a].state == which)
#define is_free(a) (line[a].state != IDLE || (line[a].peer == NOBODY && line[a].third == NOBODY && line[a].waiting == NOBODY && line[a].timer == 0))
#define converses(a) (line[a].state == TALKING || line[a].state == CONSULTED || line[a].state == CONFERENCE)
#define has_partner(a) (!converses(a) || (line[a].peer != NOBODY && line[a].peer != a))
#define talks(a, b) (line[a].state == TALKING && line[a].peer == b)
#define holds(a, b) ((line[a].state == HOLDING || line[a].state == CONSULTING || line[a].state == CONSULTED) && line[a].peer == b)
#define asks(a, b) ((line[a].state == ROUTING || line[a].state == RINGBACK) && line[a].peer == b || line[a].state == CONSULTING && line[a].third == b)
#define is_with(a, b) (line[a].peer == b || line[a].third == b)

inline post(the_target, the_event, the_sender) {
    atomic {
        assert(nfull(inbox[the_target]));
        inbox[the_target] ! the_event, the_sender;
        unread[the_sender]++
    }
}

inline next_event(the_line, the_event, the_sender) {
    atomic { up[the_line] = true; running = NOBODY; the_event = 0; the_sender = 0 }
    atomic {
        if
        :: rest && nempty(inbox[the_line]) -> inbox[the_line] ? the_event, the_sender; unread[the_sender]--
        :: rest && empty(inbox[the_line]) && unread[the_line] == 0 ->
            the_sender = NOBODY;
            if
            :: !lifted[the_line] -> lifted[the_line] = true; the_event = OFFHOOK
            :: lifted[the_line] -> lifted[the_line] = false; the_event = ONHOOK
            :: line[the_line].state == DIALTONE || line[the_line].state == HOLDING -> the_event = DIGIT_OTHER
            :: line[the_line].state == DIALTONE || line[the_line].state == HOLDING -> the_event = DIGIT_TRUNK
            :: lifted[the_line] && line[the_line].state >= TALKING && line[the_line].state <= CONFERENCE -> the_event = FLASH
            :: line[the_line].timer > 0 -> the_event = TIMEOUT
            fi
        fi;
        running = the_line
    }
}

/* The other switch: a circuit for each line. It takes a call or does not, hangs up, and calls the first line. */
active proctype trunk() {
    byte event, from, line_called;
    bool busy[2];
    do
    :: atomic {
        rest && nempty(inbox[TRUNK]) -> inbox[TRUNK] ? event, from; unread[from]--;
        if
        :: event == SETUP -> post(from, REFUSED, TRUNK)
        :: event == SETUP && !busy[from] -> busy[from] = true; post(from, CONNECT, TRUNK)
        :: event == RELEASE || event == REFUSED -> busy[from] = false
        :: event == CONNECT && !busy[from] -> post(from, RELEASE, TRUNK)
        :: event == CONNECT && busy[from]
        :: event != SETUP && event != RELEASE && event != REFUSED && event != CONNECT
        fi;
        event = 0; from = 0
    }
    :: atomic {
        rest && empty(inbox[TRUNK]) && unread[TRUNK] == 0 && !busy[0] -> busy[0] = true; post(0, SETUP, TRUNK)
    }
    :: atomic {
        rest && empty(inbox[TRUNK]) && unread[TRUNK] == 0 ->
        select(line_called : 0 .. 1);
        if
        :: busy[line_called] -> busy[line_called] = false; post(line_called, RELEASE, TRUNK)
        :: !busy[line_called]
        fi;
        line_called = 0
    }
    od
}
