mtype = { ask, answer };
typedef M { byte who; bool ok };
chan plain = [2] of { byte, mtype };
chan c[2] = [1] of { short };
chan meet = [0] of { M };
chan names = [1] of { chan };
active proctype Sender() {
    chan own = [1] of { byte };
    M m;
    m.who = _pid;
    plain!1,ask; plain!!0,answer; meet!m; names!own; own?_;
    c[m.who % 2]!-1
}
active proctype Receiver() {
    byte x; mtype what; M m; chan from;
    plain??1,what; plain?<x,_>; plain?eval(x),what; meet?m; names?from; from!x;
    if
    :: c[0]?[-1] -> c[0]?_
    :: nempty(c[1]) && len(c[1]) < 2 -> c[1]?_
    :: full(plain) -> skip
    fi
}
