//! Static facts about a model: which channels an expression can name, which expressions cannot fail.
//!
//! Two kinds of facts. A channel variable that no step writes names the channel it was made with: that is certain
//! and compiled as a constant. Which type of channel any other variable names is guessed by following assignments;
//! the guess is checked when the code runs, so it may be wrong.

use std::collections::{BTreeSet, HashMap};

use unpick_automaton::{
    Binary, ChannelTypeId, Expr, Frame, FrameInit, LocationId, Match, Model, Place, ProctypeId, Receive, Scalar, Scope,
    Step,
};

/// Whose variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Owner {
    Global,
    Hidden,
    Local(ProctypeId),
    /// A field of the messages of a type.
    Field(ChannelTypeId),
}

/// A byte that may hold the number of a channel.
type Cell = (Owner, u32);

/// What a channel expression names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Named {
    /// The global channel with this position.
    Global(u32),
    /// The channel with this position among those of the process.
    Local(u32),
    /// One of several, of one of these types.
    Types(Vec<ChannelTypeId>),
}

/// Facts about a model.
pub(crate) struct Facts<'a> {
    model: &'a Model,
    /// Where global channels begin.
    pub(crate) global_channels: Vec<u32>,
    /// Cells that steps write.
    written: BTreeSet<(u8, u32, u32)>,
    types: HashMap<Cell, BTreeSet<ChannelTypeId>>,
    /// The position of the channel that a cell is made with; nothing if its first value comes from elsewhere too.
    made_with: HashMap<Cell, Option<u32>>,
    /// Whether any channel is a rendezvous.
    pub(crate) has_rendezvous: bool,
    /// Whether processes can be made after the start.
    pub(crate) has_runs: bool,
    /// The first slot of each process type: locations of all types are numbered.
    pub(crate) first_slots: Vec<u32>,
}

/// The most elements of an array whose cells are followed one by one.
const MAX_CELLS: u64 = 4096;

impl<'a> Facts<'a> {
    pub(crate) fn new(model: &'a Model) -> Self {
        let mut at = model.hidden_size + model.global_head() as u32 + model.globals.size;
        let mut global_channels = Vec::new();
        for channel in &model.globals.channels {
            global_channels.push(at);
            at += model.channel_types[*channel].size();
        }
        let has_rendezvous = model.channel_types.iter().any(|ty| ty.capacity == 0);
        let (written, types, made_with) = (BTreeSet::new(), HashMap::new(), made_with(model));
        let (mut first_slots, mut n_slots) = (Vec::new(), 0);
        for proctype in model.proctypes.iter() {
            first_slots.push(n_slots);
            n_slots += proctype.automaton.locations.len() as u32;
        }
        let has_runs = has_runs(model);
        let mut facts =
            Self { model, global_channels, written, types, made_with, has_rendezvous, has_runs, first_slots };
        facts.collect_writes();
        facts.follow_types();
        facts
    }

    /// Where the channels of a process begin, from the start of its frame.
    pub(crate) fn local_channel(&self, proctype: ProctypeId, position: u32) -> u32 {
        let frame = &self.model.proctypes[proctype].frame;
        let sizes = frame.channels.iter().take(position as usize).map(|ty| self.model.channel_types[*ty].size());
        self.model.process_head() as u32 + frame.size + sizes.sum::<u32>()
    }

    /// What a channel expression names, read by a process of this type.
    pub(crate) fn named(&self, proctype: Option<ProctypeId>, expr: &Expr) -> Named {
        if let Expr::Load(place) = expr
            && place.indices.is_empty()
            && let Some(owner) = owner(place.scope, proctype)
            && !self.is_written(owner, place.offset)
            && let Some(Some(position)) = self.made_with.get(&(owner, place.offset)).copied()
        {
            match owner {
                Owner::Global => return Named::Global(position),
                Owner::Local(_) => return Named::Local(position),
                Owner::Hidden | Owner::Field(_) => {}
            }
        }
        Named::Types(self.types_of(proctype, expr).into_iter().collect())
    }

