//! Tests of the verifier: for every rule the smallest text that breaks it, beside one that does not.

use super::verify;
use crate::Model;
use crate::text::parse;

fn model(text: &str) -> Model {
    parse(&format!("automaton {text}")).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// The rules that a model breaks.
fn broken(model: &Model) -> Vec<u8> {
    let mut rules: Vec<u8> = verify(model).err().into_iter().flatten().map(|fault| fault.rule).collect();
    rules.dedup();
    rules
}

/// The first text keeps all rules, the second one breaks this one and no other.
#[track_caller]
fn near_miss(rule: u8, right: &str, wrong: &str) {
    assert_eq!(broken(&model(right)), [], "{right}");
    assert_eq!(broken(&model(wrong)), [rule], "{wrong}");
}

/// The same, of the step of a process with the variables `local0.byte` and `global0.byte`.
#[track_caller]
fn near_miss_step(rule: u8, right: &str, wrong: &str) {
    let whole = |step: &str| {
        format!(
            "globals size 1 {{}} proctype p0 P size 1 {{ start l1 l0: l1: {step} #0 l2: end #1 }} \
             proctype p1 Q size 2 {{ param local0.byte start l1 l0: l1: end #0 }} process p0 priority 1"
        )
    };
    near_miss(rule, &whole(right), &whole(wrong));
}

const END: &str = "start l1 l0: l1: end #0";

#[test]
fn rule_1_counts() {
    let proctypes = |n: usize| -> String { (0..n).map(|id| format!("proctype p{id} P size 0 {{ {END} }}")).collect() };
    near_miss(1, &proctypes(256), &proctypes(257));
    let locations = |n: usize| -> String { (1..n).map(|id| format!("l{id}: end #0 ")).collect() };
    let claim = |n: usize| format!("claim c {{ start l1 l0: {} }}", locations(n));
    near_miss(1, &claim(1 << 15), &claim((1 << 15) + 1));
    let proctype = |n: usize| format!("proctype p0 P size 0 {{ start l1 l0: {} }}", locations(n));
    near_miss(1, &proctype(1 << 16), &proctype((1 << 16) + 1));
    near_miss(1, "trace {}", "trace {} notrace {}");
}

#[test]
fn rule_2_sizes() {
    near_miss(2, "hidden size 1073741823", "hidden size 1073741824");
    near_miss(2, "globals size 1073741822 {}", "globals size 1073741823 {}");
    let proctype = |size: u32| format!("proctype p0 P size {size} {{ {END} }}");
    near_miss(2, &proctype(1_073_741_820), &proctype(1_073_741_821));
    let fields = |n: usize| format!("channel c0: 255 of {} globals size 0 {{ channel c0 }}", vec!["int"; n].join(","));
    near_miss(2, &fields(1 << 10), &fields(1 << 21));
}

#[test]
fn rule_3_scalars() {
    near_miss(3, "globals size 4 { var x global0.unsigned32 }", "globals size 4 { var x global0.unsigned33 }");
    near_miss(3, "channel c0: 1 of unsigned1", "channel c0: 1 of unsigned0");
}

#[test]
fn rule_4_channels() {
    near_miss(4, "channel c0: 255 of bit", "channel c0: 256 of bit");
    near_miss(4, "channel c0: 1 of bit, byte", "channel c0: 1 of bit, byte bare");
    near_miss(4, "channel c0: 1 of globals size 0 { channel c0 }", "globals size 0 { channel c0 }");
    let frame = |n: usize| format!("channel c0: 1 of globals size 0 {{ {} }}", "channel c0 ".repeat(n));
    near_miss(4, &frame(255), &frame(256));
}

#[test]
fn rule_5_mtype() {
    near_miss(5, "mtype \"\" () channel c0: 1 of byte mtype 0", "mtype \"\" () channel c0: 1 of byte mtype 1");
    near_miss(
        5,
        "mtype m () globals size 1 { var x global0.byte mtype 0 }",
        "globals size 1 { var x global0.byte mtype 0 }",
    );
    near_miss_step(5, "print 1 mtype -> l2", "print 1 mtype 0 -> l2");
}

#[test]
fn rule_6_start() {
    near_miss(6, &format!("proctype p0 P size 0 {{ {END} }}"), "proctype p0 P size 0 { l0: l1: end #0 }");
    near_miss(6, &format!("claim c {{ {END} }}"), "claim c { l0: l1: end #0 }");
    let started = |id: u32| format!("proctype p0 P size 0 {{ {END} }} process p{id} priority 1");
    near_miss(6, &started(0), &started(1));
    let processes = |n: usize| format!("proctype p0 P size 0 {{ {END} }} {}", "process p0 priority 1 ".repeat(n));
    near_miss(6, &processes(255), &processes(256));
}

#[test]
fn rule_7_locations() {
    near_miss_step(7, "skip -> l2", "skip -> l3");
    near_miss_step(7, "skip -> l2", "skip -> l0");
    near_miss_step(7, "skip -> l2 escape l1", "skip -> l2 escape l9");
    near_miss_step(7, "when at p1 l1 -> l2", "when at p1 l2 -> l2");
    near_miss_step(7, "when at p1 l0 -> l2", "when at p2 l0 -> l2");
    let start = |start: &str| format!("proctype p0 P size 0 {{ start {start} label a l0 l0: l1: end #0 }}");
    near_miss(7, &start("l1"), &start("l2"));
    let label = |at: &str| format!("proctype p0 P size 0 {{ label a {at} {END} }}");
    near_miss(7, &label("l0"), &label("l2"));
    near_miss(7, &label("l0"), "proctype p0 P size 0 { start l1 l0: end #0 l1: end #0 }");
}

#[test]
fn rule_8_targets() {
    near_miss_step(8, "skip -> l2", "skip");
    near_miss_step(8, "end", "end -> l2");
}

#[test]
fn rule_9_places() {
    near_miss_step(9, "global0.byte = 1 -> l2", "global1.byte = 1 -> l2");
    near_miss_step(9, "when local0.byte -> l2", "when local0.short -> l2");
    near_miss_step(9, "nowhere0.int = 1 -> l2", "hidden0.bit = 1 -> l2");
    near_miss_step(9, "when global0[pid of 1 by 9].byte -> l2", "when global0[pid of 2 by 1].byte -> l2");
    near_miss_step(9, "when global0[pid of 1 by 1].byte -> l2", "when global0[pid of 0 by 1].byte -> l2");
    // A constant index counts for all that it could be.
    near_miss_step(9, "when global0[0 of 1 by 1].byte -> l2", "when global0[0 of 2 by 1].byte -> l2");
    near_miss_step(9, "when remote p1 local1.byte -> l2", "when remote p0 local1.byte -> l2");
    near_miss_step(9, "when remote p1 local0.byte -> l2", "when remote p1 global0.byte -> l2");
    near_miss_step(9, "when remote p1 local0.byte -> l2", "when remote p2 local0.byte -> l2");
    let claim = |place: &str| format!("globals size 1 {{}} claim c {{ start l1 l0: l1: when {place} -> l1 #0 }}");
    near_miss(9, &claim("global0.byte"), &claim("local0.byte"));
    let trace = |place: &str| format!("globals size 1 {{}} trace {{ l0: l1: send {place} () -> l1 #0 }}");
    near_miss(9, &trace("global0.byte"), &trace("local0.byte"));
    near_miss(9, "globals size 1 { init global0.byte = 1 }", "globals size 1 { init global0.byte = local0.byte }");
}

#[test]
fn rule_10_narrow_values() {
    let globals = |one: &str, other: &str| format!("globals size 8 {{ var x {one} var y {other} }}");
    near_miss(10, &globals("global0.bit", "global0.bit"), &globals("global0.bit", "global0.byte"));
    near_miss(10, &globals("global0.bit", "global1.byte"), &globals("global1.bit", "global0.short"));
    near_miss(10, &globals("global0.unsigned16", "global0.short"), &globals("global0.unsigned15", "global0.short"));
    near_miss(
        10,
        &globals("global0.unsigned9", "global2.unsigned9"),
        &globals("global0.unsigned9", "global1.unsigned9"),
    );
    near_miss(
        10,
        "globals size 8 { var x global4.bit init global0[global0.byte of 2 by 2].byte = 1 }",
        "globals size 8 { var x global4.bit init global0[global0.byte of 3 by 2].byte = 1 }",
    );
    let remote = |scalar: &str| {
        format!(
            "globals size 1 {{}} proctype p0 P size 1 {{ var x local0.bit start l1 l0: \
             l1: when remote p0 local0.{scalar} -> l1 #0 }}"
        )
    };
    near_miss(10, &remote("bit"), &remote("unsigned8"));
}

#[test]
fn rule_11_parameters() {
    let params = |params: &str| format!("globals size 1 {{}} proctype p0 P size 4 {{ {params} {END} }}");
    near_miss(11, &params("param local0.byte param local1.byte"), &params("param local0.short param local1.byte"));
    near_miss(11, &params("param local0.byte"), &params("param global0.byte"));
    near_miss(11, &params("param local0.byte"), &params("param local0[0 of 2 by 1].byte"));
    near_miss_step(11, "when run p1 (1) priority 1 -> l2", "when run p1 () priority 1 -> l2");
}

#[test]
fn rule_12_initial_values() {
    let frame = |item: &str| {
        format!("channel c0: 1 of globals size 4 {{}} proctype p0 P size 4 {{ channel c0 init {item} {END} }}")
    };
    near_miss(12, &frame("local0.int = global0.byte"), &frame("global0.int = local0.byte"));
    near_miss(12, &frame("local0.byte = channel 0"), &frame("local0.byte = channel 1"));
    near_miss(12, &frame("local0.byte = channel 0"), &frame("local0.int = channel 0"));
    near_miss(
        12,
        "globals size 2 { var x global0[1 of 2 by 1].byte }",
        "globals size 2 { var x global0[2 of 2 by 1].byte }",
    );
    near_miss(
        12,
        "globals size 2 { var x global0[1 of 2 by 1].byte }",
        "globals size 2 { var x global0[global0.byte of 2 by 1].byte }",
    );
}

#[test]
fn rule_13_run() {
    let run = "run p1 (1) priority 1";
    near_miss_step(13, &format!("global0.byte = 1 + {run} -> l2"), &format!("global0[{run} of 1 by 1].byte = 1 -> l2"));
    near_miss_step(13, &format!("send 1 ({run}) -> l2"), &format!("send ({run}) () -> l2"));
    near_miss_step(13, &format!("print \"\" ({run}) -> l2"), &format!("receive 1 ({run}) -> l2"));
    near_miss_step(13, &format!("when !({run}) -> l2"), &format!("when len {run} -> l2"));
    near_miss_step(13, &format!("when {run} -> l2"), "when run p2 () priority 1 -> l2");
    let proctype = |expr: &str| format!("proctype p0 P size 0 {{ provided {expr} {END} }}");
    near_miss(13, &proctype("1"), &proctype("run p0 () priority 1"));
    let claim =
        |expr: &str| format!("proctype p0 P size 0 {{ {END} }} claim c {{ start l1 l0: l1: when {expr} -> l1 #0 }}");
    near_miss(13, &claim("1"), &claim("run p0 () priority 1"));
}

#[test]
fn rule_14_priorities() {
    near_miss_step(14, "when run p1 (1) priority 1 -> l2", "when run p1 (1) priority 0 -> l2");
    let process = |priority: u8| format!("proctype p0 P size 0 {{ {END} }} process p0 priority {priority}");
    near_miss(14, &process(255), &process(0));
}

#[test]
fn rule_15_d_step() {
    let region = |flag: &str, from: &str, inside: &str| {
        format!("proctype p0 P size 0 {{ start l1 l0: l1: {from} -> l3 #0 l2 {flag}: {inside} #0 l3: end #0 }}")
    };
    let right = region("d_step", "d_step l2", "skip -> l3");
    near_miss(15, &right, &region("", "d_step l2", "skip -> l3"));
    near_miss(15, &right, &region("d_step", "d_step l2", "end"));
    near_miss(15, &right, &region("d_step", "d_step l2", "d_step l2 -> l3"));
    let entered = |target: &str| {
        format!("proctype p0 P size 0 {{ start l1 l0: l1: skip -> {target} #0 l2 d_step: skip -> l3 #0 l3: end #0 }}")
    };
    near_miss(15, &entered("l3"), &entered("l2"));
}

#[test]
fn rule_16_flags() {
    let globals = |flag: &str, expr: &str| format!("{flag} globals size 1 {{ init global0.byte = {expr} }}");
    near_miss(16, &globals("last", "last"), &globals("priority", "last"));
    near_miss(16, &globals("priority", "priority"), &globals("last", "priority"));
    near_miss(16, &globals("priority", "priority_of 1"), &globals("", "priority_of 1"));
    near_miss_step(16, "skip -> l2", "set_priority 1 to 1 -> l2");
    let code = |flag: &str| {
        format!("{flag} code {{ expression code0 \"1\" }} globals size 1 {{ init global0.byte = value code0 }}")
    };
    near_miss(16, &code("has_code"), &code(""));
}

#[test]
fn rule_17_code() {
    let code = |items: &str, step: &str| {
        format!(
            "has_code code {{ {items} }} globals size 8 {{}} proctype p0 P size 0 {{ start l1 l0: l1: {step} -> l1 #0 }}"
        )
    };
    let statements = "statements code0 in p0 \"x++;\"";
    near_miss(17, &code(statements, "execute code0"), &code(statements, "execute code1"));
    near_miss(17, &code(statements, "execute code0"), &code(statements, "when value code0"));
    near_miss(
        17,
        &code("expression code0 \"1\"", "when value code0"),
        &code("expression code0 \"1\"", "execute code0"),
    );
    near_miss(17, &code(statements, "skip"), &code("statements code0 in p1 \"x++;\"", "skip"));
    near_miss(17, &code("memory global4", "skip"), &code("memory global5", "skip"));
    near_miss(17, &code("memory global4", "skip"), &code("memory global4 hidden0", "skip"));
    near_miss(17, &code("locals { }", "skip"), &code("locals { } locals { }", "skip"));
    let records = |of: usize| format!("record r size 1 {{ x local0.byte }} record s size 1 {{ y local0.record {of} }}");
    near_miss(17, &code(&records(0), "skip"), &code(&records(1), "skip"));
    let globals = |of: usize| format!("record r size 1 {{ x local0.byte }} globals {{ y global0.record {of} }}");
    near_miss(17, &code(&globals(0), "skip"), &code(&globals(1), "skip"));
}

#[test]
fn rule_18_nesting() {
    use crate::{Expr, FrameInit, Unary};
    // No text is so deep, so the expression is made deeper than it was read.
    let deep = |n: u32| {
        let mut model = model("globals size 1 { init global0.byte = 1 }");
        for init in &mut model.globals.init {
            let FrameInit::Value(_, expr) = init else { continue };
            for _ in 1..n {
                *expr = Expr::Unary(Unary::Not, Box::new(expr.clone()));
            }
        }
        broken(&model)
    };
    let limit = crate::text::MAX_NESTING;
    assert_eq!(deep(limit), []);
    assert_eq!(deep(limit + 1), [18]);
}

#[test]
fn rule_19_escapes() {
    near_miss_step(19, "skip -> l2 escape l1 #0 skip -> l2", "skip -> l2 #0 skip -> l2 escape l1");
}
