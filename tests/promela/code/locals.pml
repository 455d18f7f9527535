// Local variables and the number of the running process.
// run: check --reduce none
// verdict: verified
// states: 30
byte sum;
proctype Q(byte n) { byte l[2]; short k; c_code { PQ->k = PQ->n * 2; PQ->l[1] = PQ->_pid; };
    atomic { assert(k == n * 2 && l[1] == _pid); sum = sum + k } }
init { atomic { run Q(1); run Q(2) }; c_code { now.sum = now.sum + now._nr_pr - now._nr_pr; }; (_nr_pr == 1); assert(sum == 6) }