    /// Whether a channel expression can name a rendezvous channel.
    pub(crate) fn is_rendezvous(&self, proctype: Option<ProctypeId>, channel: &Expr) -> bool {
        let capacity = |ty| self.model.channel_types[ty].capacity;
        match self.named(proctype, channel) {
            Named::Global(position) => capacity(self.model.globals.channels[position as usize]) == 0,
            Named::Local(position) => proctype.is_some_and(|proctype| {
                capacity(self.model.proctypes[proctype].frame.channels[position as usize]) == 0
            }),
            Named::Types(types) => types.iter().any(|ty| capacity(*ty) == 0),
        }
    }

    /// Whether a process at this location could take an offer, or has to be asked.
    pub(crate) fn may_take(&self, proctype: ProctypeId, location: LocationId) -> bool {
        let automaton = &self.model.proctypes[proctype].automaton;
        automaton.locations[location].transitions.iter().any(|transition| match &transition.step {
            Step::Receive(receive) => self.may_receive(proctype, receive),
            Step::DStep(start) => automaton.locations[*start].transitions.iter().any(|first| match &first.step {
                Step::Receive(receive) => self.may_receive(proctype, receive),
                step => matches!(step, Step::DStep(_)),
            }),
            Step::Skip
            | Step::Else
            | Step::Condition(_)
            | Step::Assign(..)
            | Step::Send { .. }
            | Step::Assert(_)
            | Step::Printf(..)
            | Step::Printm(..)
            | Step::SetPriority(..)
            | Step::Code(_)
            | Step::End => false,
        })
    }

    /// What names a channel that may not exist has to be looked at, whatever its type.
    fn may_receive(&self, proctype: ProctypeId, receive: &Receive) -> bool {
        match self.named(Some(proctype), &receive.channel) {
            Named::Types(_) => true,
            Named::Global(_) | Named::Local(_) => self.is_rendezvous(Some(proctype), &receive.channel),
        }
    }

    fn is_written(&self, owner: Owner, offset: u32) -> bool {
        // C code may write anything.
        if self.model.has_code {
            return true;
        }
        let (kind, of) = owner_key(owner);
        self.written.contains(&(kind, of, offset))
    }

    fn collect_writes(&mut self) {
        let mut written = BTreeSet::new();
        let mut add = |proctype, place: &Place| {
            let Some(owner) = owner(place.scope, Some(proctype)) else { return };
            let (kind, of) = owner_key(owner);
            for offset in reach(place) {
                written.extend((offset..offset + place.scalar.size()).map(|offset| (kind, of, offset)));
            }
        };
        for (proctype, declared) in self.model.proctypes.iter_enumerated() {
            declared.params.iter().for_each(|place| add(proctype, place));
            declared.automaton.for_each_written(&mut |place| add(proctype, place));
        }
        self.written = written;
    }

    fn follow_types(&mut self) {
        self.follow_frame(None, &self.model.globals);
        // Types only grow, and there are few cells: a few rounds reach the end.
        loop {
            let before: usize = self.types.values().map(BTreeSet::len).sum();
            self.follow_round();
            if self.types.values().map(BTreeSet::len).sum::<usize>() == before {
                return;
            }
        }
    }

    fn follow_frame(&mut self, proctype: Option<ProctypeId>, frame: &Frame) {
        for init in &frame.init {
            match init {
                FrameInit::Value(place, expr) => self.flow(proctype, place, proctype, expr),
                FrameInit::Channel(place, position) => {
                    let types = BTreeSet::from([frame.channels[*position as usize]]);
                    self.flow_types(proctype, place, &types);
                }
            }
        }
    }

    fn follow_round(&mut self) {
        let model = self.model;
        for (proctype, declared) in model.proctypes.iter_enumerated() {
            self.follow_frame(Some(proctype), &declared.frame);
            for location in declared.automaton.locations.iter() {
                for transition in &location.transitions {
                    self.follow_step(proctype, &transition.step);
                }
            }
        }
    }

