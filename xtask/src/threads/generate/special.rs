//! What threads share and wait for, one feature a function.

use super::super::program::Item;
use super::{Feature, Maker};

impl Maker {
    pub(super) fn special(&mut self, feature: Feature, budget: u64) -> Option<Vec<Item>> {
        Some(match feature {
            Feature::Atomics => self.atomic(budget),
            Feature::Condition => self.condition(budget)?,
            Feature::Semaphore => match self.random.below(5) {
                0 | 1 => vec![Item::line("sem_post(&tokens);")],
                2 => vec![Item::line("sem_wait(&tokens);")],
                3 => {
                    let body = self.statements(budget.saturating_sub(1).max(1));
                    vec![Item::block(&["sem_wait(&tokens);"], body, &["sem_post(&tokens);"])]
                }
                _ => {
                    let body = self.statements(budget.saturating_sub(1).max(1));
                    vec![Item::block(&["if (sem_trywait(&tokens) == 0) {"], body, &["}"])]
                }
            },
            Feature::ReadersWriter => {
                if self.held.contains(&"&table") {
                    return None;
                }
                let open = self.random.pick(&[
                    "pthread_rwlock_rdlock(&table);",
                    "pthread_rwlock_wrlock(&table);",
                    "if (pthread_rwlock_trywrlock(&table) == 0) {",
                ]);
                let unlock = "pthread_rwlock_unlock(&table);";
                self.held.push("&table");
                let body = self.statements(budget);
                self.held.pop();
                let close: &[&str] = if open.starts_with("if") { &[unlock, "}"] } else { &[unlock] };
                vec![Item::block(&[open], body, close)]
            }
            Feature::Barrier => vec![Item::line("pthread_barrier_wait(&meeting);")],
            Feature::Spin => self.spin(),
            Feature::HeapHandover => self.handover(),
            Feature::StackPointer => self.stack_pointer(),
            Feature::Input => self.input(budget),
            Feature::Once => {
                vec![Item::line("pthread_once(&once, begin);"), self.assertion()]
            }
            Feature::SpinLock => {
                if self.held.contains(&"&gate") {
                    return None;
                }
                self.held.push("&gate");
                let body = self.statements(budget);
                self.held.pop();
                vec![Item::block(&["pthread_spin_lock(&gate);"], body, &["pthread_spin_unlock(&gate);"])]
            }
            Feature::ThreadLocal => {
                let local = self.local();
                vec![Item::line("own++;"), Item::line(format!("{local} = own;")), Item::line("assert(own <= 2);")]
            }
            Feature::EarlyEnd => self.early_end(),
            Feature::Heap | Feature::Struct | Feature::Array => return None,
        })
    }

    fn atomic(&mut self, budget: u64) -> Vec<Item> {
        let atomic = self.random.pick(&["f", "f", "g"]);
        let (local, number) = (self.local(), self.random.below(3));
        let weak = self.has_weak_orders && self.random.chance(60);
        let line = match self.random.below(9) {
            0 if weak => format!("atomic_store_explicit(&{atomic}, {number}, memory_order_release);"),
            0 | 1 => format!("atomic_store(&{atomic}, {number});"),
            2 if weak => format!("{local} = atomic_load_explicit(&{atomic}, memory_order_acquire);"),
            2 | 3 => format!("{local} = atomic_load(&{atomic});"),
            4 if weak => format!("atomic_fetch_add_explicit(&{atomic}, 1, memory_order_relaxed);"),
            4 => format!("{local} = atomic_fetch_add(&{atomic}, 1);"),
            5 => format!("{atomic}++;"),
            6 => format!("{local} = atomic_exchange(&{atomic}, {number});"),
            7 => {
                let open = format!("if (atomic_compare_exchange_strong(&{atomic}, &{local}, {number})) {{");
                let body = self.statements(budget.saturating_sub(1).max(1));
                return vec![Item::block(&[&open], body, &["}"])];
            }
            _ => {
                let line = format!("while (!atomic_compare_exchange_strong(&{atomic}, &{local}, {local} + 1)) ;");
                return vec![Item::line(format!("{local} = atomic_load(&{atomic});")), Item::line(line)];
            }
        };
        let mut items = vec![Item::line(line)];
        if self.random.chance(30) {
            items.push(Item::line(format!("assert({local} != {});", self.random.below(4) + 1)));
        }
        items
    }

