/*
 * Call processing for a small switch: local subscribers with features, and a trunk to another switch.
 *
 * Each subscriber runs as a process of its own and reacts to events: what the user does at the set, what other
 * subscribers and the trunk tell it, and timers that run out. The state of a call is spread over the parties, who only
 * know of each other by messages; so every reaction has to be right whatever the other side has done meanwhile.
 *
 * Features: call waiting, hold, three-way calls, call forwarding (of all calls, or while busy), hot line, calls from and
 * to the other switch.
 *
 * Features that are right alone may be wrong together. Macros put such mistakes in, to see them found:
 *   BUG_WAITING   a call that waits is forwarded as well
 *   BUG_TIMER     the time to answer a second call goes on when the call has been answered
 *   BUG_HANGUP    who hangs up during a three-way call forgets the one on hold
 *   BUG_BILLING   who puts the other side on hold goes on paying
 */

enum { N_LINES = 2, TRUNK = 2, N_PARTIES = 3, NOBODY = 3 };

/* Where a call stands, seen from one party. */
enum state {
    IDLE,       /* on hook, nothing going on */
    DIALTONE,   /* off hook, nothing dialled yet */
    ROUTING,    /* the other side has been asked */
    RINGBACK,   /* the other side rings */
    RINGING,    /* the set rings */
    TALKING,    /* a conversation */
    HOLDING,    /* the other side has been put on hold by us */
    HELD,       /* the other side has put us on hold */
    CONSULTING, /* the other side is on hold, a third one has been asked */
    CONSULTED,  /* the other side is on hold, we talk to a third one */
    CONFERENCE, /* all three talk */
    BUSYTONE,   /* the call has failed, or is over */
    LOCKOUT     /* off hook for too long */
};

/* What a subscriber reacts to. */
enum event {
    OFFHOOK,
    ONHOOK,
    DIGIT_OTHER,  /* the other line is dialled */
    DIGIT_TRUNK,  /* a number of the other switch is dialled */
    FLASH,        /* a short press of the hook */
    TIMEOUT,
    SETUP,        /* somebody calls */
    ALERTING,     /* the called set rings */
    CONNECT,      /* the called set was lifted */
    REFUSED,      /* the called set is busy */
    RELEASE,      /* the other side has left */
    HOLD,         /* the other side puts us on hold */
    RESUME        /* and takes us back */
};

enum tone { SILENCE, TONE_DIAL, TONE_RINGBACK, TONE_BUSY, TONE_HOWLER, TONE_WAITING, TONE_RING, TONE_HOLD };

/* Times in tenths of a second. */
enum { TIME_DIAL = 100, TIME_RING = 250, TIME_BUSY = 80, TIME_HOLD = 200 };

struct subscriber {
    enum state state;
    unsigned char peer;      /* whom we have to do with, or NOBODY */
    unsigned char waiting;   /* who waits for us, or NOBODY */
    unsigned char third;     /* whom we have called besides, or NOBODY */
    unsigned char forward;   /* where calls go instead, or NOBODY */
    unsigned char when_busy; /* where calls go while we talk, or NOBODY */
    unsigned char timer;     /* runs if it is not zero */
    enum tone tone;          /* what the set hears */
    unsigned char billing;   /* whether somebody pays for the call */
    unsigned char caller;    /* whether we made the call */
    /* Provisioning. */
    unsigned char may_wait;
    unsigned char may_hold;
    unsigned char may_confer;
    unsigned char may_trunk;
    unsigned char hotline;
    /* Statistics; nobody decides by them. */
    unsigned long n_calls;
    unsigned long n_answered;
    unsigned long n_failed;
    unsigned long n_forwarded;
    unsigned long n_waited;
    unsigned long n_held;
    unsigned long n_conferences;
    unsigned long n_timeouts;
    unsigned long n_surprises;
    unsigned long seconds_talked;
    char name[32];
    char number[16];
};

struct subscriber line[N_LINES];

/* A record for the bills. */
struct record {
    int from;
    int to;
    unsigned long start;
    unsigned long stop;
    int reason;
};

enum { N_RECORDS = 512 };

static struct record records[N_RECORDS];
static int n_records;

/* What lies below: the hardware and the other switch. */
int next_event(int me, int *from);            /* waits */
void post(int to, int event, int from);       /* leaves a message */
int provisioned_forward(int me);              /* what the office has noted down */
int provisioned_when_busy(int me);
void play(int me, int tone);
void connect_path(int a, int b);
void cut_path(int me);
unsigned long now_in_seconds(void);
void trace(int me, const char *text, int value);
void alarm_operator(int me, const char *text);

/* ---- Statistics and bills ---- */

static void count_call(int me)
{
    line[me].n_calls++;
    trace(me, "call", (int)line[me].n_calls);
}

static void count_answer(int me)
{
    line[me].n_answered++;
    trace(me, "answered", (int)line[me].n_answered);
}

static void count_failure(int me, int reason)
{
    line[me].n_failed++;
    trace(me, "failed", reason);
}

static void count_surprise(int me, int event)
{
    line[me].n_surprises++;
    trace(me, "unexpected event", event);
    if (line[me].n_surprises > 1000)
        alarm_operator(me, "too many unexpected events");
}

static void open_record(int me, int to)
{
    if (n_records < N_RECORDS) {
        records[n_records].from = me;
        records[n_records].to = to;
        records[n_records].start = now_in_seconds();
        records[n_records].stop = 0;
        n_records++;
    } else {
        alarm_operator(me, "no room for bills");
    }
}