    fn follow_step(&mut self, proctype: ProctypeId, step: &Step) {
        let own = Some(proctype);
        match step {
            Step::Assign(place, expr) => {
                self.follow_run(proctype, expr);
                self.flow(own, place, own, expr);
            }
            Step::Condition(expr) => self.follow_run(proctype, expr),
            Step::Send { channel, args, .. } => {
                for ty in self.types_of(own, channel) {
                    for (field, arg) in args.iter().enumerate() {
                        let types = self.types_of(own, arg);
                        self.types.entry((Owner::Field(ty), field as u32)).or_default().extend(types);
                    }
                }
            }
            Step::Receive(receive) => {
                for ty in self.types_of(own, &receive.channel) {
                    for (field, arg) in receive.args.iter().enumerate() {
                        if let Match::Store(place) = arg {
                            let types = self.types.get(&(Owner::Field(ty), field as u32)).cloned().unwrap_or_default();
                            self.flow_types(own, place, &types);
                        }
                    }
                }
            }
            Step::Skip
            | Step::Else
            | Step::Assert(_)
            | Step::Printf(..)
            | Step::Printm(..)
            | Step::SetPriority(..)
            | Step::Code(_)
            | Step::DStep(_)
            | Step::End => {}
        }
    }

    fn follow_run(&mut self, proctype: ProctypeId, expr: &Expr) {
        if let Expr::Run(run) = expr {
            let model = self.model;
            for (place, arg) in model.proctypes[run.proctype].params.iter().zip(&run.args) {
                self.flow(Some(run.proctype), place, Some(proctype), arg);
            }
        }
    }

    fn flow(&mut self, to: Option<ProctypeId>, place: &Place, from: Option<ProctypeId>, expr: &Expr) {
        let types = self.types_of(from, expr);
        self.flow_types(to, place, &types);
    }

    fn flow_types(&mut self, to: Option<ProctypeId>, place: &Place, types: &BTreeSet<ChannelTypeId>) {
        if types.is_empty() || place.scalar != Scalar::Byte {
            return;
        }
        if let Some(owner) = owner(place.scope, to) {
            for offset in reach(place) {
                self.types.entry((owner, offset)).or_default().extend(types);
            }
        }
    }

    fn types_of(&self, proctype: Option<ProctypeId>, expr: &Expr) -> BTreeSet<ChannelTypeId> {
        let mut found = BTreeSet::new();
        let mut add = |owner, place: &Place| {
            for offset in reach(place) {
                found.extend(self.types.get(&(owner, offset)).into_iter().flatten());
            }
        };
        match expr {
            Expr::Load(place) => {
                if let Some(owner) = owner(place.scope, proctype) {
                    add(owner, place);
                }
            }
            Expr::RemoteVar(proctype, _, place) => add(Owner::Local(*proctype), place),
            Expr::Conditional(parts) => {
                found = self.types_of(proctype, &parts.1);
                found.extend(self.types_of(proctype, &parts.2));
            }
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Priority
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Run(_)
            | Expr::Len(_)
            | Expr::Probe(..)
            | Expr::Poll(_)
            | Expr::Enabled(_)
            | Expr::GetPriority(_)
            | Expr::PcValue(_)
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::RemoteLabel(..)
            | Expr::Code(..) => {}
        }
        found
    }

    /// Whether the value can be computed in every state without anything going wrong, in a few instructions: then
    /// it may be computed even where it is not needed.
    pub(crate) fn is_simple(&self, expr: &Expr) -> bool {
        self.cost(expr).is_some_and(|cost| cost <= 12)
    }

