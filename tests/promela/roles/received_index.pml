// A variable that a message is kept in is no constant.
// states: 135
chan c = [2] of { byte }; byte u[3], seen;
proctype Takes(byte me) { byte at; c?at; u[at] = me; seen = u[me] }
init { atomic { run Takes(1); run Takes(2) } c!0; c!1; seen = u[0] + u[1] }
