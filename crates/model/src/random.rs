//! Random parameters: numbers that follow from a seed and a name, the same bits on every machine.
//!
//! ```text
//! x      seed mixed with the name (FNV-1a of its bytes), then one step of SplitMix64 (Steele, Lea, Flood 2014)
//! u      (x / 2^11 + 1/2) / 2^53, in (0, 1)
//! normal mean + sd N^-1(u), where N^-1 is Wichura's PPND16 (Applied Statistics 37, 1988), good to 1e-16
//! ```
//!
//! Only +, -, *, / and square roots are used, which IEEE 754 defines to the last bit; the logarithm of the tails is a series of our own. A
//! parameter has its number by its name, so that another parameter more or less does not change it.

/// How a parameter is distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// By mean and standard deviation.
    Normal(f64, f64),
    /// Between two ends.
    Uniform(f64, f64),
}

impl Distribution {
    /// The number of a name under a seed.
    pub fn number(&self, seed: u64, name: &str) -> f64 {
        let u = unit(seed, name);
        match *self {
            Distribution::Normal(mean, deviation) => mean + deviation * normal(u),
            Distribution::Uniform(from, to) => from + (to - from) * u,
        }
    }
}

fn mixed(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn unit(seed: u64, name: &str) -> f64 {
    let hash =
        name.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let x = mixed(mixed(seed) ^ hash);
    ((x >> 11) as f64 + 0.5) / 9_007_199_254_740_992.0
}

/// The natural logarithm of a positive normal number: 2 atanh((m - 1)/(m + 1)) + e log 2 with m in [sqrt(1/2), sqrt(2)).
fn log(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    let mut m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    let f = (m - 1.0) / (m + 1.0);
    let square = f * f;
    let series = (0..16).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    2.0 * f * series + f64::from(exponent) * std::f64::consts::LN_2
}

fn ratio(x: f64, above: [f64; 8], below: [f64; 8]) -> f64 {
    let value = |c: [f64; 8]| c.iter().rev().fold(0.0, |sum, c| sum * x + c);
    value(above) / value(below)
}

/// The x below which a share u of the normal distribution lies.
#[allow(clippy::excessive_precision, clippy::unreadable_literal)]
fn normal(u: f64) -> f64 {
    let q = u - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * ratio(
            r,
            [
                3.3871328727963666080e0,
                1.3314166789178437745e2,
                1.9715909503065514427e3,
                1.3731693765509461125e4,
                4.5921953931549871457e4,
                6.7265770927008700853e4,
                3.3430575583588128105e4,
                2.5090809287301226727e3,
            ],
            [
                1.0,
                4.2313330701600911252e1,
                6.8718700749205790830e2,
                5.3941960214247511077e3,
                2.1213794301586595867e4,
                3.9307895800092710610e4,
                2.8729085735721942674e4,
                5.2264952788528545610e3,
            ],
        );
    }
    let r = (-log(if q < 0.0 { u } else { 1.0 - u })).sqrt();
    let x = if r <= 5.0 {
        ratio(
            r - 1.6,
            [
                1.42343711074968357734e0,
                4.63033784615654529590e0,
                5.76949722146069140550e0,
                3.64784832476320460504e0,
                1.27045825245236838258e0,
                2.41780725177450611770e-1,
                2.27238449892691845833e-2,
                7.74545014278341407640e-4,
            ],
            [
                1.0,
                2.05319162663775882187e0,
                1.67638483018380384940e0,
                6.89767334985100004550e-1,
                1.48103976427480074590e-1,
                1.51986665636164571966e-2,
                5.47593808499534494600e-4,
                1.05075007164441684324e-9,
            ],
        )
    } else {
        ratio(
            r - 5.0,
            [
                6.65790464350110377720e0,
                5.46378491116411436990e0,
                1.78482653991729133580e0,
                2.96560571828504891230e-1,
                2.65321895265761230930e-2,
                1.24266094738807843860e-3,
                2.71155556874348757815e-5,
                2.01033439929228813265e-7,
            ],
            [
                1.0,
                5.99832206555887937690e-1,
                1.36929880922735805310e-1,
                1.48753612908506148525e-2,
                7.86869131145613259100e-4,
                1.84631831751005468180e-5,
                1.42151175831644588870e-7,
                2.04426310338993978564e-15,
            ],
        )
    };
    if q < 0.0 { -x } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_normal_distribution() {
        // From tables: 97.5 %, 99.9 %, and one in a million.
        for (u, x) in [(0.5, 0.0), (0.975, 1.959963984540054), (0.999, 3.090232306167813), (1e-6, -4.753424308822899)] {
            assert!((normal(u) - x).abs() < 1e-13, "{u}: {} {x}", normal(u));
        }
        for k in 1..1000 {
            let x = f64::from(k) * 1.7e-3;
            assert!((log(x) - x.ln()).abs() <= 4e-16 * x.ln().abs().max(1.0), "{x}");
        }
    }

    #[test]
    fn numbers_follow_from_seed_and_name_to_the_last_bit() {
        let normal = Distribution::Normal(0.0, 1.0);
        assert_eq!(normal.number(1, "m"), normal.number(1, "m"));
        assert_ne!(normal.number(1, "m"), normal.number(2, "m"));
        assert_ne!(normal.number(1, "m"), normal.number(1, "k"));
        // SplitMix64 of the seed 1234567 begins with this number in its author's list.
        assert_eq!(mixed(1_234_567), 6_457_827_717_110_365_317);
    }

    #[test]
    fn many_numbers_have_the_mean_and_the_deviation() {
        let n = 20_000;
        let numbers: Vec<f64> = (0..n).map(|seed| Distribution::Normal(3.0, 0.5).number(seed, "m")).collect();
        let mean = numbers.iter().sum::<f64>() / n as f64;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        // Four standard errors.
        assert!((mean - 3.0).abs() < 4.0 * 0.5 / (n as f64).sqrt(), "{mean}");
        assert!((variance.sqrt() - 0.5).abs() < 4.0 * 0.5 / (2.0 * n as f64).sqrt(), "{variance}");
        let numbers: Vec<f64> = (0..n).map(|seed| Distribution::Uniform(-1.0, 3.0).number(seed, "k")).collect();
        let mean = numbers.iter().sum::<f64>() / n as f64;
        assert!((mean - 1.0).abs() < 4.0 * 4.0 / (12.0 * n as f64).sqrt(), "{mean}");
        assert!(numbers.iter().all(|x| (-1.0..3.0).contains(x)));
    }
}