    fn cost(&self, expr: &Expr) -> Option<u32> {
        match expr {
            Expr::Const(_) | Expr::Pid | Expr::ProcessCount | Expr::Timeout => Some(0),
            Expr::Load(place) => {
                let mut cost = 1;
                for index in &place.indices {
                    if limit(&index.expr).is_none_or(|limit| limit > index.count) {
                        return None;
                    }
                    cost += 2 + self.cost(&index.expr)?;
                }
                Some(cost)
            }
            Expr::Unary(_, operand) => Some(1 + self.cost(operand)?),
            Expr::Binary(operator, left, right) => {
                if matches!(operator, Binary::Divide | Binary::Remainder) {
                    return None;
                }
                Some(1 + self.cost(left)? + self.cost(right)?)
            }
            Expr::Conditional(_)
            | Expr::Last
            | Expr::Priority
            | Expr::Run(_)
            | Expr::Len(_)
            | Expr::Probe(..)
            | Expr::Poll(_)
            | Expr::Enabled(_)
            | Expr::GetPriority(_)
            | Expr::PcValue(_)
            | Expr::NonProgress
            | Expr::RemoteLabel(..)
            | Expr::RemoteVar(..)
            | Expr::Code(..) => None,
        }
    }
}

fn has_runs(model: &Model) -> bool {
    let mut found = false;
    model.clone().visit_mut(&mut |expr| found |= matches!(expr, Expr::Run(_)));
    found
}

/// A number that all values are below, and at least zero, if that is easily seen.
pub(crate) fn limit(expr: &Expr) -> Option<u32> {
    match expr {
        Expr::Const(value) => u32::try_from(*value).ok()?.checked_add(1),
        Expr::Load(place) => match place.scalar {
            Scalar::Bit => Some(2),
            Scalar::Byte => Some(256),
            Scalar::Unsigned(bits) if bits < 31 => Some(1 << bits),
            Scalar::Unsigned(_) | Scalar::Short | Scalar::Int => None,
        },
        Expr::Pid => Some(256),
        _ => None,
    }
}

/// All offsets that a place can have; none if there are too many to say.
fn reach(place: &Place) -> Vec<u32> {
    let product = place.indices.iter().fold(1_u64, |product, index| product.saturating_mul(index.count.into()));
    if product > MAX_CELLS {
        return (0..place.indices.iter().map(|index| index.count * index.stride).sum())
            .map(|offset| place.offset + offset)
            .collect();
    }
    let mut offsets = vec![place.offset];
    for index in &place.indices {
        let steps = (0..index.count).map(|value| value * index.stride);
        offsets = steps.flat_map(|step| offsets.iter().map(move |offset| offset + step)).collect();
    }
    offsets
}

fn owner(scope: Scope, proctype: Option<ProctypeId>) -> Option<Owner> {
    match scope {
        Scope::Global => Some(Owner::Global),
        Scope::Hidden => Some(Owner::Hidden),
        Scope::Local => proctype.map(Owner::Local),
        Scope::Nowhere => None,
    }
}

fn owner_key(owner: Owner) -> (u8, u32) {
    match owner {
        Owner::Global => (0, 0),
        Owner::Hidden => (1, 0),
        Owner::Local(proctype) => (2, proctype.0),
        Owner::Field(ty) => (3, ty.0),
    }
}

/// Which cells are made with which channel of their frame.
fn made_with(model: &Model) -> HashMap<Cell, Option<u32>> {
    let locals = model.proctypes.iter_enumerated();
    let locals = locals.map(|(proctype, declared)| (Some(proctype), &declared.frame));
    let mut made: HashMap<Cell, Option<u32>> = HashMap::new();
    for (proctype, frame) in std::iter::once((None, &model.globals)).chain(locals) {
        for init in &frame.init {
            let (place, position) = match init {
                FrameInit::Value(place, _) => (place, None),
                FrameInit::Channel(place, position) => (place, Some(*position)),
            };
            let Some(owner) = owner(place.scope, proctype) else { continue };
            for cell in reach(place).into_iter().flat_map(|offset| offset..offset + place.scalar.size()) {
                made.entry((owner, cell)).and_modify(|made| *made = None).or_insert(position);
            }
        }
    }
    made
}