static void close_record(int me, int reason)
{
    int i;

    for (i = 0; i < n_records; i++) {
        if (records[i].from == me && records[i].stop == 0) {
            records[i].stop = now_in_seconds();
            records[i].reason = reason;
            line[me].seconds_talked += records[i].stop - records[i].start;
        }
    }
}

/* ---- Parts of reactions ---- */

static void set_tone(int me, enum tone tone)
{
    line[me].tone = tone;
    play(me, tone);
}

static void start_timer(int me, int time)
{
    line[me].timer = time;
}

static void stop_timer(int me)
{
    line[me].timer = 0;
}

static void start_billing(int me)
{
    if (line[me].caller) {
        line[me].billing = 1;
        open_record(me, line[me].peer);
    }
}

static void stop_billing(int me, int reason)
{
    if (line[me].billing) {
        line[me].billing = 0;
        close_record(me, reason);
    }
}

static void forget_peer(int me)
{
    line[me].peer = NOBODY;
    line[me].caller = 0;
    line[me].third = NOBODY;
    cut_path(me);
}

static void become_idle(int me)
{
    line[me].state = IDLE;
    stop_timer(me);
    set_tone(me, SILENCE);
    forget_peer(me);
}

static void become_busy(int me, int reason)
{
    line[me].state = BUSYTONE;
    forget_peer(me);
    set_tone(me, TONE_BUSY);
    start_timer(me, TIME_BUSY);
    count_failure(me, reason);
}

static void become_talking(int me)
{
    line[me].state = TALKING;
    stop_timer(me);
    set_tone(me, SILENCE);
    connect_path(me, line[me].peer);
    start_billing(me);
    count_answer(me);
}

static void refuse(int me, int from)
{
    post(from, REFUSED, me);
    trace(me, "refused", from);
}

static void release_peer(int me)
{
    if (line[me].peer != NOBODY) {
        post(line[me].peer, RELEASE, me);
        trace(me, "released", line[me].peer);
    }
}

/* Whoever waits is told that it takes too long. */
static void release_waiting(int me)
{
    if (line[me].waiting != NOBODY) {
        post(line[me].waiting, RELEASE, me);
        trace(me, "no longer waiting", line[me].waiting);
        line[me].waiting = NOBODY;
    }
}

static void ask(int me, int to)
{
    line[me].peer = to;
    line[me].caller = 1;
    line[me].state = ROUTING;
    stop_timer(me);
    set_tone(me, SILENCE);
    post(to, SETUP, me);
    count_call(me);
}

/* A call comes in while the set is free. */
static void ring(int me, int from)
{
    line[me].peer = from;
    line[me].caller = 0;
    line[me].state = RINGING;
    set_tone(me, TONE_RING);
    start_timer(me, TIME_RING);
    post(from, ALERTING, me);
    trace(me, "rings for", from);
}

/* The one we have called besides is told that it is over. */
static void release_third(int me)
{
    if (line[me].third != NOBODY) {
        post(line[me].third, RELEASE, me);
        trace(me, "released besides", line[me].third);
        line[me].third = NOBODY;
    }
}

/* A call comes in and is sent on. The caller is told by whoever rings, so it goes on asking there. */
static void forward_call(int me, int to, int from)
{
    line[me].n_forwarded++;
    trace(me, "forwards", from);
    if (to == from)
        refuse(me, from);
    else
        post(to, SETUP, from);
}

/* The other side is on hold again, and there is dial tone. */
static void become_holding(int me)
{
    line[me].state = HOLDING;
    set_tone(me, TONE_DIAL);
    start_timer(me, TIME_HOLD);
}

/* The set is lifted for somebody who waited. */
static void take_waiting(int me)
{
    line[me].peer = line[me].waiting;
    line[me].waiting = NOBODY;
    line[me].caller = 0;
    post(line[me].peer, CONNECT, me);
    become_talking(me);
    line[me].n_waited++;
}

/* ---- Idle ---- */

/* The set is lifted: either a hot line, or dial tone. */
static void idle_offhook(int me, int from)
{
    trace(me, "lifted", from);
    if (line[me].hotline) {
        ask(me, TRUNK);
    } else {
        line[me].state = DIALTONE;
        set_tone(me, TONE_DIAL);
        start_timer(me, TIME_DIAL);
    }
}

/* Somebody calls. */
static void idle_setup(int me, int from)
{
    trace(me, "called", from);
    if (line[me].forward != NOBODY)
        forward_call(me, line[me].forward, from);
    else
        ring(me, from);
}

/* The other side has left after we did. */
static void idle_release(int me, int from)
{
    trace(me, "late release", from);
}

/* The set we called was lifted after we had left; it is told again. */
static void idle_connect(int me, int from)
{
    trace(me, "late answer", from);
    post(from, RELEASE, me);
}

/* The set we called rings after we had left. */
static void idle_alerting(int me, int from)
{
    trace(me, "late ringing", from);
}

/* The set we called was busy after we had left. */
static void idle_refused(int me, int from)
{
    trace(me, "late refusal", from);
}

/* The other side puts us on hold after we had left. */
static void idle_hold(int me, int from)
{
    trace(me, "late hold", from);
}

/* The other side takes us back after we had left. */
static void idle_resume(int me, int from)
{
    trace(me, "late resume", from);
}

/* ---- Dial tone ---- */

/* The user has thought better of it. */
static void dialtone_onhook(int me, int from)
{
    trace(me, "hung up", from);
    become_idle(me);
}

