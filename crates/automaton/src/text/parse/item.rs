//! Parser of the text form: a model and its top-level items.

use unpick_base::IdVec;

use super::super::lex::TokenKind;
use super::super::words::{number_after, scalar_of};
use super::{Parsed, Parser};
use crate::{
    Automaton, ChannelType, ChannelTypeId, Claim, Frame, FrameInit, Location, LocationId, Model, Proctype, VarInfo,
};

/// What a process type has beside its locations and variables.
type Head = (Vec<crate::Place>, Option<crate::Expr>);

impl Parser<'_> {
    pub(super) fn model(&mut self) -> Parsed<Model> {
        self.expect("automaton")?;
        let mut model = Model::default();
        loop {
            let flag = match self.token().text {
                "last" => &mut model.has_last,
                "priority" => &mut model.has_priority,
                "undoes" => &mut model.undoes,
                "beside_claim" => &mut model.is_beside_claim,
                "has_code" => &mut model.has_code,
                _ => break,
            };
            *flag = true;
            self.advance();
        }
        while self.token().kind != TokenKind::End {
            self.item(&mut model)?;
        }
        Ok(model)
    }

    fn item(&mut self, model: &mut Model) -> Parsed<()> {
        if self.eat("hidden") {
            model.hidden_size = self.number_of("size")?;
        } else if self.eat("mtype") {
            let set = self.name()?;
            model.mtypes.push((set, self.list(Self::name)?));
        } else if self.eat("channel") {
            self.next_id(model.channel_types.next_id(), "c", "channel type")?;
            self.expect(":")?;
            let ty = self.channel_type()?;
            model.channel_types.push(ty);
        } else if self.eat("globals") {
            model.globals.size = self.number_of("size")?;
            self.expect("{")?;
            while !self.eat("}") {
                if !self.frame_item(&mut model.globals)? {
                    return self.expected("`channel`, `init`, `var` or `}`");
                }
            }
        } else if self.eat("code") {
            self.code(&mut model.code)?;
        } else if self.eat("proctype") {
            self.next_id(model.proctypes.next_id(), "p", "process type")?;
            let proctype = self.proctype()?;
            model.proctypes.push(proctype);
        } else if self.eat("process") {
            let proctype = self.proctype_id()?;
            model.start.push((proctype, self.number_of("priority")?));
        } else if self.eat("claim") {
            let claim = self.claim()?;
            model.claims.push(claim);
        } else if self.is("trace") || self.is("notrace") {
            let is_negated = self.is("notrace");
            self.advance();
            self.expect("{")?;
            model.traces.push((is_negated, self.automaton()?));
        } else {
            return self.expected("an item: `globals`, `channel`, `mtype`, `proctype`, `process`, `claim`, ...");
        }
        Ok(())
    }

    fn channel_type(&mut self) -> Parsed<ChannelType> {
        let capacity = self.number()?;
        self.expect("of")?;
        let (mut fields, mut mtypes) = (Vec::new(), Vec::new());
        loop {
            match self.meaning(TokenKind::Word, scalar_of) {
                Some(field) => fields.push(field),
                None if self.eat("none") => {}
                None if fields.is_empty() && mtypes.is_empty() => break,
                None => return self.expected("a field"),
            }
            if !self.eat("bare") {
                mtypes.push(self.mtype()?);
            }
            if !self.eat(",") {
                break;
            }
        }
        Ok(ChannelType { capacity, fields, mtypes, span: self.span()? })
    }

    /// An item of a frame, if one stands here.
    fn frame_item(&mut self, frame: &mut Frame) -> Parsed<bool> {
        if self.eat("channel") {
            frame.channels.push(ChannelTypeId(self.id("c", "a channel type")?));
        } else if self.eat("init") {
            let place = self.place()?;
            self.expect("=")?;
            frame.init.push(match self.eat("channel") {
                true => FrameInit::Channel(place, self.number()?),
                false => FrameInit::Value(place, self.expr()?),
            });
        } else if self.eat("var") {
            let (name, place) = (self.name()?, self.place()?);
            let mtype = self.mtype()?;
            frame.vars.push(VarInfo { name, place, mtype, span: self.span()? });
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn proctype(&mut self) -> Parsed<Proctype> {
        let name = self.name()?;
        let mut frame = Frame { size: self.number_of("size")?, ..Frame::default() };
        let is_deterministic = self.eat("deterministic");
        let span = self.span()?;
        self.expect("{")?;
        let (params, provided) = self.proctype_head(&mut frame)?;
        let automaton = self.automaton()?;
        Ok(Proctype { name, frame, params, provided, is_deterministic, automaton, span })
    }

    fn proctype_head(&mut self, frame: &mut Frame) -> Parsed<Head> {
        let (mut params, mut provided) = (Vec::new(), None);
        loop {
            if self.eat("param") {
                params.push(self.place()?);
            } else if self.eat("provided") {
                provided = Some(self.expr()?);
            } else if !self.frame_item(frame)? {
                return Ok((params, provided));
            }
        }
    }

    fn claim(&mut self) -> Parsed<Claim> {
        let name = self.name()?;
        let formula = if self.eat("formula") { Some(self.text()?) } else { None };
        let is_stutter_invariant = self.eat("stutter_invariant");
        let span = self.span()?;
        self.expect("{")?;
        Ok(Claim { name, formula, automaton: self.automaton()?, is_stutter_invariant, span })
    }

    /// Start, labels and locations up to the closing brace.
    fn automaton(&mut self) -> Parsed<Automaton> {
        let (mut start, mut labels) = (None, Vec::new());
        let mut locations: IdVec<LocationId, Location> = IdVec::new();
        loop {
            if self.eat("}") {
                return Ok(Automaton { locations, start, labels });
            } else if self.eat("start") {
                start = Some(self.location_id()?);
            } else if self.eat("label") {
                let name = self.name()?;
                labels.push((name, self.location_id()?));
            } else {
                self.next_id(locations.next_id(), "l", "location")?;
                let location = self.location()?;
                locations.push(location);
            }
        }
    }

    fn location(&mut self) -> Parsed<Location> {
        let mut location = Location::default();
        loop {
            let flag = match self.token().text {
                "end" => &mut location.is_end,
                "accept" => &mut location.is_accept,
                "progress" => &mut location.is_progress,
                "d_step" => &mut location.is_in_d_step,
                _ => break,
            };
            *flag = true;
            self.advance();
        }
        location.span = self.span()?;
        self.expect(":")?;
        // No step begins with the word of a location.
        while !self.is("}") && number_after(self.token().text, "l").is_none() {
            let transition = self.transition()?;
            location.transitions.push(transition);
        }
        Ok(location)
    }
}
