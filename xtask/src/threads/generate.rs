//! Small random C programs of two to four threads, small enough to follow every interleaving by brute force.
//!
//! Each program draws on a few of the things threads share and wait for, so that in many programs the same ones meet
//! from several threads. What can fail has a line of its own. Every loop ends, or waits for another thread.

mod special;

use super::program::{Function, Item, Program};
use crate::random::Random;

/// A program and what may be asked of it.
#[derive(Clone)]
pub struct Generated {
    pub program: Program,
    /// gcc's thread sanitizer understands everything it uses.
    pub suits_sanitizer: bool,
    /// A thread may wait in a loop of its own, which is no deadlock.
    pub may_spin: bool,
}

const PROLOGUE: &str = "\
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
";

/// What a program may use; the weights are how often each is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feature {
    Atomics,
    Condition,
    Semaphore,
    ReadersWriter,
    Barrier,
    Heap,
    HeapHandover,
    StackPointer,
    Spin,
    Input,
    Once,
    SpinLock,
    ThreadLocal,
    EarlyEnd,
    Struct,
    Array,
}

const FEATURES: [Feature; 18] = [
    Feature::Atomics,
    Feature::Atomics,
    Feature::Condition,
    Feature::Condition,
    Feature::Semaphore,
    Feature::ReadersWriter,
    Feature::Barrier,
    Feature::Heap,
    Feature::HeapHandover,
    Feature::StackPointer,
    Feature::Spin,
    Feature::Input,
    Feature::Once,
    Feature::SpinLock,
    Feature::ThreadLocal,
    Feature::EarlyEnd,
    Feature::Struct,
    Feature::Array,
];

struct Maker {
    random: Random,
    features: Vec<Feature>,
    /// C11's threads and mutexes instead of POSIX's.
    is_c11: bool,
    has_weak_orders: bool,
    n_threads: usize,
    mutexes: Vec<&'static str>,
    /// Shared integers.
    places: Vec<&'static str>,
    is_main: bool,
    may_spin: bool,
    n_loops: usize,
    /// Locks held on the way to the statement: most programs do not take the same one twice.
    held: Vec<&'static str>,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed ^ 0x7472_6561_6473);
    let n_threads = random.pick(&[1, 1, 1, 2, 2, 2, 3]);
    let n_features = 1 + random.below(4) as usize;
    let mut features: Vec<Feature> = (0..n_features).map(|_| random.pick(&FEATURES)).collect();
    if features.contains(&Feature::Spin) && !features.contains(&Feature::Atomics) {
        features.push(Feature::Atomics);
    }
    let is_c11 = random.chance(15);
    let has_weak_orders = features.contains(&Feature::Atomics) && random.chance(15);
    let mut mutexes = vec!["&m0"];
    if random.chance(50) {
        mutexes.push("&m1");
    }
    if features.contains(&Feature::Struct) {
        mutexes.push("&box.mutex");
    }
    if features.contains(&Feature::Heap) {
        mutexes.push("&chest->mutex");
    }
    let mut places = vec!["x", "x"];
    if random.chance(60) {
        places.push("y");
    }
    for (feature, place) in [
        (Feature::Struct, "box.value"),
        (Feature::Struct, "pair.left"),
        (Feature::Struct, "pair.right"),
        (Feature::Heap, "chest->value"),
        (Feature::Array, "a[0]"),
        (Feature::Array, "a[1]"),
        (Feature::Array, "a[u & 1]"),
    ] {
        if features.contains(&feature) {
            places.push(place);
        }
    }
    let maker = Maker {
        random,
        features,
        is_c11,
        has_weak_orders,
        n_threads,
        mutexes,
        places,
        is_main: false,
        may_spin: false,
        n_loops: 0,
        held: Vec::new(),
    };
    maker.program()
}