/* The other line is dialled. */
static void dialtone_digit_other(int me, int from)
{
    trace(me, "dialled a line", from);
    ask(me, 1 - me);
}

/* The other switch is dialled, if that is allowed. */
static void dialtone_digit_trunk(int me, int from)
{
    trace(me, "dialled the trunk", from);
    if (line[me].may_trunk)
        ask(me, TRUNK);
    else
        become_busy(me, DIGIT_TRUNK);
}

/* Nothing is dialled. */
static void dialtone_timeout(int me, int from)
{
    trace(me, "dialled nothing", from);
    line[me].n_timeouts++;
    become_busy(me, TIMEOUT);
}

/* Somebody calls while we dial. */
static void dialtone_setup(int me, int from)
{
    trace(me, "called while dialling", from);
    refuse(me, from);
}

/* From an earlier call. */
static void dialtone_release(int me, int from)
{
    trace(me, "late release", from);
}

/* Means nothing yet. */
static void dialtone_flash(int me, int from)
{
    trace(me, "flash", from);
}

/* ---- Routing ---- */

/* The caller leaves before the other side has said anything. */
static void routing_onhook(int me, int from)
{
    trace(me, "hung up", from);
    release_peer(me);
    become_idle(me);
}

/* The other side rings; it may be another one than we called. */
static void routing_alerting(int me, int from)
{
    trace(me, "rings", from);
    line[me].peer = from;
    line[me].state = RINGBACK;
    set_tone(me, TONE_RINGBACK);
}

/* The other side answers at once. */
static void routing_connect(int me, int from)
{
    trace(me, "answered at once", from);
    line[me].peer = from;
    become_talking(me);
}

/* The other side is busy. */
static void routing_refused(int me, int from)
{
    trace(me, "busy", from);
    become_busy(me, REFUSED);
}

/* The other side has left, or it is late news from an earlier call. */
static void routing_release(int me, int from)
{
    trace(me, "release", from);
    if (from == line[me].peer)
        become_busy(me, RELEASE);
}

/* Somebody calls, perhaps the one we call. */
static void routing_setup(int me, int from)
{
    trace(me, "called while calling", from);
    refuse(me, from);
}

/* Means nothing yet. */
static void routing_flash(int me, int from)
{
    trace(me, "flash", from);
}

/* ---- Ringback ---- */

/* The caller gives up. */
static void ringback_onhook(int me, int from)
{
    trace(me, "hung up", from);
    release_peer(me);
    become_idle(me);
}

/* The other side answers. */
static void ringback_connect(int me, int from)
{
    trace(me, "answered", from);
    line[me].peer = from;
    become_talking(me);
}

/* The other side has waited long enough. */
static void ringback_release(int me, int from)
{
    trace(me, "release", from);
    if (from == line[me].peer)
        become_busy(me, RELEASE);
}

/* The other side cannot take the call after all. */
static void ringback_refused(int me, int from)
{
    trace(me, "refused", from);
    if (from == line[me].peer)
        become_busy(me, REFUSED);
}

/* Somebody calls while we wait. */
static void ringback_setup(int me, int from)
{
    trace(me, "called while waiting", from);
    refuse(me, from);
}

/* Said twice. */
static void ringback_alerting(int me, int from)
{
    trace(me, "rings again", from);
}

/* Means nothing yet. */
static void ringback_flash(int me, int from)
{
    trace(me, "flash", from);
}

/* ---- Ringing ---- */

/* The call is taken. */
static void ringing_offhook(int me, int from)
{
    trace(me, "taken", from);
    post(line[me].peer, CONNECT, me);
    become_talking(me);
}

/* The caller has given up. */
static void ringing_release(int me, int from)
{
    trace(me, "release", from);
    if (from == line[me].peer)
        become_idle(me);
}

/* Nobody takes the call. */
static void ringing_timeout(int me, int from)
{
    trace(me, "not taken", from);
    line[me].n_timeouts++;
    release_peer(me);
    become_idle(me);
}

/* Somebody else calls. */
static void ringing_setup(int me, int from)
{
    trace(me, "called while ringing", from);
    if (from != line[me].peer)
        refuse(me, from);
}

/* From an earlier call. */
static void ringing_refused(int me, int from)
{
    trace(me, "late refusal", from);
}

/* From an earlier call of ours. */
static void ringing_connect(int me, int from)
{
    trace(me, "late answer", from);
    if (from != line[me].peer)
        post(from, RELEASE, me);
}

/* ---- Talking ---- */

/* The conversation is over; whoever waits is put through when the set is lifted again. */
static void talking_onhook(int me, int from)
{
    trace(me, "hung up", from);
    stop_billing(me, ONHOOK);
    release_peer(me);
    release_waiting(me);
    become_idle(me);
}

/* The other side has left: whoever waits comes next. */
static void talking_release(int me, int from)
{
    trace(me, "release", from);
    if (from == line[me].waiting) {
        line[me].waiting = NOBODY;
        set_tone(me, SILENCE);
        return;
    }
    if (from != line[me].peer)
        return;
    stop_billing(me, RELEASE);
    if (line[me].waiting != NOBODY)
        take_waiting(me);
    else
        become_busy(me, RELEASE);
}

