//! Execution of embedded C within a step.

use unpick_base::Span;

use super::work::Work;
use super::{Fault, FaultKind, Machine, Shown};
use crate::code::PieceId;
use crate::embedded::{Caller, EmbeddedCode, Frames};
use crate::{Model, ProctypeId, Scalar, Scope};

/// A state as code sees it.
struct Seen<'a> {
    model: &'a Model,
    work: &'a mut Work,
}

impl Seen<'_> {
    fn at(&self, scope: Scope, process: u8, offset: u32) -> Option<usize> {
        let frame = match scope {
            Scope::Global => self.work.globals + self.model.global_head(),
            Scope::Hidden => 0,
            Scope::Local => self.work.processes[usize::from(process)] + self.model.process_head(),
            Scope::Nowhere => return None,
        };
        Some(frame + offset as usize)
    }
}

impl Frames for Seen<'_> {
    fn get(&self, scope: Scope, process: u8, offset: u32, scalar: Scalar) -> i32 {
        self.at(scope, process, offset).map_or(0, |at| self.work.read(at, scalar))
    }

    fn set(&mut self, scope: Scope, process: u8, offset: u32, scalar: Scalar, value: i32) {
        if let Some(at) = self.at(scope, process, offset) {
            self.work.write(at, scalar, value);
        }
    }

    fn n_processes(&self) -> i32 {
        self.work.processes.len() as i32 + i32::from(self.model.is_beside_claim)
    }

    fn last(&self) -> i32 {
        self.work.last().into()
    }
}

impl Machine<'_> {
    fn embedded(&self, span: Span) -> Result<&dyn EmbeddedCode, Fault> {
        self.model.embedded.as_deref().ok_or(Fault { kind: FaultKind::NoCode, span })
    }

    /// Claims have no variables of their own.
    fn who(&self, work: &Work, process: u8) -> Caller {
        let is_process = usize::from(process) < work.processes.len();
        let proctype = is_process.then(|| work.position(process.into()).0);
        Caller { process, proctype }
    }

    pub(super) fn code_value(&self, work: &mut Work, process: u8, piece: PieceId, span: Span) -> Result<i32, Fault> {
        let who = self.who(work, process);
        self.embedded(span)?.value(&Seen { model: self.model, work }, who, piece, span)
    }

    pub(super) fn execute(
        &self,
        work: &mut Work,
        process: u8,
        piece: PieceId,
        span: Span,
        output: Option<&mut Vec<u8>>,
    ) -> Result<bool, Fault> {
        let who = self.who(work, process);
        self.embedded(span)?.execute(&mut Seen { model: self.model, work }, who, piece, span, output)
    }

    /// Adds the data of embedded C.
    pub(super) fn show_code(&self, mut work: Work, shown: &mut Vec<Shown>) {
        let Some(embedded) = &self.model.embedded else { return };
        let processes: Vec<Caller> = (0..work.processes.len()).map(|process| self.who(&work, process as u8)).collect();
        let found = embedded.shown(&Seen { model: self.model, work: &mut work }, &processes);
        shown.extend(found.into_iter().map(|data| Shown { process: data.process, name: data.name, value: data.value }));
    }

    pub(super) fn start_code(&self, work: &mut Work) -> Result<(), Fault> {
        match &self.model.embedded {
            Some(embedded) => embedded.start(&mut Seen { model: self.model, work }),
            None => Ok(()),
        }
    }

    pub(super) fn start_process_code(&self, work: &mut Work, process: u8, proctype: ProctypeId) -> Result<(), Fault> {
        let Some(embedded) = self.model.embedded.as_ref().filter(|embedded| embedded.has_data(proctype)) else {
            return Ok(());
        };
        let who = self.who(work, process);
        embedded.start_process(&mut Seen { model: self.model, work }, who)
    }

    pub(super) fn end_process_code(&self, work: &mut Work, process: u8) -> Result<(), Fault> {
        let who = self.who(work, process);
        match &self.model.embedded {
            Some(embedded) => embedded.end_process(&mut Seen { model: self.model, work }, who),
            None => Ok(()),
        }
    }
}