impl Maker {
    fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    fn program(mut self) -> Generated {
        let globals = self.globals();
        let mut functions = Vec::new();
        if self.has(Feature::Once) {
            let body = vec![self.write()];
            functions.push(Function { open: "static void begin(void)".to_owned(), body });
        }
        // Two threads may run the same function.
        let n_functions =
            if self.n_threads > 1 && self.random.chance(30) { self.n_threads - 1 } else { self.n_threads };
        let budget = self.random.pick(match self.n_threads {
            1 => &[3u64, 4, 5, 6][..],
            2 => &[2, 3, 3, 4][..],
            _ => &[1, 2, 2][..],
        });
        for number in 1..=n_functions {
            let mut body =
                vec![Item::line("int *place = argument;"), Item::line("int u = 0;"), Item::line("int v = 0;")];
            body.extend(self.statements(budget));
            body.push(Item::line("return 0;"));
            let result = if self.is_c11 { "int " } else { "void *" };
            functions.push(Function { open: format!("static {result}worker{number}(void *argument)"), body });
        }
        let body = self.main(n_functions, budget);
        functions.push(Function { open: "int main(void)".to_owned(), body });
        let names = [
            "t1", "t2", "t3", "worker1", "worker2", "worker3", "m0", "m1", "box", "chest", "pair", "x", "y", "a", "f",
            "g", "ready", "filled", "tokens", "table", "meeting", "gate", "once", "begin", "own", "given", "local",
            "place",
        ];
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let program = Program { prologue: PROLOGUE, globals, functions, names };
        // Under the sanitizer a program whose main thread has ended by itself never ends.
        let ends_main = program.text().contains("pthread_exit");
        let suits_sanitizer = !self.is_c11 && !self.has_weak_orders && !ends_main;
        Generated { program, suits_sanitizer, may_spin: self.may_spin }
    }

    fn globals(&mut self) -> Vec<String> {
        let mutex = if self.is_c11 { "mtx_t" } else { "pthread_mutex_t" };
        let initial = if self.is_c11 { "" } else { " = PTHREAD_MUTEX_INITIALIZER" };
        let mut lines = vec!["static int x, y;".to_owned()];
        lines.extend(["m0", "m1"].map(|name| format!("static {mutex} {name}{initial};")));
        if self.has(Feature::Struct) || self.has(Feature::Heap) {
            lines.push(format!("struct locked {{ {mutex} mutex; int value; }};"));
        }
        let mut add = |feature, text: &str| {
            if self.features.contains(&feature) {
                lines.extend(text.lines().map(str::to_owned));
            }
        };
        add(Feature::Struct, "static struct locked box;\nstatic struct { int left, right; } pair;");
        add(Feature::Heap, "static struct locked *chest;");
        add(Feature::Array, "static int a[2];");
        add(Feature::Atomics, "static atomic_int f, g;");
        let condition = if self.is_c11 {
            "static int ready;\nstatic cnd_t filled;"
        } else {
            "static int ready;\nstatic pthread_cond_t filled = PTHREAD_COND_INITIALIZER;"
        };
        add(Feature::Condition, condition);
        add(Feature::Semaphore, "static sem_t tokens;");
        add(Feature::ReadersWriter, "static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;");
        add(Feature::Barrier, "static pthread_barrier_t meeting;");
        add(Feature::SpinLock, "static pthread_spinlock_t gate;");
        add(Feature::Once, "static pthread_once_t once = PTHREAD_ONCE_INIT;");
        add(Feature::ThreadLocal, "static _Thread_local int own;");
        if self.has(Feature::HeapHandover) || self.has(Feature::StackPointer) {
            lines.push("static int *given;".to_owned());
        }
        lines
    }

