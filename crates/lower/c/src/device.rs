//! Memory-mapped devices: address ranges and variables whose reads return any value.

use unpick_base::{Diagnostic, Severity, Span};
use unpick_program::program::{Device, DeviceRead, DeviceWrite, Global, GlobalInit, Loc};

use super::Lowering;

/// A range of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeviceRange {
    /// The first byte.
    pub from: u64,
    /// The last byte.
    pub to: u64,
    /// What reading gives.
    pub read: DeviceRead,
    /// What writing does.
    pub write: DeviceWrite,
}

impl Lowering<'_> {
    /// Makes an object of each range.
    pub(super) fn add_devices(&mut self) {
        for range in &self.options.devices {
            let (from, to) = (range.from, range.to);
            let what = match range.read {
                DeviceRead::Any => "each read gives any value",
                DeviceRead::Held => "it holds any value at first",
            };
            let name = self.unique_name(&format!("device.{from:x}"));
            let global = self.program.globals.push(Global {
                source_name: Some(name.clone()),
                name,
                size: to - from + 1,
                align: 1 << from.trailing_zeros().min(12),
                init: GlobalInit { any: Some(format!("memory at {from:#x} to {to:#x}: {what}")), ..Default::default() },
                is_thread_local: false,
                is_read_only: false,
                is_model: false,
                shape: None,
                loc: Loc::NONE,
            });
            let device = Device { address: Some(from), read: range.read, write: range.write };
            self.program.devices.insert(global, device);
        }
    }

    /// Makes the variables that the hardware changes read as any value.
    pub(super) fn add_volatile_any(&mut self) {
        for name in &self.options.volatile_any {
            let is_it = |global: &Global| {
                global.source_name.as_ref() == Some(name) && !global.is_thread_local && !global.is_model
            };
            let found = self.program.globals.iter_enumerated().find(|(_, global)| is_it(global)).map(|(id, _)| id);
            let Some(id) = found else {
                let message = format!("no variable `{name}` of static storage is used that could read as any value");
                self.session.diagnostics.push(Diagnostic::new(Severity::Error, Span::NONE, message));
                continue;
            };
            let any = Some(format!("`{name}`: each read gives any value"));
            self.program.globals[id].init = GlobalInit { any, ..Default::default() };
            let device = Device { address: None, read: DeviceRead::Any, write: DeviceWrite::Ignored };
            self.program.devices.insert(id, device);
        }
    }
}
