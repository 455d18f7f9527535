//! Times and sizes as people write them: `90s`, `10m`, `500M`, `8G`.

use std::time::Duration;

use crate::failure::{Failure, Outcome};

/// `90`, `90s`, `10m`, `2h`, `1d`, `250ms`.
pub fn duration(text: &str) -> Outcome<Duration> {
    let wrong = || Failure::new(format!("`{text}` is not a time")).help("write a number and a unit: 90s, 10m, 2h");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let seconds = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

/// `500M`, `8G`, `64K`, `1000`: bytes, in powers of 1024.
pub fn bytes(text: &str) -> Outcome<u64> {
    let wrong = || Failure::new(format!("`{text}` is not a size")).help("write a number and a unit: 500M, 8G");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let unit = match text[digits.len()..].trim_end_matches(['B', 'b', 'i']).to_ascii_uppercase().as_str() {
        "" => 1u64,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return Err(wrong()),
    };
    let bytes = number * unit as f64;
    if !(1.0..1e18).contains(&bytes) {
        return Err(wrong());
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        assert_eq!(duration("10m").unwrap(), Duration::from_secs(600));
        assert_eq!(duration("1.5s").unwrap(), Duration::from_millis(1500));
        assert_eq!(bytes("500M").unwrap(), 500 << 20);
        assert_eq!(bytes("8GiB").unwrap(), 8 << 30);
        for wrong in ["", "m", "-3s", "3 s", "3w", "nan", "inf"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "G", "-1G", "0", "5X", "nan"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
