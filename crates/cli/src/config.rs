//! Options from `unpick.toml`: whatever the flags can say, with flags winning over the project's file and
//! the project's file over the user's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::args::{
    DataArg, EngineArg, HashArg, InputArgs, MissingArg, ReduceArg, SearchArg, StoreArg, TargetArg, TraceArg,
};
use crate::failure::{Failure, Outcome};
use crate::files;

/// The keys of a configuration file. All are optional.
#[derive(Deserialize, Debug, Default, Clone)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    pub entry: Option<String>,
    pub include_dirs: Option<Vec<PathBuf>>,
    pub defines: Option<Vec<String>>,
    pub undefines: Option<Vec<String>>,
    pub includes: Option<Vec<PathBuf>>,
    pub std: Option<String>,
    pub target: Option<TargetArg>,
    pub compile_commands: Option<PathBuf>,
    pub strict: Option<bool>,
    pub malloc_fails: Option<bool>,
    pub library_fails: Option<bool>,
    pub library_races: Option<bool>,
    pub no_spurious: Option<bool>,
    pub missing: Option<MissingConfig>,
    pub args: Option<String>,
    pub isr: Option<Vec<String>>,
    pub interrupts_off: Option<Vec<String>>,
    pub interrupts_on: Option<Vec<String>>,
    pub critical_enter: Option<Vec<String>>,
    pub critical_exit: Option<Vec<String>>,
    pub interrupts_start_off: Option<bool>,
    pub volatile_any: Option<Vec<String>>,
    pub volatile_access: Option<crate::args::VolatileArg>,
    pub volatile: Option<Vec<VolatileRange>>,
    pub property: Option<String>,
    pub ltl: Option<Vec<String>>,
    pub invariant: Option<Vec<String>>,
    pub fair: Option<bool>,
    pub time: Option<String>,
    pub memory: Option<String>,
    pub depth: Option<u64>,
    pub unwind: Option<u64>,
    pub enumerate: Option<u64>,
    pub threads: Option<u64>,
    pub workers: Option<u64>,
    pub seed: Option<u64>,
    pub engine: Option<EngineArg>,
    pub reduce: Option<ReduceArg>,
    #[serde(alias = "table-from")]
    pub cache_steps_from: Option<u64>,
    pub preemptions: Option<u32>,
    pub switches: Option<u32>,
    pub shortest: Option<bool>,
    pub r#abstract: Option<String>,
    pub unmatched: Option<Vec<String>>,
    pub all: Option<bool>,
    pub store: Option<StoreArg>,
    pub search: Option<SearchArg>,
    pub hash: Option<HashArg>,
    pub trace: Option<TraceArg>,
    pub extract: Option<ExtractConfig>,
}

/// How a Promela model is made out of C: the harness.
#[derive(Deserialize, Debug, Default, Clone)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExtractConfig {
    pub table: Option<PathBuf>,
    pub preferences: Option<PathBuf>,
    /// How the model holds data.
    pub data: Option<DataArg>,
    /// Functions that run as processes: `name`, `name*3`, `name(1, 2)`.
    #[serde(default)]
    pub processes: Vec<String>,
    /// Functions whose bodies stand where they are called.
    #[serde(default)]
    pub inline: Vec<String>,
    /// Functions that callers run and wait for.
    #[serde(default)]
    pub callable: Vec<String>,
    /// Functions that stay abstract.
    #[serde(default)]
    pub r#abstract: Vec<String>,
    /// Declarations of the model.
    #[serde(default)]
    pub declare: Vec<String>,
    /// Processes and definitions around the program, in Promela.
    #[serde(default)]
    pub environment: Vec<PathBuf>,
    /// Formulas by name.
    #[serde(default)]
    pub ltl: BTreeMap<String, String>,
    /// Expressions of Promela that hold in every state, by name.
    #[serde(default)]
    pub invariant: BTreeMap<String, String>,
    /// What happens in one step.
    #[serde(default)]
    pub steps: StepSize,
}

/// What happens in one step of an extracted model.
#[derive(Deserialize, Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum StepSize {
    /// At most one access to what other processes touch.
    #[default]
    Accesses,
    /// A whole statement.
    Statements,
}

/// What functions without a body do: all alike, or by name, with `default` for those that are not named.
#[derive(Deserialize, Debug, Clone)]
#[serde(untagged)]
pub enum MissingConfig {
    All(MissingArg),
    Each(BTreeMap<String, MissingArg>),
}

/// Addresses that hardware stands behind.
#[derive(Deserialize, Debug, Clone, Copy)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VolatileRange {
    /// First byte.
    pub from: u64,
    /// Last byte.
    pub to: u64,
    #[serde(default)]
    pub read: VolatileRead,
    /// As if it were memory where reading gives what was written, else nothing.
    pub write: Option<VolatileWrite>,
}

