//! Slips that formulas of other languages bring along, and what to write instead.

/// Operators of other languages, longer ones first.
const OPERATORS: [(&str, &str); 9] = [
    ("**", "powers are written with `^`"),
    ("===", "equality is written `==`"),
    ("=<", "write `<=`"),
    ("=>", "write `>=`"),
    ("<>", "write `!=`"),
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("+=", "a formula gives a value to nothing; events have `set`"),
    ("-=", "a formula gives a value to nothing; events have `set`"),
];

/// What a text that begins with an operator of another language should begin with.
pub(super) fn operator(text: &str) -> Option<(&'static str, &'static str)> {
    OPERATORS.into_iter().find(|(wrong, _)| text.starts_with(wrong))
}

/// What to write instead of a character.
pub(super) fn character(c: char) -> Option<&'static str> {
    Some(match c {
        '·' | '⋅' | '×' | '∙' | '•' => "products are written with `*`",
        '÷' => "quotients are written with `/`",
        '−' | '–' | '—' => "the minus sign of formulas is `-`",
        '⁰' | '¹' | '²' | '³' | '⁴' | '⁵' | '⁶' | '⁷' | '⁸' | '⁹' | '⁻' => {
            "powers are written with `^`, as x^2"
        }
        '½' | '¼' | '¾' => "write 1/2",
        '≤' => "write `<=`",
        '≥' => "write `>=`",
        '≠' => "write `!=`",
        '∧' | '&' => "write `and`",
        '∨' => "write `or`",
        '¬' | '!' => "write `not`",
        '|' => "a magnitude is written abs(x), or norm(r) of a triple; conditions are joined by `or`",
        '=' => "a comparison is written `==`; a formula has no other equals sign",
        '√' => "write sqrt(x)",
        '°' => "degrees are written 30*deg",
        '%' => "write mod(a, b)",
        '?' | ':' => "write if(condition, a, b)",
        '’' | '′' | '´' | '`' => "a rate is written x'",
        '″' => "an acceleration is written x''",
        '{' | '}' => "use round brackets",
        '∞' => "use a large number, or leave the limit out",
        '∑' | 'Σ' => "write sum(x[i] for i in 1..N)",
        '\\' => "formulas are not TeX: write sin(x), a/b",
        _ => return None,
    })
}

/// A name with a power behind it, as in x², and what is meant.
pub(crate) fn superscript(name: &str) -> Option<String> {
    let digit = |c: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|known| known == c);
    let at = name.find(|c| digit(c).is_some())?;
    let (stem, power) = name.split_at(at);
    let digits: Option<String> = power.chars().map(|c| digit(c).map(|d| d.to_string())).collect();
    digits.filter(|_| !stem.is_empty()).map(|digits| format!("{stem}^{digits}"))
}

/// Functions and constants of other languages.
pub(crate) fn word(name: &str) -> Option<&'static str> {
    Some(match name {
        "ln" => "the natural logarithm is log(x)",
        "log10" => "write log(x)/log(10)",
        "log2" => "write log(x)/log(2)",
        "pow" | "power" => "powers are written with `^`, as x^2",
        "sqr" | "square" => "write x^2",
        "cbrt" => "write x^(1/3), or sign(x)*abs(x)^(1/3)",
        "arcsin" => "write asin(x)",
        "arccos" => "write acos(x)",
        "arctan" => "write atan(x)",
        "arctan2" => "write atan2(y, x)",
        "fabs" => "write abs(x)",
        "sgn" | "signum" => "write sign(x)",
        "cot" => "write 1/tan(x)",
        "sec" => "write 1/cos(x)",
        "csc" => "write 1/sin(x)",
        "fmod" | "rem" => "write mod(a, b)",
        "trunc" | "int" => "write floor(x) or round(x)",
        "ddt" | "diff" | "dt" | "derivative" => "write der(expression)",
        "heaviside" | "unitstep" => "write if(x > 0, 1, 0), or step(x, width) for a smooth one",
        "ifelse" | "where" | "select" | "cond" | "piecewise" => "write if(condition, a, b)",
        "sat" | "saturate" => "write clamp(x, lo, hi)",
        "length" | "mag" | "magnitude" => "the length of a triple is norm(r)",
        "vec" | "vector" | "Vector" => "a triple is written [a, b, c]",
        "radians" | "deg2rad" => "write x*deg",
        "degrees" | "rad2deg" => "write x/deg",
        "rad" => "angles are in radians; 30*deg are thirty degrees",
        "π" | "PI" | "Pi" => "write pi",
        "e" => "write exp(1), and exp(x) for a power of it",
        "inf" | "Inf" | "infinity" => "use a large number, or leave the limit out",
        "true" => "a condition that always holds is 0 == 0",
        "false" => "a condition that never holds is 0 == 1",
        "inverse" | "inv" | "transpose" | "conj" => "the inverse of a rotation is R^-1",
        "quaternion" | "quat" | "euler" => {
            "a rotation is rotation(axis, angle), or a product of such: rotation([0, 0, 1], phi)*rotation([1, 0, 0], theta)"
        }
        "time" => "the time is t",
        _ => return None,
    })
}

/// Names before a point that functions have in other languages.
pub(super) fn is_prefix(name: &str) -> bool {
    ["Math", "math", "np", "numpy", "std", "cmath", "sp", "sympy", "f64"].contains(&name)
}