/* Somebody calls during a conversation: call waiting, for one at a time. */
static void talking_setup(int me, int from)
{
    trace(me, "called while talking", from);
    if (from == line[me].peer)
        return;
    if (line[me].may_wait && line[me].waiting == NOBODY) {
        line[me].waiting = from;
        set_tone(me, TONE_WAITING);
        post(from, ALERTING, me);
#ifdef BUG_WAITING
        /* Busy is busy: off it goes, although it waits here. */
        if (line[me].when_busy != NOBODY)
            forward_call(me, line[me].when_busy, from);
#endif
    } else if (line[me].when_busy != NOBODY) {
        forward_call(me, line[me].when_busy, from);
    } else {
        refuse(me, from);
    }
}

/* A flash puts the other side on hold. */
static void talking_flash(int me, int from)
{
    trace(me, "flash", from);
    if (!line[me].may_hold)
        return;
    become_holding(me);
    post(line[me].peer, HOLD, me);
    line[me].n_held++;
#ifndef BUG_BILLING
    /* Nobody pays while being on hold. */
    stop_billing(me, HOLD);
#endif
}

/* The other side puts us on hold. */
static void talking_hold(int me, int from)
{
    trace(me, "on hold", from);
    if (from != line[me].peer)
        return;
    line[me].state = HELD;
    set_tone(me, TONE_HOLD);
    stop_billing(me, HOLD);
}

/* From an earlier call. */
static void talking_alerting(int me, int from)
{
    trace(me, "late ringing", from);
}

/* From an earlier call. */
static void talking_refused(int me, int from)
{
    trace(me, "late refusal", from);
}

/* Said twice, or from an earlier call. */
static void talking_connect(int me, int from)
{
    trace(me, "late answer", from);
    if (from != line[me].peer)
        post(from, RELEASE, me);
}

/* Taken back from a hold that we had not noticed. */
static void talking_resume(int me, int from)
{
    trace(me, "late resume", from);
}

/* ---- Holding ---- */

/* The user takes the other side back. */
static void holding_flash(int me, int from)
{
    trace(me, "taken back", from);
    post(line[me].peer, RESUME, me);
    become_talking(me);
}

/* The user leaves: the one on hold must not wait for ever. */
static void holding_onhook(int me, int from)
{
    trace(me, "hung up on hold", from);
    stop_billing(me, ONHOOK);
    release_peer(me);
    release_waiting(me);
    become_idle(me);
}

/* The one on hold has left. */
static void holding_release(int me, int from)
{
    trace(me, "release", from);
    if (from == line[me].waiting) {
        line[me].waiting = NOBODY;
        return;
    }
    if (from != line[me].peer)
        return;
    stop_billing(me, RELEASE);
    if (line[me].waiting != NOBODY)
        take_waiting(me);
    else
        become_busy(me, RELEASE);
}

/* Somebody has been on hold for too long. */
static void holding_timeout(int me, int from)
{
    trace(me, "held for too long", from);
    line[me].n_timeouts++;
    stop_billing(me, TIMEOUT);
    release_peer(me);
    release_waiting(me);
    become_busy(me, TIMEOUT);
}

/* Somebody calls meanwhile. */
static void holding_setup(int me, int from)
{
    trace(me, "called while holding", from);
    if (from != line[me].peer)
        refuse(me, from);
}

/* Both have put each other on hold: whoever comes later gives in. */
static void holding_hold(int me, int from)
{
    trace(me, "hold against hold", from);
    if (from == line[me].peer && me > from) {
        line[me].state = HELD;
        stop_timer(me);
        set_tone(me, TONE_HOLD);
    }
}

/* Both have taken each other back. */
static void holding_resume(int me, int from)
{
    trace(me, "resume", from);
}

/* From an earlier call. */
static void holding_connect(int me, int from)
{
    trace(me, "late answer", from);
    if (from != line[me].peer)
        post(from, RELEASE, me);
}

/* The user calls somebody else while the other side is on hold. */
static void consult(int me, int to)
{
    if (!line[me].may_confer || to == line[me].peer || to == line[me].waiting)
        return;
    line[me].third = to;
    line[me].state = CONSULTING;
    set_tone(me, SILENCE);
    start_timer(me, TIME_RING);
    post(to, SETUP, me);
    count_call(me);
}

/* The other line is dialled during a hold. */
static void holding_digit_other(int me, int from)
{
    trace(me, "dialled a line besides", from);
    consult(me, 1 - me);
}

/* The other switch is dialled during a hold. */
static void holding_digit_trunk(int me, int from)
{
    trace(me, "dialled the trunk besides", from);
    if (line[me].may_trunk)
        consult(me, TRUNK);
}

/* ---- Consulting: one on hold, one asked ---- */

/* The user takes the one on hold back and gives up on the other. */
static void consulting_flash(int me, int from)
{
    trace(me, "gave up", from);
    release_third(me);
    post(line[me].peer, RESUME, me);
    become_talking(me);
}

/* The user leaves altogether. */
static void consulting_onhook(int me, int from)
{
    trace(me, "hung up", from);
    release_third(me);
    release_peer(me);
    release_waiting(me);
    become_idle(me);
}

/* The third one rings. */
static void consulting_alerting(int me, int from)
{
    trace(me, "rings", from);
    line[me].third = from;
    set_tone(me, TONE_RINGBACK);
}

/* The third one answers. */
static void consulting_connect(int me, int from)
{
    trace(me, "answered", from);
    line[me].third = from;
    line[me].state = CONSULTED;
    set_tone(me, SILENCE);
#ifndef BUG_TIMER
    stop_timer(me);
#endif
    connect_path(me, from);
    count_answer(me);
}

/* The third one cannot, or the one to whom the call was forwarded, be it our peer: back to dial tone. */
static void consulting_refused(int me, int from)
{
    trace(me, "refused", from);
    line[me].third = NOBODY;
    become_holding(me);
}

