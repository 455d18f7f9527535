// _pid, _nr_pr and _last.
// states: 54
byte x; byte l;
proctype R() { x = _pid; l = _last }
init { run R(); run R(); _nr_pr == 1; x = _nr_pr }
