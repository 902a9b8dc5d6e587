//! Tables, spoilt at random: read or refused. See `crates/fuzz`.

use std::path::Path;

use alembert_fuzz::Campaign;
use alembert_sim::Sheet;

#[test]
fn any_table_is_read_or_refused() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/tables");
    Campaign::new("tables", &corpus).with_words(&[",", "\n", "\"", "NaN", "-inf", "1e-320"]).with_inputs(20_000).run(
        |bytes| {
            let Some(sheet) = Sheet::parse(&String::from_utf8_lossy(bytes)) else { return };
            assert!(sheet.rows.iter().all(|row| row.len() == sheet.columns.len()));
            // What was read can be written and read again, to the same bits.
            let mut text = Vec::new();
            sheet.write_csv(&mut text).expect("memory takes it");
            let again = Sheet::parse(&String::from_utf8_lossy(&text)).expect("what we wrote");
            assert_eq!(again.columns, sheet.columns);
            let bits = |sheet: &Sheet| -> Vec<Vec<u64>> {
                sheet
                    .rows
                    .iter()
                    .map(|row| row.iter().map(|x| if x.is_nan() { 0 } else { x.to_bits() }).collect())
                    .collect()
            };
            assert_eq!(bits(&again), bits(&sheet));
        },
    );
}
