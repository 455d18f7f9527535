//! Thread cancellation points (POSIX): where a thread tests for a pending cancellation (`models/pthread_cancel.c`).
//!
//! Only programs that mention `pthread_cancel` pay for it. In them a call of a function that POSIX names (2.9.5.2) is
//! preceded by `__cancel_point`, one of a function that may be a cancellation point by `__cancel_chance`. That is the same
//! as cancelling inside functions that wait for a time or for the outside world, as these return at any moment here.
//! Functions that wait for other threads have twins of their own.

use unpick_base::Span;
use unpick_program::program::StmtKind;

use super::function::FunctionLowering;
use super::variant::ModelVariant;
use super::{DeclRef, Lowering};
use unpick_front_c::ast::{DeclId, ExprId, ExprKind, Unit};
use unpick_front_c::models::CANCELLABLE_PREFIX;

/// How threads of the program end before their functions return.
#[derive(Clone, Copy, Default)]
pub(super) struct Endings {
    /// Threads may be cancelled.
    pub(super) by_cancellation: bool,
    /// With cleanup handlers that have not been popped.
    pub(super) by_unwinding: bool,
}

const POINTS: &str = "\
    accept accept4 clock_nanosleep close connect creat fdatasync fsync lockf mq_receive mq_send mq_timedreceive \
    mq_timedsend msgrcv msgsnd msync nanosleep open open64 openat pause poll ppoll pread pselect pwrite read \
    readv recv recvfrom recvmsg select sem_clockwait sem_timedwait send sendmsg sendto sigsuspend sigtimedwait \
    sigwait sigwaitinfo sleep system tcdrain usleep wait waitid waitpid write writev";

const CHANCES: &str = "\
    access closedir closelog dprintf fclose fcntl fflush fgetc fgets fopen fprintf fputc fputs fread freopen \
    fscanf fseek fstat ftell fwrite getaddrinfo getc getchar getdelim getline ioctl link lseek mkdir opendir \
    openlog pclose perror popen printf putc putchar puts readdir remove rename rewind rmdir scanf stat syslog \
    tmpfile ungetc unlink vfprintf vprintf";

fn is_among(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|known| known == name)
}

impl Lowering<'_> {
    /// What a unit of the user's mentions.
    pub(super) fn note_endings(&mut self, unit: &Unit) {
        let named = |name: &str| -> Vec<DeclId> {
            let decls = unit.decls.iter_enumerated();
            decls.filter(|(_, decl)| self.session.interner.name(decl.name) == name).map(|(id, _)| id).collect()
        };
        let (cancel, exit) = (named("pthread_cancel"), [named("pthread_exit"), named("thrd_exit")].concat());
        for node in unit.exprs.iter() {
            let ExprKind::Decl(decl) = &node.kind else { continue };
            self.endings.by_cancellation |= cancel.contains(decl);
            self.endings.by_unwinding |= cancel.contains(decl) || exit.contains(decl);
        }
    }
}

impl FunctionLowering<'_, '_, '_> {
    /// A function that waits for other threads, and whose wait can be ended by cancellation.
    pub(super) fn cancellable_variant(&mut self, callee: ExprId) -> Option<ModelVariant> {
        if !self.cx.endings.by_cancellation {
            return None;
        }
        let callee = self.variant_named(CANCELLABLE_PREFIX, callee)?;
        Some(ModelVariant { callee, capacity: None })
    }

    /// The look at requests before a call of a library function.
    pub(super) fn cancellation_point(&mut self, span: Span, callee: DeclId) {
        if !self.cx.endings.by_cancellation || self.cx.units[self.unit_index].is_model {
            return;
        }
        let name = self.name(self.unit.decls[callee].name);
        let look = match name.as_str() {
            name if is_among(POINTS, name) => "__cancel_point",
            name if is_among(CHANCES, name) => "__cancel_chance",
            _other => return,
        };
        if self.cx.has_users_body(DeclRef { unit: self.unit_index, decl: callee }) {
            return;
        }
        if let Some(callee) = self.external_function(look) {
            self.emit(span, StmtKind::Call { dst: None, callee, args: Vec::new() });
        }
    }
}