/* Somebody has left: the one on hold, or the one who was asked. */
static void consulting_release(int me, int from)
{
    trace(me, "release", from);
    if (from == line[me].waiting) {
        line[me].waiting = NOBODY;
        return;
    }
    if (from == line[me].third) {
        line[me].third = NOBODY;
        become_holding(me);
        return;
    }
    if (from == line[me].peer) {
        release_waiting(me);
        line[me].peer = line[me].third;
        line[me].third = NOBODY;
        line[me].caller = 1;
        stop_timer(me);
        /* Who rings already has said so, and will not say it again. */
        if (line[me].tone == TONE_RINGBACK) {
            line[me].state = RINGBACK;
        } else {
            line[me].state = ROUTING;
            set_tone(me, SILENCE);
        }
    }
}

/* The third one does not answer. */
static void consulting_timeout(int me, int from)
{
    trace(me, "does not answer", from);
    line[me].n_timeouts++;
    release_third(me);
    become_holding(me);
}

/* Somebody calls meanwhile. */
static void consulting_setup(int me, int from)
{
    trace(me, "called while consulting", from);
    if (from != line[me].peer)
        refuse(me, from);
}

/* The one on hold wants to put us on hold. */
static void consulting_hold(int me, int from)
{
    trace(me, "hold against hold", from);
}

/* ---- Consulted: one on hold, a conversation with the other ---- */

/* All three talk. */
static void consulted_flash(int me, int from)
{
    trace(me, "conference", from);
    post(line[me].peer, RESUME, me);
    line[me].state = CONFERENCE;
    connect_path(me, line[me].peer);
    line[me].n_conferences++;
}

/* The user leaves, and nobody is to be left behind. */
static void consulted_onhook(int me, int from)
{
    trace(me, "hung up", from);
    release_third(me);
#ifndef BUG_HANGUP
    release_peer(me);
#endif
    release_waiting(me);
    become_idle(me);
}

/* Somebody has left: the one on hold, or the one we talk to. */
static void consulted_release(int me, int from)
{
    trace(me, "release", from);
    if (from == line[me].waiting) {
        line[me].waiting = NOBODY;
        return;
    }
    if (from == line[me].third) {
        line[me].third = NOBODY;
        become_holding(me);
        return;
    }
    if (from == line[me].peer) {
        line[me].peer = line[me].third;
        line[me].third = NOBODY;
        line[me].caller = 1;
        become_talking(me);
    }
}

/* Somebody calls meanwhile. */
static void consulted_setup(int me, int from)
{
    trace(me, "called while consulting", from);
    if (from != line[me].peer && from != line[me].third)
        refuse(me, from);
}

/* One of them wants to put us on hold: it does not hear us, that is all. */
static void consulted_hold(int me, int from)
{
    trace(me, "hold during a consultation", from);
}

/* From an earlier call. */
static void consulted_connect(int me, int from)
{
    trace(me, "late answer", from);
    if (from != line[me].peer && from != line[me].third)
        post(from, RELEASE, me);
}

/* ---- Conference ---- */

/* The one who was called last is dropped. */
static void conference_flash(int me, int from)
{
    trace(me, "dropped", from);
    release_third(me);
    become_talking(me);
}

/* The user leaves: without the bridge it is over for all. */
static void conference_onhook(int me, int from)
{
    trace(me, "hung up", from);
    release_third(me);
    release_peer(me);
    release_waiting(me);
    become_idle(me);
}

/* One of them has left: two go on. */
static void conference_release(int me, int from)
{
    trace(me, "release", from);
    if (from == line[me].waiting) {
        line[me].waiting = NOBODY;
        return;
    }
    if (from == line[me].third) {
        line[me].third = NOBODY;
        become_talking(me);
        return;
    }
    if (from == line[me].peer) {
        line[me].peer = line[me].third;
        line[me].third = NOBODY;
        line[me].caller = 1;
        become_talking(me);
    }
}

/* Three are enough. */
static void conference_setup(int me, int from)
{
    trace(me, "called during a conference", from);
    if (from != line[me].peer && from != line[me].third)
        refuse(me, from);
}

/* One of them puts the conference on hold: the other two go on. */
static void conference_hold(int me, int from)
{
    trace(me, "hold during a conference", from);
}

/* And comes back. */
static void conference_resume(int me, int from)
{
    trace(me, "back in the conference", from);
}

/* From an earlier call. */
static void conference_connect(int me, int from)
{
    trace(me, "late answer", from);
    if (from != line[me].peer && from != line[me].third)
        post(from, RELEASE, me);
}

/* ---- Held ---- */

/* The user does not want to wait. */
static void held_onhook(int me, int from)
{
    trace(me, "hung up", from);
    release_peer(me);
    release_waiting(me);
    become_idle(me);
}

/* The conversation goes on. */
static void held_resume(int me, int from)
{
    trace(me, "resumed", from);
    if (from == line[me].peer)
        become_talking(me);
}

/* The other side has left. */
static void held_release(int me, int from)
{
    trace(me, "release", from);
    if (from == line[me].waiting) {
        line[me].waiting = NOBODY;
        return;
    }
    if (from != line[me].peer)
        return;
    if (line[me].waiting != NOBODY)
        take_waiting(me);
    else
        become_busy(me, RELEASE);
}

/* Somebody calls while we are on hold. */
static void held_setup(int me, int from)
{
    trace(me, "called while on hold", from);
    if (from != line[me].peer)
        refuse(me, from);
}