    fn condition(&mut self, budget: u64) -> Option<Vec<Item>> {
        if self.held.contains(&"&m0") {
            return None;
        }
        let (lock, unlock, wait, signal, broadcast) = if self.is_c11 {
            ("mtx_lock(&m0);", "mtx_unlock(&m0);", "cnd_wait(&filled, &m0);", "cnd_signal", "cnd_broadcast")
        } else {
            (
                "pthread_mutex_lock(&m0);",
                "pthread_mutex_unlock(&m0);",
                "pthread_cond_wait(&filled, &m0);",
                "pthread_cond_signal",
                "pthread_cond_broadcast",
            )
        };
        let wake = format!("{}(&filled);", if self.random.chance(60) { signal } else { broadcast });
        self.held.push("&m0");
        let body = self.statements(budget.saturating_sub(1).max(1));
        self.held.pop();
        Some(match self.random.below(5) {
            0 | 1 => {
                let wait = format!("while (ready == 0) {wait}");
                vec![Item::block(&[lock], [vec![Item::line(wait)], body].concat(), &[unlock])]
            }
            2 => {
                let wait = format!("if (ready == 0) {wait}");
                vec![Item::block(&[lock], [vec![Item::line(wait)], body].concat(), &[unlock])]
            }
            3 => vec![Item::block(&[lock], vec![Item::line("ready = 1;")], &[unlock]), Item::line(wake)],
            _ => vec![Item::block(&[lock], vec![Item::line("ready = 1;"), Item::line(wake)], &[unlock])],
        })
    }

    fn spin(&mut self) -> Vec<Item> {
        self.may_spin = true;
        let atomic = self.random.pick(&["f", "g"]);
        match self.random.below(4) {
            0 => vec![Item::line(format!("while (atomic_load(&{atomic}) == 0) ;"))],
            1 => vec![Item::line(format!("while (atomic_load(&{atomic}) == 0) sched_yield();"))],
            2 => vec![Item::line(format!("while (atomic_exchange(&{atomic}, 1)) ;"))],
            _ => vec![Item::line(format!("atomic_store(&{atomic}, {});", self.random.below(2)))],
        }
    }

    fn handover(&mut self) -> Vec<Item> {
        let local = self.local();
        match self.random.below(5) {
            0 => vec![Item::line("free(given);"), Item::line("given = 0;")],
            1 => vec![Item::block(&["if (given) {"], vec![Item::line("*given = 1;")], &["}"])],
            2 => vec![Item::block(&["if (given) {"], vec![Item::line(format!("{local} = *given;"))], &["}"])],
            3 => vec![Item::line("given = malloc(sizeof *given);"), Item::line("*given = 2;")],
            _ => {
                vec![Item::block(&["if (given) {"], vec![Item::line("free(given);"), Item::line("given = 0;")], &["}"])]
            }
        }
    }

    fn stack_pointer(&mut self) -> Vec<Item> {
        let local = self.local();
        match self.random.below(4) {
            0 => vec![Item::line(format!("given = &{local};"))],
            1 => vec![Item::block(&["if (given) {"], vec![Item::line("*given += 1;")], &["}"])],
            2 => vec![Item::block(&["if (given) {"], vec![Item::line(format!("{local} = *given;"))], &["}"])],
            _ => vec![Item::line("given = 0;")],
        }
    }

    fn input(&mut self, budget: u64) -> Vec<Item> {
        let local = self.local();
        if self.random.chance(50) {
            let body = self.statements(budget.saturating_sub(1).max(1));
            return vec![Item::block(&["if (__VERIFIER_nondet_bool()) {"], body, &["}"])];
        }
        let mut items = vec![
            Item::line(format!("{local} = __VERIFIER_nondet_int();")),
            Item::line(format!("__VERIFIER_assume({local} >= 0 && {local} <= 2);")),
        ];
        if self.random.chance(50) {
            let place = self.place();
            items.push(Item::line(format!("{place} = {local};")));
        }
        items
    }

    fn early_end(&mut self) -> Vec<Item> {
        let place = self.place();
        let end = match self.random.below(3) {
            0 => "return 0;",
            1 if self.is_c11 => "thrd_exit(0);",
            1 => "pthread_exit(0);",
            _ => "exit(0);",
        };
        vec![Item::block(&[&format!("if ({place} == {}) {{", self.random.below(3))], vec![Item::line(end)], &["}"])]
    }
}
