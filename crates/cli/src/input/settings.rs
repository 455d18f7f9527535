//! What flags and configuration files say about sources, joined.

use std::path::{Path, PathBuf};

use unpick_check::claims::Wanted;
use unpick_lower_c::{Arguments, DeviceRange, Handler, Interrupts, Missing, MissingMode};
use unpick_program::program::{DeviceRead, DeviceWrite};

use crate::args::{InputArgs, MissingArg, TargetArg, VolatileArg};
use crate::compile_commands::Database;
use crate::config::{Config, Layers, MissingConfig, VolatileRange, VolatileRead, VolatileWrite};
use crate::failure::{Failure, Outcome};
use crate::flags::Flags;

/// Where the sources are and how to read them, after flags and configuration files have been joined.
pub struct Settings {
    pub files: Vec<PathBuf>,
    pub entry: String,
    pub flags: Flags,
    pub database: Option<Database>,
    pub target: TargetArg,
    pub is_strict: bool,
    pub malloc_fails: bool,
    pub library_fails: bool,
    pub library_races: bool,
    pub no_spurious: bool,
    pub missing: Missing,
    /// The arguments of `main`; `None` without `--args`.
    pub arguments: Option<Arguments>,
    pub interrupts: Interrupts,
    pub devices: Vec<DeviceRange>,
    pub volatile_any: Vec<String>,
    pub volatile: VolatileArg,
    /// `rand` and friends give the C library's own sequence: a run of one execution imitates the compiled program.
    pub is_rand_seeded: bool,
    /// Whether the text that the program writes matters.
    pub shows_output: bool,
    /// Claims whose propositions become functions.
    pub wanted: Wanted,
}

impl Settings {
    /// Joins flags and configuration.
    pub fn new(input: &InputArgs, layers: &Layers) -> Outcome<Settings> {
        let compile_commands = layers.pick(input.compile_commands.clone(), |config| &config.compile_commands).0;
        let database = compile_commands.map(|path| Database::read(&path)).transpose()?;
        let list = |flag: &Vec<PathBuf>| (!flag.is_empty()).then(|| flag.clone());
        let words = |flag: &Vec<String>| (!flag.is_empty()).then(|| flag.clone());
        let flags = Flags::new(
            &layers.pick(list(&input.include_dirs), |config| &config.include_dirs).0.unwrap_or_default(),
            &layers.pick(words(&input.defines), |config| &config.defines).0.unwrap_or_default(),
            &layers.pick(words(&input.undefines), |config| &config.undefines).0.unwrap_or_default(),
            &layers.pick(list(&input.includes), |config| &config.includes).0.unwrap_or_default(),
            layers.pick(input.std.clone(), |config| &config.std).0.as_deref(),
        )?;
        let mut files = input.files.clone();
        if files.is_empty() {
            files = database.as_ref().map(Database::files).unwrap_or_default();
        }
        if files.is_empty() {
            return Err(Failure::new("no source file is given").help("name one: unpick check FILE.c"));
        }
        let switch = |flag: bool| flag.then_some(true);
        Ok(Settings {
            files,
            entry: layers.pick(input.entry.clone(), |config| &config.entry).0.unwrap_or("main".into()),
            flags,
            database,
            target: layers.pick(input.target, |config| &config.target).0.unwrap_or(TargetArg::Lp64),
            is_strict: layers.pick(switch(input.strict), |config| &config.strict).0.unwrap_or(false),
            malloc_fails: layers.pick(switch(input.malloc_fails), |config| &config.malloc_fails).0.unwrap_or(false),
            library_fails: layers.pick(switch(input.library_fails), |config| &config.library_fails).0.unwrap_or(false),
            library_races: layers.pick(switch(input.library_races), |config| &config.library_races).0.unwrap_or(false),
            no_spurious: layers.pick(switch(input.no_spurious), |config| &config.no_spurious).0.unwrap_or(false),
            missing: missing(input, layers),
            arguments: layers.pick(input.arguments.clone(), |config| &config.args).0.map(|words| arguments(&words)),
            interrupts: interrupts(input, layers)?,
            devices: devices(layers)?,
            volatile_any: layers.pick(words(&input.volatile_any), |config| &config.volatile_any).0.unwrap_or_default(),
            volatile: layers.pick(input.volatile, |config| &config.volatile_access).0.unwrap_or(VolatileArg::Plain),
            is_rand_seeded: false,
            shows_output: false,
            wanted: Wanted::default(),
        })
    }

    pub(super) fn flags_of(&self, file: &Path) -> Flags {
        match self.database.as_ref().and_then(|database| database.flags(file)) {
            Some(known) => self.flags.clone().behind(known),
            None => self.flags.clone(),
        }
    }
}