    /// What main does: makes things, starts threads, takes part, joins.
    fn main(&mut self, n_functions: usize, budget: u64) -> Vec<Item> {
        self.is_main = true;
        let mut body = vec![Item::line("int local = 0;"), Item::line("int u = 0;"), Item::line("int v = 0;")];
        body.extend(self.beginnings());
        let handle = if self.is_c11 { "thrd_t" } else { "pthread_t" };
        body.extend((1..=self.n_threads).map(|number| Item::line(format!("{handle} t{number};"))));
        let mut created = 0;
        let mut pending: Vec<usize> = Vec::new();
        let mut left = budget.min(3);
        while created < self.n_threads || left > 0 {
            if created < self.n_threads && (left == 0 || self.random.chance(75)) {
                created += 1;
                body.push(self.create(created, n_functions));
                pending.push(created);
            } else if left > 0 && !pending.is_empty() && self.random.chance(15) {
                let number = pending.remove(self.random.below(pending.len() as u64) as usize);
                body.push(self.join(number));
                left -= 1;
            } else {
                let used = 1 + self.random.below(left);
                body.extend(self.statements(used));
                left -= used;
            }
        }
        let joins_all = self.random.chance(85);
        for number in pending {
            if joins_all || self.random.chance(50) {
                body.push(self.join(number));
            } else if self.random.chance(50) {
                let detach = if self.is_c11 { "thrd_detach" } else { "pthread_detach" };
                body.push(Item::line(format!("{detach}(t{number});")));
            }
        }
        if self.random.chance(70) {
            body.push(self.assertion());
        }
        if self.random.chance(8) {
            body.push(Item::line(if self.is_c11 { "thrd_exit(0);" } else { "pthread_exit(0);" }));
        }
        body.push(Item::line("return 0;"));
        body
    }

    /// Makes what needs making at run time.
    fn beginnings(&mut self) -> Vec<Item> {
        let mut lines: Vec<String> = Vec::new();
        if self.has(Feature::Heap) {
            lines.push("chest = calloc(1, sizeof *chest);".to_owned());
        }
        for mutex in &self.mutexes {
            if self.is_c11 {
                lines.push(format!("mtx_init({mutex}, mtx_plain);"));
            } else if !mutex.starts_with("&m") {
                lines.push(format!("pthread_mutex_init({mutex}, 0);"));
            }
        }
        if self.has(Feature::Condition) && self.is_c11 {
            lines.push("cnd_init(&filled);".to_owned());
        }
        if self.has(Feature::Semaphore) {
            lines.push(format!("sem_init(&tokens, 0, {});", self.random.below(3)));
        }
        if self.has(Feature::Barrier) {
            lines.push(format!("pthread_barrier_init(&meeting, 0, {});", 1 + self.random.below(3)));
        }
        if self.has(Feature::SpinLock) {
            lines.push("pthread_spin_init(&gate, 0);".to_owned());
        }
        if self.has(Feature::HeapHandover) {
            lines.push("given = malloc(sizeof *given);".to_owned());
            lines.push("*given = 0;".to_owned());
        }
        lines.into_iter().map(Item::Line).collect()
    }

    fn create(&mut self, number: usize, n_functions: usize) -> Item {
        let worker = number.min(n_functions);
        let mut arguments = vec!["&x", "&local", "&local"];
        if self.has(Feature::Array) {
            arguments.push("&a[1]");
        }
        if self.has(Feature::Struct) {
            arguments.push("&pair.left");
        }
        if self.has(Feature::Heap) {
            arguments.push("&chest->value");
        }
        let argument = self.random.pick(&arguments);
        Item::line(if self.is_c11 {
            format!("thrd_create(&t{number}, worker{worker}, {argument});")
        } else {
            format!("pthread_create(&t{number}, 0, worker{worker}, {argument});")
        })
    }

    fn join(&mut self, number: usize) -> Item {
        Item::line(if self.is_c11 {
            format!("thrd_join(t{number}, 0);")
        } else {
            format!("pthread_join(t{number}, 0);")
        })
    }

    /// Statements that cost at most so much together.
    fn statements(&mut self, budget: u64) -> Vec<Item> {
        let mut items = Vec::new();
        let mut left = budget;
        while left > 0 {
            let used = 1 + self.random.below(left.min(3));
            items.extend(self.statement(used));
            left -= used;
        }
        items
    }