/// What reading gives.
#[derive(Deserialize, Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum VolatileRead {
    /// Any value, each time.
    #[default]
    Any,
    /// What was written; any value at first.
    Ram,
    /// Any value, but always the same.
    Constant,
}

/// What writing does.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum VolatileWrite {
    /// Nothing.
    Ignore,
    /// What was written can be read.
    Ram,
    /// Bits written as one become zero.
    ClearOnOne,
}

/// The configuration files that apply, strongest first, each with the name shown by `--print-config`.
pub struct Layers {
    layers: Vec<(String, Config)>,
}

impl Layers {
    /// Reads the files that apply to this input.
    pub fn read(input: &InputArgs) -> Outcome<Layers> {
        let mut layers = Vec::new();
        let beside = input.files.first().map(|file| file.with_file_name("unpick.toml"));
        match (&input.config, beside) {
            // What a trace names was not asked for by the user.
            (Some(path), _) if input.is_recorded => layers.push(read_found(path)?),
            (Some(path), _) => layers.push(read_file(path)?),
            (None, Some(path)) if path.is_file() => layers.push(read_found(&path)?),
            (None, _) if Path::new("unpick.toml").is_file() => layers.push(read_found(Path::new("unpick.toml"))?),
            (None, _) => {}
        }
        if let Some(path) = user_file().filter(|path| path.is_file()) {
            layers.push(read_file(&path)?);
        }
        Ok(Layers { layers })
    }

    /// The value of an option: the flag if given, else the strongest file's, with its origin.
    pub fn pick<T: Clone>(&self, flag: Option<T>, key: impl Fn(&Config) -> &Option<T>) -> (Option<T>, &str) {
        if flag.is_some() {
            return (flag, "command line");
        }
        for (name, config) in &self.layers {
            if let Some(value) = key(config) {
                return (Some(value.clone()), name);
            }
        }
        (None, "default")
    }
}

fn read_file(path: &Path) -> Outcome<(String, Config)> {
    let name = path.display().to_string();
    let text = files::read_to_string(path).map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
    let mut config: Config = toml::from_str(&text).map_err(|error| {
        Failure::new(format!("{name}: {}", error.to_string().trim_end()))
            .help("the keys are the long flags of `unpick check --help`, without the dashes")
    })?;
    // Paths in the file are relative to the file, wherever the command runs.
    let folder = path.parent().unwrap_or(Path::new(""));
    let anchor = |path: &mut PathBuf| *path = folder.join(&*path);
    config.include_dirs.iter_mut().flatten().for_each(anchor);
    config.includes.iter_mut().flatten().for_each(anchor);
    config.compile_commands.iter_mut().for_each(anchor);
    if let Some(extract) = &mut config.extract {
        extract.table.iter_mut().for_each(anchor);
        extract.preferences.iter_mut().for_each(anchor);
        extract.environment.iter_mut().for_each(anchor);
    }
    Ok((name, config))
}

/// Reads a configuration that was found, not named: the author of the sources wrote it too, so it may name only files
/// of the project.
fn read_found(path: &Path) -> Outcome<(String, Config)> {
    let (name, config) = read_file(path)?;
    let help = format!("if you trust the file, say so: --config {name}");
    if config.compile_commands.is_some() {
        let message = format!("{name}: `compile-commands` is not taken from a configuration that was not asked for");
        return Err(Failure::new(message).help(help));
    }
    let project = project_of(path);
    let paths = |key: &'static str, list: &Option<Vec<PathBuf>>| {
        list.iter().flatten().map(|path| (key, path.clone())).collect::<Vec<_>>()
    };
    let mut named = paths("include-dirs", &config.include_dirs);
    named.extend(paths("includes", &config.includes));
    let properties = config.property.iter().filter(|list| crate::property_file::is_file(list));
    named.extend(properties.map(|file| ("property", PathBuf::from(file))));
    if let Some(extract) = &config.extract {
        named.extend(extract.table.iter().map(|path| ("extract.table", path.clone())));
        named.extend(extract.preferences.iter().map(|path| ("extract.preferences", path.clone())));
        named.extend(extract.environment.iter().map(|path| ("extract.environment", path.clone())));
    }
    for (key, path) in named {
        if !resolved(&path).starts_with(&project) {
            let message = format!("{name}: `{key}` names {}, which lies outside the project", path.display());
            let place = format!("the project is {}; {help}", project.display());
            return Err(Failure::new(message).help(place));
        }
    }
    Ok((name, config))
}

/// The folder that a configuration may speak of: that of the repository around it, else its own.
fn project_of(path: &Path) -> PathBuf {
    let file = resolved(path);
    let own = file.parent().unwrap_or(Path::new("/"));
    own.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(own).to_path_buf()
}

/// The path without links and `..`, also if there is nothing yet.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let mut plain = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            std::path::Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

fn user_file() -> Option<PathBuf> {
    let folder = match std::env::var_os("XDG_CONFIG_HOME").filter(|value| !value.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".config"),
    };
    Some(folder.join("unpick/config.toml"))
}