/// What functions without a body do. The flag speaks of those that no file names.
fn missing(input: &InputArgs, layers: &Layers) -> Missing {
    let mode = |arg: MissingArg| match arg {
        MissingArg::Havoc => MissingMode::Havoc,
        MissingArg::Keep => MissingMode::Keep,
        MissingArg::Fail => MissingMode::Fail,
    };
    let mut missing = Missing::default();
    match layers.pick(None, |config| &config.missing).0 {
        Some(MissingConfig::All(all)) => missing.default = mode(all),
        Some(MissingConfig::Each(each)) => {
            for (name, arg) in each {
                match name.as_str() {
                    "default" => missing.default = mode(arg),
                    _ => drop(missing.functions.insert(name, mode(arg))),
                }
            }
        }
        None => {}
    }
    if let Some(flag) = input.missing {
        missing.default = mode(flag);
    }
    missing
}

/// `any`, `none`, or words.
fn arguments(text: &str) -> Arguments {
    match text {
        "any" => Arguments::Any,
        "none" => Arguments::Given(Vec::new()),
        words => Arguments::Given(words.split_whitespace().map(str::to_owned).collect()),
    }
}

/// Handlers and what keeps them away.
fn interrupts(input: &InputArgs, layers: &Layers) -> Outcome<Interrupts> {
    let flags = (!input.isr.is_empty()).then(|| input.isr.clone());
    let handlers = layers.pick(flags, |config| &config.isr).0.unwrap_or_default();
    let names = |key: fn(&Config) -> &Option<Vec<String>>| layers.pick(None, key).0.unwrap_or_default();
    Ok(Interrupts {
        handlers: handlers.iter().map(|text| handler(text)).collect::<Outcome<_>>()?,
        off: names(|config| &config.interrupts_off),
        on: names(|config| &config.interrupts_on),
        enter: names(|config| &config.critical_enter),
        exit: names(|config| &config.critical_exit),
        start_off: layers.pick(None, |config| &config.interrupts_start_off).0.unwrap_or(false),
    })
}

/// Larger ranges are refused: each of their bytes is part of every state.
const MAX_DEVICE_BYTES: u64 = 1 << 20;

/// The ranges of addresses that hardware stands behind.
fn devices(layers: &Layers) -> Outcome<Vec<DeviceRange>> {
    let ranges = layers.pick(None, |config| &config.volatile).0.unwrap_or_default();
    let mut devices: Vec<DeviceRange> = Vec::new();
    for VolatileRange { from, to, read, write } in ranges {
        let wrong = |what: &str| Failure::new(format!("[[volatile]] {from:#x} to {to:#x}: {what}"));
        if from == 0 || to < from {
            return Err(wrong("the range should begin above 0 and not end before it begins"));
        }
        if to - from >= MAX_DEVICE_BYTES {
            return Err(wrong("the range has more than 1 MiB").help("name the registers that the program uses"));
        }
        if devices.iter().any(|other| from <= other.to.saturating_add(1) && other.from <= to.saturating_add(1)) {
            return Err(wrong("it lies over or right beside another range").help("make one range of them"));
        }
        let (read, write) = match (read, write) {
            (VolatileRead::Any, _) => (DeviceRead::Any, DeviceWrite::Ignored),
            (VolatileRead::Constant, None | Some(VolatileWrite::Ignore)) => (DeviceRead::Held, DeviceWrite::Ignored),
            (VolatileRead::Constant, Some(VolatileWrite::Ram | VolatileWrite::ClearOnOne)) => {
                return Err(
                    wrong("what is constant cannot be written").help("leave `write` out, or say read = \"ram\"")
                );
            }
            (VolatileRead::Ram, Some(VolatileWrite::Ignore)) => (DeviceRead::Held, DeviceWrite::Ignored),
            (VolatileRead::Ram, None | Some(VolatileWrite::Ram)) => (DeviceRead::Held, DeviceWrite::Held),
            (VolatileRead::Ram, Some(VolatileWrite::ClearOnOne)) => (DeviceRead::Held, DeviceWrite::ClearsOnes),
        };
        devices.push(DeviceRange { from, to, read, write });
    }
    Ok(devices)
}

/// `FUNCTION`, `FUNCTION:PRIORITY` or `FUNCTION:PRIORITY:COUNT`.
fn handler(text: &str) -> Outcome<Handler> {
    let wrong = |what: &str| {
        Failure::new(format!("--isr {text}: {what}")).help(
            "give FUNCTION, FUNCTION:PRIORITY or FUNCTION:PRIORITY:COUNT; a higher priority interrupts a lower one",
        )
    };
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let is_name = !name.is_empty() && name.chars().all(|letter| letter == '_' || letter.is_alphanumeric());
    if !is_name {
        return Err(wrong("the name of a function is missing"));
    }
    let priority: u32 = match parts.next().map(str::parse) {
        None => 0,
        Some(Ok(priority)) if priority < u32::MAX - 1 => priority,
        Some(_) => return Err(wrong("the priority should be a number from 0 on")),
    };
    let count = match parts.next().map(str::parse) {
        None => None,
        Some(Ok(count)) => Some(count),
        Some(Err(_)) => return Err(wrong("the number of calls should be a number from 0 on")),
    };
    match parts.next() {
        None => Ok(Handler { name: name.to_owned(), priority, count }),
        Some(_) => Err(wrong("there is too much after the name")),
    }
}
