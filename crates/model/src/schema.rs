//! The JSON Schema of model files, made from the table of keys: editors use it to complete and to underline.

use serde_json::{Map, Value, json};

use crate::document::OF_EQUATIONS;
use crate::format::{Holds, Key, Section, TABLE, sections};

/// The schema, as text.
pub fn schema() -> String {
    let mut properties = Map::new();
    let mut required = vec![json!("format"), json!("run")];
    for section in sections() {
        if section.name.is_empty() {
            for key in section.keys {
                properties.insert(key.name.to_owned(), described(value(key.holds), key.says));
            }
            continue;
        }
        if section.required && !OF_EQUATIONS.contains(&section.name) {
            required.push(json!(section.name));
        }
        let one = table(section);
        let whole = if section.repeated { json!({ "type": "array", "items": one }) } else { one };
        properties.insert(section.name.to_owned(), described(whole, section.says));
    }
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "alembert model, format 1",
        "type": "object",
        "properties": properties,
        "required": required,
        "anyOf": [{ "required": OF_EQUATIONS }, { "required": ["bodies"] }],
        "additionalProperties": false,
    });
    format!("{schema:#}\n")
}

fn described(mut schema: Value, says: &str) -> Value {
    if let Value::Object(object) = &mut schema {
        object.insert("description".to_owned(), json!(says));
    }
    schema
}

fn table(section: &Section) -> Value {
    let properties: Map<String, Value> =
        section.keys.iter().map(|key| (key.name.to_owned(), described(value(key.holds), key.says))).collect();
    let others = section.open.map_or(json!(false), value);
    json!({ "type": "object", "properties": properties, "additionalProperties": others })
}

/// A table with certain keys.
fn keyed(keys: &[Key]) -> Value {
    let keys = keys.iter().map(|key| (key.name.to_owned(), described(value(key.holds), key.says)));
    json!({ "type": "object", "properties": keys.collect::<Map<String, Value>>(), "additionalProperties": false })
}

fn value(holds: Holds) -> Value {
    let formula = json!({ "type": ["string", "number"] });
    let named = json!({
        "anyOf": [
            formula,
            {
                "type": "object",
                "properties": { "name": { "type": "string" }, "formula": formula },
                "required": ["formula"],
                "additionalProperties": false,
            },
        ],
    });
    match holds {
        Holds::FormatNumber => json!({ "const": 1 }),
        Holds::Words => json!({ "type": "string" }),
        Holds::WordsOrList => {
            json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })
        }
        Holds::Parameter => {
            let list = json!({ "type": "array", "items": formula });
            let table = json!({
                "type": "object",
                "properties": { "normal": list, "uniform": list },
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": false,
            });
            json!({ "anyOf": [formula, list, table] })
        }
        Holds::Scenario => {
            let others = ["parameters", "initial", "start"].map(|name| (name.to_owned(), json!({ "type": "object" })));
            let run = sections().iter().find(|section| section.name == "run").map_or(&[][..], |section| section.keys);
            let keys = run.iter().map(|key| (key.name.to_owned(), value(key.holds)));
            let properties: Map<String, Value> = keys.chain(others).collect();
            json!({ "type": "object", "properties": properties, "additionalProperties": false })
        }
        Holds::Number | Holds::NumberOrAuto | Holds::Formula => formula,
        Holds::Choice(words) => json!({ "enum": words }),
        Holds::Flag => json!({ "type": "boolean" }),
        Holds::Names | Holds::ListOfWords => json!({ "type": "array", "items": { "type": "string" } }),
        Holds::Formulas | Holds::NamedFormulas => json!({ "type": "array", "items": named }),
        Holds::Numbers => json!({ "type": "array", "items": formula }),
        Holds::NumberOrNumbers => json!({ "anyOf": [formula, { "type": "array", "items": formula }] }),
        Holds::NumberOrByVariable => {
            json!({ "anyOf": [formula, { "type": "object", "additionalProperties": formula }] })
        }
        Holds::Matrix => {
            json!({ "type": "array", "items": { "anyOf": [named, { "type": "array", "items": formula }] } })
        }
        Holds::FormulaOrList => json!({ "anyOf": [formula, { "type": "array", "items": formula }] }),
        Holds::Function => json!({
            "anyOf": [
                formula,
                {
                    "type": "object",
                    "properties": { "of": { "type": "array", "items": { "type": "string" } }, "formula": formula },
                    "required": ["of", "formula"],
                    "additionalProperties": false,
                },
            ],
        }),
        Holds::Table => keyed(TABLE),
        Holds::Dimension => json!({ "enum": [2, 3] }),
        Holds::Keys(keys) => keyed(keys),
        Holds::KeysOrList(keys) => json!({ "anyOf": [keyed(keys), { "type": "array", "items": keyed(keys) }] }),
        Holds::KeysByName(keys) => json!({ "type": "object", "additionalProperties": keyed(keys) }),
        Holds::NumberOrKeys(keys) => json!({ "anyOf": [formula, keyed(keys)] }),
        Holds::NumbersByName => {
            let vector = value(Holds::Axis);
            json!({ "type": "object", "additionalProperties": vector })
        }
        Holds::Axis => json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": formula }] }),
        Holds::AxisOrTwo => {
            let one = value(Holds::Axis);
            json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 2, "maxItems": 2 }] })
        }
        Holds::Markers => {
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 })
        }
        Holds::Point => value(Holds::Axis),
        Holds::PointOrFlag => json!({ "anyOf": [value(Holds::Axis), { "type": "boolean" }] }),
        Holds::Trace => json!({ "anyOf": [value(Holds::Axis), { "type": "boolean" }] }),
        Holds::PointList => json!({ "type": "array", "items": value(Holds::Axis) }),
        Holds::PointOrKeys(keys) | Holds::AxisOrKeys(keys) => json!({ "anyOf": [value(Holds::Axis), keyed(keys)] }),
        Holds::FormulasOrKeys(keys) => json!({ "anyOf": [{ "type": "array", "items": formula }, keyed(keys)] }),
        Holds::FormulaOrKeys(keys) => json!({ "anyOf": [formula, keyed(keys)] }),
        Holds::WordsOrKeys(keys) => json!({ "anyOf": [{ "type": "string" }, keyed(keys)] }),
        Holds::Points => json!({ "type": ["array", "string"] }),
        Holds::Assignments => json!({ "type": "object", "additionalProperties": formula }),
        Holds::Output => {
            let words = json!({ "type": "string" });
            let names = json!({ "type": "array", "items": words });
            let table = json!({
                "type": "object",
                "properties": {
                    "formula": formula,
                    "reaction": { "anyOf": [words, names] },
                    "at": names,
                    "unit": words,
                    "label": words,
                },
                "additionalProperties": false,
            });
            json!({ "anyOf": [formula, table] })
        }
        Holds::Measure => {
            let words = json!({ "type": "string" });
            json!({
                "type": "object",
                "properties": {
                    "max": formula, "min": formula, "mean": formula, "rms": formula, "integral": formula, "value": formula,
                    "count": words, "at": formula, "event": words, "which": formula, "from": formula, "to": formula,
                    "unit": words, "label": words,
                },
                "additionalProperties": false,
            })
        }
    }
}
