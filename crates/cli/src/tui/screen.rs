//! The terminal behind the screen: keys in, pictures out, and everything as it was before whatever happens.
//!
//! A panic restores the terminal through the hook that `ratatui` sets; a signal is noticed between two looks at the
//! keyboard.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use unpick_witness::SavedTrace;

use super::{Key, Viewer, view};
use crate::failure::{Failure, Outcome};
use crate::input::screen;

/// How long to wait for a key before looking whether a signal has come.
const PATIENCE: Duration = Duration::from_millis(200);
/// As a shell has it for a program that an interrupt ended.
const INTERRUPTED: u8 = 130;

/// Shows a trace until the user leaves.
pub fn run(saved: SavedTrace) -> Outcome<u8> {
    if !std::io::stdout().is_terminal() || std::env::var("TERM").is_ok_and(|term| term == "dumb") {
        return Err(Failure::new("the whole screen is needed, and standard output is not a terminal that has one")
            .help("`unpick show FILE` prints the trace instead"));
    }
    let is_interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_interrupted);
    // Without a handler the program still works; a signal just leaves the terminal as it is.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let palette = view::Palette::of(screen(None).colour);
    let mut viewer = Viewer::new(saved);
    let mut terminal = ratatui::try_init().map_err(failed)?;
    let result = serve(&mut terminal, &mut viewer, palette, &is_interrupted);
    ratatui::restore();
    result.map_err(failed)
}

fn failed(error: std::io::Error) -> Failure {
    Failure::new(format!("the terminal cannot be used: {error}"))
}

fn serve(
    terminal: &mut DefaultTerminal,
    viewer: &mut Viewer,
    palette: view::Palette,
    is_interrupted: &AtomicBool,
) -> std::io::Result<u8> {
    loop {
        terminal.draw(|frame| view::draw(frame, viewer, palette))?;
        while !event::poll(PATIENCE)? {
            if is_interrupted.load(Ordering::Relaxed) {
                return Ok(INTERRUPTED);
            }
        }
        match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => match of_terminal(key) {
                Pressed::Quit => return Ok(0),
                Pressed::Key(key) if !viewer.key(key) => return Ok(0),
                Pressed::Key(_) | Pressed::Nothing => {}
            },
            // Whatever else happens, a new size included: the next picture takes it in.
            Event::Key(_)
            | Event::Resize(..)
            | Event::FocusGained
            | Event::FocusLost
            | Event::Mouse(_)
            | Event::Paste(_) => {}
        }
    }
}

enum Pressed {
    Key(Key),
    Quit,
    Nothing,
}

fn of_terminal(key: KeyEvent) -> Pressed {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c' | 'd') => Pressed::Quit,
            _ => Pressed::Nothing,
        };
    }
    Pressed::Key(match key.code {
        KeyCode::Char(letter) => Key::Letter(letter),
        KeyCode::Down | KeyCode::Right => Key::Forwards,
        KeyCode::Up | KeyCode::Left => Key::Backwards,
        KeyCode::Home => Key::First,
        KeyCode::End => Key::Last,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Rubout,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        _ => return Pressed::Nothing,
    })
}
