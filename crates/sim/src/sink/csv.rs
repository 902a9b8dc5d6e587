//! Comma-separated text. Numbers have the fewest digits that read back to the same bits.

use std::io;

use super::{Head, Mark, Sink};
use crate::disk::Channel;
use crate::sheet::field;

/// Writes rows as lines.
pub struct Csv<C> {
    out: C,
    columns: usize,
    rows: u64,
    bytes: u64,
    line: String,
}

impl<C: Channel> Csv<C> {
    /// To an empty file.
    pub fn new(out: C) -> Csv<C> {
        Csv { out, columns: 0, rows: 0, bytes: 0, line: String::new() }
    }

    fn put(&mut self) -> io::Result<()> {
        self.line.push('\n');
        self.bytes += self.line.len() as u64;
        self.out.write_all(self.line.as_bytes())
    }
}

impl<C: Channel> Sink for Csv<C> {
    fn begin(&mut self, head: &Head) -> io::Result<()> {
        self.columns = head.columns.len();
        self.line = head.columns.iter().map(|name| field(name)).collect::<Vec<_>>().join(",");
        self.put()
    }

    fn row(&mut self, row: &[f64]) -> io::Result<()> {
        self.line.clear();
        for (i, value) in row[..self.columns].iter().enumerate() {
            if i > 0 {
                self.line.push(',');
            }
            number(&mut self.line, *value);
        }
        self.rows += 1;
        self.put()
    }

    fn mark(&mut self) -> io::Result<Mark> {
        self.out.flush()?;
        self.out.sync()?;
        Ok(Mark { rows: self.rows, bytes: self.bytes, tail: Vec::new() })
    }

    fn resume(&mut self, head: &Head, mark: &Mark) {
        (self.columns, self.rows, self.bytes) = (head.columns.len(), mark.rows, mark.bytes);
    }

    fn end(&mut self) -> io::Result<()> {
        self.mark().map(|_| ())
    }
}

/// Adds a number with the fewest digits that read back to the same bits, as 0.25 or as 2.5e-7, whichever is shorter.
pub fn number(text: &mut String, value: f64) {
    use std::fmt::Write as _;
    let begin = text.len();
    // Writing to a string cannot fail.
    let _ = write!(text, "{value:e}");
    let scientific = &text[begin..];
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return };
    let Ok(exponent) = exponent.parse::<i32>() else { return };
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let count = mantissa.len() as i32 - i32::from(mantissa.contains('.'));
    let plain = match exponent {
        ..0 => 1 - exponent + count,
        _ if exponent >= count - 1 => exponent + 1,
        _ => count + 1,
    };
    if plain + sign.len() as i32 > scientific.len() as i32 {
        return;
    }
    let digits: String = mantissa.chars().filter(|letter| *letter != '.').collect();
    let sign = sign.to_owned();
    text.truncate(begin);
    text.push_str(&sign);
    match exponent {
        ..0 => {
            text.push_str("0.");
            text.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
            text.push_str(&digits);
        }
        _ if exponent >= count - 1 => {
            text.push_str(&digits);
            text.extend(std::iter::repeat_n('0', (exponent + 1 - count) as usize));
        }
        _ => {
            let (whole, rest) = digits.split_at(exponent as usize + 1);
            text.push_str(whole);
            text.push('.');
            text.push_str(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: f64) -> String {
        let mut text = String::new();
        number(&mut text, value);
        text
    }

    #[test]
    fn numbers_are_short_and_readable() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.25, "0.25"),
            (-12.5, "-12.5"),
            (0.1, "0.1"),
            (1e15, "1e15"),
            (120.0, "120"),
            (1e-7, "1e-7"),
            (0.00125, "0.00125"),
            (-1.5e300, "-1.5e300"),
            (5e-324, "5e-324"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
            (123456.789, "123456.789"),
        ] {
            assert_eq!(written(value), text);
        }
    }

    /// Against the digits of the standard library, on bits of every kind.
    #[test]
    fn numbers_read_back_to_their_bits_and_none_is_longer_than_it_must_be() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for k in 0..200_000_u64 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            // Half of them of ordinary size.
            let value = if k % 2 == 0 { f64::from_bits(bits) } else { (bits as f64 / 1.8e19 - 0.5) * 1e3 };
            let text = written(value);
            let back: f64 = text.parse().expect("a number");
            assert!(back.to_bits() == value.to_bits() || value.is_nan(), "{value:e}: {text}");
            assert!(text.len() <= format!("{value}").len().min(format!("{value:e}").len()), "{value:e}: {text}");
        }
    }
}