    fn statement(&mut self, budget: u64) -> Vec<Item> {
        if self.random.chance(35) && !self.features.is_empty() {
            let feature = self.features[self.random.below(self.features.len() as u64) as usize];
            if let Some(items) = self.special(feature, budget) {
                return items;
            }
        }
        match self.random.below(100) {
            0..22 => vec![self.write()],
            22..36 => vec![self.read()],
            36..48 => vec![self.read(), self.assertion()],
            48..76 => self.locked(budget),
            76..86 => vec![self.branch(budget)],
            86..92 if budget > 1 => {
                self.n_loops += 1;
                let open = format!("for (int i{0} = 0; i{0} < 2; i{0}++) {{", self.n_loops);
                vec![Item::block(&[&open], self.statements(budget - 1), &["}"])]
            }
            _ => vec![self.assertion()],
        }
    }

    fn place(&mut self) -> &'static str {
        let all = self.places.len() as u64;
        let index = self.random.below(all + 2);
        match self.places.get(index as usize) {
            Some(place) => place,
            None if self.is_main => "local",
            None => "*place",
        }
    }

    fn local(&mut self) -> &'static str {
        self.random.pick(&["u", "v"])
    }

    fn write(&mut self) -> Item {
        let place = if self.has(Feature::Once) && !self.is_main { "x" } else { self.place() };
        let other = if self.has(Feature::Once) && !self.is_main { "y" } else { self.place() };
        let number = self.random.below(3);
        Item::line(match self.random.below(5) {
            0 | 1 => format!("{place} = {number};"),
            2 => format!("{place} = {place} + 1;"),
            3 => format!("{place} += {};", number + 1),
            _ => format!("{place} = {other};"),
        })
    }

    fn read(&mut self) -> Item {
        let (place, local) = (self.place(), self.local());
        Item::line(format!("{local} = {place};"))
    }

    fn assertion(&mut self) -> Item {
        let place = if self.random.chance(40) { self.place() } else { self.local() };
        let number = self.random.below(4);
        Item::line(match self.random.below(4) {
            0 | 1 => format!("assert({place} != {});", number + 1),
            2 => format!("assert({place} <= {number});"),
            _ => {
                let other = self.local();
                format!("assert({place} >= {other});")
            }
        })
    }

    fn branch(&mut self, budget: u64) -> Item {
        let place = if self.random.chance(50) { self.place() } else { self.local() };
        let operator = self.random.pick(&["==", "!=", ">", "<="]);
        let open = format!("if ({place} {operator} {}) {{", self.random.below(3));
        let body = self.statements(budget.saturating_sub(1).max(1));
        Item::block(&[&open], body, &["}"])
    }

    /// Takes a lock around statements, or tries to.
    fn locked(&mut self, budget: u64) -> Vec<Item> {
        let mutex = self.random.pick(&self.mutexes.clone());
        if self.held.contains(&mutex) && self.random.chance(95) {
            return vec![self.write()];
        }
        let (lock, try_lock, unlock, success) = if self.is_c11 {
            ("mtx_lock", "mtx_trylock", "mtx_unlock", "thrd_success")
        } else {
            ("pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock", "0")
        };
        self.held.push(mutex);
        let body = self.statements(budget);
        self.held.pop();
        let unlock = format!("{unlock}({mutex});");
        if self.random.chance(15) {
            let open = format!("if ({try_lock}({mutex}) == {success}) {{");
            return vec![Item::block(&[&open], body, &[&unlock, "}"])];
        }
        let open = format!("{lock}({mutex});");
        vec![Item::block(&[&open], body, &[&unlock])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_one_program_and_others_mean_others() {
        let text = |seed| generate(seed).program.text();
        assert_eq!(text(7), text(7));
        let texts: std::collections::BTreeSet<String> = (1..=200).map(text).collect();
        assert!(texts.len() > 190);
    }
}
