//! Bytes as letters: three bytes are four letters of six bits each, `=` fills the end (RFC 4648).

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The letters of some bytes.
pub fn encode(bytes: &[u8]) -> String {
    let mut letters = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |k: usize| u32::from(three.get(k).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * k)) as usize & 63];
            letters.push(if k <= three.len() { letter.into() } else { '=' });
        }
    }
    letters
}

/// The bytes of some letters, for tests.
#[cfg(test)]
pub fn decode(letters: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let sixes: Vec<u32> = letters
        .bytes()
        .filter_map(|letter| LETTERS.iter().position(|known| *known == letter))
        .map(|k| k as u32)
        .collect();
    for four in sixes.chunks(4) {
        let bits = (0..4).fold(0, |bits, k| bits << 6 | four.get(k).copied().unwrap_or_default());
        bytes.extend(bits.to_be_bytes()[1..four.len()].iter());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_standard() {
        // The test vectors of RFC 4648.
        for (bytes, letters) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(encode(bytes.as_bytes()), letters);
            assert_eq!(decode(letters), bytes.as_bytes());
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), all);
    }
}