/* One hold is enough. */
static void held_flash(int me, int from)
{
    trace(me, "flash", from);
}

/* Said twice. */
static void held_hold(int me, int from)
{
    trace(me, "hold again", from);
}

/* From an earlier call. */
static void held_connect(int me, int from)
{
    trace(me, "late answer", from);
    if (from != line[me].peer)
        post(from, RELEASE, me);
}

/* ---- Busy tone and lockout ---- */

/* The set is free again. */
static void busytone_onhook(int me, int from)
{
    trace(me, "hung up", from);
    become_idle(me);
}

/* The user does not hang up. */
static void busytone_timeout(int me, int from)
{
    trace(me, "does not hang up", from);
    line[me].n_timeouts++;
    line[me].state = LOCKOUT;
    stop_timer(me);
    set_tone(me, TONE_HOWLER);
}

/* Somebody calls. */
static void busytone_setup(int me, int from)
{
    trace(me, "called", from);
    refuse(me, from);
}

/* From an earlier call. */
static void busytone_connect(int me, int from)
{
    trace(me, "late answer", from);
    post(from, RELEASE, me);
}

/* Means nothing here. */
static void busytone_flash(int me, int from)
{
    trace(me, "flash", from);
}

/* From an earlier call. */
static void busytone_release(int me, int from)
{
    trace(me, "late release", from);
}

/* From an earlier call. */
static void busytone_alerting(int me, int from)
{
    trace(me, "late ringing", from);
}

/* At last. */
static void lockout_onhook(int me, int from)
{
    trace(me, "hung up", from);
    become_idle(me);
}

/* Somebody calls. */
static void lockout_setup(int me, int from)
{
    trace(me, "called", from);
    refuse(me, from);
}

/* From an earlier call. */
static void lockout_connect(int me, int from)
{
    trace(me, "late answer", from);
    post(from, RELEASE, me);
}

/* ---- Dispatch ---- */

