//! `alembert reproduce --paper 5`, as a user sees it.

use std::process::Command;

#[test]
fn everything_agrees() {
    let output = Command::new(env!("CARGO_BIN_EXE_alembert"))
        .args(["reproduce", "--paper", "5"])
        .output()
        .expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}");
    assert!(text.contains("12 of 12 errors agree to all printed digits, 2 of 2 start values are as printed"), "{text}");
    assert!(text.ends_with("4 of 4 experiments agree (54 numbers compared)\n"), "{text}");
}

#[test]
fn rows_are_json_lines() {
    let output = Command::new(env!("CARGO_BIN_EXE_alembert"))
        .args(["reproduce", "--experiment", "5/bdf-start", "--json"])
        .output()
        .expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.lines().count(), 24);
    assert!(text.lines().all(|line| line.starts_with(r#"{"experiment":"5/bdf-start","k":"#)), "{text}");
}