static void in_idle(int me, int event, int from)
{
    switch (event) {
    case OFFHOOK:
        idle_offhook(me, from);
        break;
    case SETUP:
        idle_setup(me, from);
        break;
    case RELEASE:
        idle_release(me, from);
        break;
    case CONNECT:
        idle_connect(me, from);
        break;
    case ALERTING:
        idle_alerting(me, from);
        break;
    case REFUSED:
        idle_refused(me, from);
        break;
    case HOLD:
        idle_hold(me, from);
        break;
    case RESUME:
        idle_resume(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_dialtone(int me, int event, int from)
{
    switch (event) {
    case ONHOOK:
        dialtone_onhook(me, from);
        break;
    case DIGIT_OTHER:
        dialtone_digit_other(me, from);
        break;
    case DIGIT_TRUNK:
        dialtone_digit_trunk(me, from);
        break;
    case TIMEOUT:
        dialtone_timeout(me, from);
        break;
    case SETUP:
        dialtone_setup(me, from);
        break;
    case RELEASE:
        dialtone_release(me, from);
        break;
    case FLASH:
        dialtone_flash(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_routing(int me, int event, int from)
{
    switch (event) {
    case ONHOOK:
        routing_onhook(me, from);
        break;
    case ALERTING:
        routing_alerting(me, from);
        break;
    case CONNECT:
        routing_connect(me, from);
        break;
    case REFUSED:
        routing_refused(me, from);
        break;
    case RELEASE:
        routing_release(me, from);
        break;
    case SETUP:
        routing_setup(me, from);
        break;
    case FLASH:
        routing_flash(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_ringback(int me, int event, int from)
{
    switch (event) {
    case ONHOOK:
        ringback_onhook(me, from);
        break;
    case CONNECT:
        ringback_connect(me, from);
        break;
    case RELEASE:
        ringback_release(me, from);
        break;
    case REFUSED:
        ringback_refused(me, from);
        break;
    case SETUP:
        ringback_setup(me, from);
        break;
    case ALERTING:
        ringback_alerting(me, from);
        break;
    case FLASH:
        ringback_flash(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_ringing(int me, int event, int from)
{
    switch (event) {
    case OFFHOOK:
        ringing_offhook(me, from);
        break;
    case RELEASE:
        ringing_release(me, from);
        break;
    case TIMEOUT:
        ringing_timeout(me, from);
        break;
    case SETUP:
        ringing_setup(me, from);
        break;
    case REFUSED:
        ringing_refused(me, from);
        break;
    case CONNECT:
        ringing_connect(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_talking(int me, int event, int from)
{
    switch (event) {
    case ONHOOK:
        talking_onhook(me, from);
        break;
    case RELEASE:
        talking_release(me, from);
        break;
    case SETUP:
        talking_setup(me, from);
        break;
    case FLASH:
        talking_flash(me, from);
        break;
    case HOLD:
        talking_hold(me, from);
        break;
    case ALERTING:
        talking_alerting(me, from);
        break;
    case REFUSED:
        talking_refused(me, from);
        break;
    case CONNECT:
        talking_connect(me, from);
        break;
    case RESUME:
        talking_resume(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_holding(int me, int event, int from)
{
    switch (event) {
    case FLASH:
        holding_flash(me, from);
        break;
    case DIGIT_OTHER:
        holding_digit_other(me, from);
        break;
    case DIGIT_TRUNK:
        holding_digit_trunk(me, from);
        break;
    case ONHOOK:
        holding_onhook(me, from);
        break;
    case RELEASE:
        holding_release(me, from);
        break;
    case TIMEOUT:
        holding_timeout(me, from);
        break;
    case SETUP:
        holding_setup(me, from);
        break;
    case HOLD:
        holding_hold(me, from);
        break;
    case RESUME:
        holding_resume(me, from);
        break;
    case CONNECT:
        holding_connect(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_held(int me, int event, int from)
{
    switch (event) {
    case ONHOOK:
        held_onhook(me, from);
        break;
    case RESUME:
        held_resume(me, from);
        break;
    case RELEASE:
        held_release(me, from);
        break;
    case SETUP:
        held_setup(me, from);
        break;
    case FLASH:
        held_flash(me, from);
        break;
    case HOLD:
        held_hold(me, from);
        break;
    case CONNECT:
        held_connect(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_consulting(int me, int event, int from)
{
    switch (event) {
    case FLASH:
        consulting_flash(me, from);
        break;
    case ONHOOK:
        consulting_onhook(me, from);
        break;
    case ALERTING:
        consulting_alerting(me, from);
        break;
    case CONNECT:
        consulting_connect(me, from);
        break;
    case REFUSED:
        consulting_refused(me, from);
        break;
    case RELEASE:
        consulting_release(me, from);
        break;
    case TIMEOUT:
        consulting_timeout(me, from);
        break;
    case SETUP:
        consulting_setup(me, from);
        break;
    case HOLD:
        consulting_hold(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_consulted(int me, int event, int from)
{
    switch (event) {
    case FLASH:
        consulted_flash(me, from);
        break;
    case ONHOOK:
        consulted_onhook(me, from);
        break;
    case RELEASE:
        consulted_release(me, from);
        break;
    case SETUP:
        consulted_setup(me, from);
        break;
    case HOLD:
        consulted_hold(me, from);
        break;
    case CONNECT:
        consulted_connect(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_conference(int me, int event, int from)
{
    switch (event) {
    case FLASH:
        conference_flash(me, from);
        break;
    case ONHOOK:
        conference_onhook(me, from);
        break;
    case RELEASE:
        conference_release(me, from);
        break;
    case SETUP:
        conference_setup(me, from);
        break;
    case HOLD:
        conference_hold(me, from);
        break;
    case RESUME:
        conference_resume(me, from);
        break;
    case CONNECT:
        conference_connect(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_busytone(int me, int event, int from)
{
    switch (event) {
    case ONHOOK:
        busytone_onhook(me, from);
        break;
    case TIMEOUT:
        busytone_timeout(me, from);
        break;
    case SETUP:
        busytone_setup(me, from);
        break;
    case CONNECT:
        busytone_connect(me, from);
        break;
    case FLASH:
        busytone_flash(me, from);
        break;
    case RELEASE:
        busytone_release(me, from);
        break;
    case ALERTING:
        busytone_alerting(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void in_lockout(int me, int event, int from)
{
    switch (event) {
    case ONHOOK:
        lockout_onhook(me, from);
        break;
    case SETUP:
        lockout_setup(me, from);
        break;
    case CONNECT:
        lockout_connect(me, from);
        break;
    default:
        count_surprise(me, event);
    }
}

static void react(int me, int event, int from)
{
    switch (line[me].state) {
    case IDLE:
        in_idle(me, event, from);
        break;
    case DIALTONE:
        in_dialtone(me, event, from);
        break;
    case ROUTING:
        in_routing(me, event, from);
        break;
    case RINGBACK:
        in_ringback(me, event, from);
        break;
    case RINGING:
        in_ringing(me, event, from);
        break;
    case TALKING:
        in_talking(me, event, from);
        break;
    case HOLDING:
        in_holding(me, event, from);
        break;
    case HELD:
        in_held(me, event, from);
        break;
    case CONSULTING:
        in_consulting(me, event, from);
        break;
    case CONSULTED:
        in_consulted(me, event, from);
        break;
    case CONFERENCE:
        in_conference(me, event, from);
        break;
    case BUSYTONE:
        in_busytone(me, event, from);
        break;
    case LOCKOUT:
        in_lockout(me, event, from);
        break;
    }
}

/* A line: reacts for ever. */
void subscriber(int me)
{
    int event, from;

    line[me].state = IDLE;
    line[me].peer = NOBODY;
    line[me].waiting = NOBODY;
    line[me].third = NOBODY;
    line[me].may_wait = 1;
    line[me].may_hold = 1;
    line[me].may_confer = 1;
    line[me].may_trunk = 1;
    line[me].forward = provisioned_forward(me);
    line[me].when_busy = provisioned_when_busy(me);
    for (;;) {
        event = next_event(me, &from);
        react(me, event, from);
    }
}

/* ---- The operator's console ---- */

void print_line(const char *text, int value);
int read_command(void);
int read_number(void);

enum command {
    SHOW,
    SET_WAITING,
    SET_HOLD,
    SET_CONFERENCE,
    SET_TRUNK,
    SET_HOTLINE,
    SET_FORWARD,
    SET_WHEN_BUSY,
    CLEAR_STATISTICS,
    AUDIT,
    BILLS,
    QUIT
};

static int is_line(int number)
{
    return number >= 0 && number < N_LINES;
}

static void show_state(int me)
{
    switch (line[me].state) {
    case IDLE:
        print_line("idle", me);
        break;
    case DIALTONE:
        print_line("dial tone", me);
        break;
    case ROUTING:
        print_line("routing", me);
        break;
    case RINGBACK:
        print_line("ringback", me);
        break;
    case RINGING:
        print_line("ringing", me);
        break;
    case TALKING:
        print_line("talking", me);
        break;
    case HOLDING:
        print_line("holding", me);
        break;
    case HELD:
        print_line("held", me);
        break;
    case CONSULTING:
        print_line("consulting", me);
        break;
    case CONSULTED:
        print_line("consulted", me);
        break;
    case CONFERENCE:
        print_line("conference", me);
        break;
    case BUSYTONE:
        print_line("busy tone", me);
        break;
    case LOCKOUT:
        print_line("lockout", me);
        break;
    }
}

static void show_statistics(int me)
{
    print_line("calls", (int)line[me].n_calls);
    print_line("answered", (int)line[me].n_answered);
    print_line("failed", (int)line[me].n_failed);
    print_line("forwarded", (int)line[me].n_forwarded);
    print_line("waited", (int)line[me].n_waited);
    print_line("held", (int)line[me].n_held);
    print_line("conferences", (int)line[me].n_conferences);
    print_line("timeouts", (int)line[me].n_timeouts);
    print_line("surprises", (int)line[me].n_surprises);
    print_line("seconds", (int)line[me].seconds_talked);
}

static void show_line(int me)
{
    print_line(line[me].name, me);
    print_line(line[me].number, me);
    show_state(me);
    if (line[me].peer != NOBODY)
        print_line("with", line[me].peer);
    if (line[me].waiting != NOBODY)
        print_line("waiting", line[me].waiting);
    if (line[me].third != NOBODY)
        print_line("and", line[me].third);
    if (line[me].forward != NOBODY)
        print_line("forwarded to", line[me].forward);
    if (line[me].when_busy != NOBODY)
        print_line("forwarded while busy to", line[me].when_busy);
    if (line[me].billing)
        print_line("pays", 1);
    show_statistics(me);
}

static void clear_statistics(int me)
{
    line[me].n_calls = 0;
    line[me].n_answered = 0;
    line[me].n_failed = 0;
    line[me].n_forwarded = 0;
    line[me].n_waited = 0;
    line[me].n_held = 0;
    line[me].n_conferences = 0;
    line[me].n_timeouts = 0;
    line[me].n_surprises = 0;
    line[me].seconds_talked = 0;
}

/* Looks for what should not be; the lines may be in the middle of something, so it is only a hint. */
static int audit_line(int me)
{
    int n_faults = 0;

    if (line[me].state == IDLE && line[me].peer != NOBODY) {
        print_line("idle with a peer", me);
        n_faults++;
    }
    if (line[me].state == IDLE && line[me].timer != 0) {
        print_line("idle with a timer", me);
        n_faults++;
    }
    if (line[me].state == TALKING && line[me].peer == NOBODY) {
        print_line("talks to nobody", me);
        n_faults++;
    }
    if (line[me].peer == me) {
        print_line("talks to itself", me);
        n_faults++;
    }
    if (line[me].billing && line[me].state != TALKING) {
        print_line("pays without talking", me);
        n_faults++;
    }
    if (line[me].waiting != NOBODY && line[me].waiting == line[me].peer) {
        print_line("the peer waits too", me);
        n_faults++;
    }
    if (line[me].third != NOBODY && line[me].third == line[me].peer) {
        print_line("the peer was called besides", me);
        n_faults++;
    }
    if (line[me].state == CONFERENCE && line[me].timer != 0) {
        print_line("a conference with a timer", me);
        n_faults++;
    }
    return n_faults;
}

static void audit_all(void)
{
    int i, n_faults = 0;

    for (i = 0; i < N_LINES; i++)
        n_faults += audit_line(i);
    print_line("faults", n_faults);
}

static void show_bills(int me)
{
    int i;
    unsigned long total = 0;

    for (i = 0; i < n_records; i++) {
        if (records[i].from != me)
            continue;
        print_line("to", records[i].to);
        print_line("seconds", (int)(records[i].stop - records[i].start));
        print_line("reason", records[i].reason);
        total += records[i].stop - records[i].start;
    }
    print_line("total", (int)total);
}

static void change(int command, int me, int value)
{
    switch (command) {
    case SET_WAITING:
        line[me].may_wait = value != 0;
        break;
    case SET_HOLD:
        line[me].may_hold = value != 0;
        break;
    case SET_CONFERENCE:
        line[me].may_confer = value != 0;
        break;
    case SET_TRUNK:
        line[me].may_trunk = value != 0;
        break;
    case SET_HOTLINE:
        line[me].hotline = value != 0;
        break;
    case SET_FORWARD:
        if (value >= 0 && value < N_PARTIES && value != me)
            line[me].forward = value;
        else
            line[me].forward = NOBODY;
        break;
    case SET_WHEN_BUSY:
        if (value >= 0 && value < N_PARTIES && value != me)
            line[me].when_busy = value;
        else
            line[me].when_busy = NOBODY;
        break;
    default:
        print_line("no such command", command);
    }
}

/* Runs until the operator has had enough. */
void console(void)
{
    int command, me;

    for (;;) {
        command = read_command();
        if (command == QUIT)
            return;
        if (command == AUDIT) {
            audit_all();
            continue;
        }
        me = read_number();
        if (!is_line(me)) {
            print_line("no such line", me);
            continue;
        }
        switch (command) {
        case SHOW:
            show_line(me);
            break;
        case CLEAR_STATISTICS:
            clear_statistics(me);
            break;
        case BILLS:
            show_bills(me);
            break;
        default:
            change(command, me, read_number());
        }
    }
}
