//! The `[tables]` section: points from lists or from files, checked, to tables.

use toml::de::DeValue;

use crate::document::{Document, Entry, entries, kind as kind_of};
use crate::format::{BEYOND, KINDS, TABLE};
use crate::scope::Scope;
use crate::source::{Files, LARGEST, Source, why_not};
use crate::table::{Axis, Beyond, Kind, Table, csv};
use crate::text::Span;

/// Most points of a table.
const MOST: usize = 1_000_000;
/// Ends of a periodic table may differ by this share of its range.
const CLOSED: f64 = 1e-9;

/// One list of points, with where it was given.
struct List {
    values: Vec<f64>,
    span: Span,
}

/// A table under construction.
struct Draft<'w, 'd, 'c> {
    document: &'w Document<'d>,
    scope: &'w mut Scope<'c>,
    name: &'d str,
    entries: Vec<Entry<'d>>,
}

/// Makes all tables known to formulas; returns the files that were read.
pub(super) fn read(document: &Document, source: &dyn Source, scope: &mut Scope) -> Files {
    let mut files = Files::new();
    for entry in document.section("tables") {
        if !document.named(entry, scope.mistakes) {
            continue;
        }
        let DeValue::Table(table) = entry.value else {
            let hint = format!("write [tables.{}] and its points below", entry.key);
            let message = format!("`{}` must be a table, found {}", entry.key, kind_of(entry.value));
            scope.mistakes.add(entry.span, message, Some(hint));
            continue;
        };
        let mut found = entries(table);
        found.retain(|entry| {
            let known = TABLE.iter().any(|key| key.name == entry.key);
            if !known {
                scope.mistakes.unknown(entry.key_span, "key of a table", entry.key, TABLE.iter().map(|key| key.name));
            }
            known
        });
        let mut draft = Draft { document, scope, name: entry.key, entries: found };
        let table = draft.table(entry.key_span, source, &mut files);
        // A name stays known, so that its uses are no mistakes of their own.
        let table = table.unwrap_or_else(|| {
            let axis = || Axis::new(vec![0.0, 1.0], Beyond::Linear);
            match draft.find("z") {
                Some(_) => Table::surface(entry.key, Kind::Linear, [axis(), axis()], &[0.0; 4]),
                None => Table::curve(entry.key, Kind::Linear, axis(), &[0.0; 2]),
            }
        });
        scope.add_table(entry.key_span, table);
    }
    files
}

impl<'d> Draft<'_, 'd, '_> {
    fn find(&self, key: &str) -> Option<Entry<'d>> {
        self.entries.iter().find(|entry| entry.key == key).copied()
    }

    fn tell<T>(&mut self, span: Span, message: String, hint: &str) -> Option<T> {
        self.scope.mistakes.add(span, format!("table `{}`: {message}", self.name), Some(hint.to_owned()));
        None
    }

    fn table(&mut self, span: Span, source: &dyn Source, files: &mut Files) -> Option<Table> {
        let word = |draft: &mut Self, key, words: &'static [&'static str]| match draft.find(key) {
            Some(entry) => draft.document.choice(&entry, words, draft.scope.mistakes),
            None => Some(words[0]),
        };
        let kind = match word(self, "kind", KINDS)? {
            "pchip" => Kind::Pchip,
            "spline" => Kind::Spline,
            _ => Kind::Linear,
        };
        let extrapolation = word(self, "extrapolation", BEYOND)?;
        let beyond = match extrapolation {
            "hold" | "linear" => Beyond::Linear,
            "periodic" => Beyond::Periodic,
            _ => Beyond::Error,
        };
        for key in ["x", "y"] {
            if self.find(key).is_none() {
                let hint = "write x = [0, 1, 2] and y = [0, 0.5, 0], or with `file` the names of its columns";
                return self.tell(span, format!("it has no `{key}`"), hint);
            }
        }
        let surface = self.find("z");
        if let (Some(_), Kind::Pchip, Some(entry)) = (surface, kind, self.find("kind")) {
            return self.tell(entry.span, "pchip is for one argument".to_owned(), "use \"linear\" or \"spline\"");
        }
        let lists = match self.find("file") {
            Some(file) => self.columns(&file, source, files)?,
            None => self.lists()?,
        };
        let [x, rest @ ..] = lists.as_slice() else { return None };
        self.check_knots("x", x)?;
        let values = match rest {
            [y] => {
                if x.values.len() != y.values.len() {
                    let message = format!("x has {} points and y has {}", x.values.len(), y.values.len());
                    return self.tell(y.span, message, "every knot has one value");
                }
                y
            }
            [y, z] => {
                self.check_knots("y", y)?;
                z
            }
            _ => return None,
        };
        if values.values.len() > MOST {
            let message = format!("it has {} points, more than {MOST}", values.values.len());
            return self.tell(values.span, message, "take every second one");
        }
        let mut points = values.values.clone();
        let axis = |x: &List| Axis::new(x.values.clone(), beyond);
        let mut table = match rest {
            [_] => {
                self.close(beyond, values.span, &mut points, (1, 1))?;
                Table::curve(self.name, kind, axis(x), &points)
            }
            [y, _] => {
                let (rows, columns) = (x.values.len(), y.values.len());
                self.close(beyond, values.span, &mut points, (columns, columns))?;
                self.close(beyond, values.span, &mut points, (1, columns))?;
                debug_assert_eq!(points.len(), rows * columns);
                Table::surface(self.name, kind, [axis(x), axis(y)], &points)
            }
            _ => return None,
        };
        table.held = extrapolation == "hold";
        Some(table)
    }

    /// Knots must be two at least, and increase.
    fn check_knots(&mut self, key: &str, list: &List) -> Option<()> {
        if list.values.len() < 2 {
            let points = if list.values.len() == 1 { "one point".to_owned() } else { "no points".to_owned() };
            return self.tell(list.span, format!("`{key}` has {points}"), "a table has two at least");
        }
        let fall = list.values.windows(2).position(|pair| pair[0] >= pair[1]);
        match fall {
            Some(i) => {
                let (before, after) = (list.values[i], list.values[i + 1]);
                let message = format!("`{key}` must increase, but {before} is followed by {after} (point {})", i + 2);
                self.tell(list.span, message, "sort the points, and keep one of those at the same place")
            }
            None => Some(()),
        }
    }

    /// Makes the ends of a periodic table the same, where they are up to rounding: `next` entries on is the next knot, and `each`
    /// entries belong to one line of them.
    fn close(&mut self, beyond: Beyond, span: Span, z: &mut [f64], (next, each): (usize, usize)) -> Option<()> {
        if beyond != Beyond::Periodic {
            return Some(());
        }
        let (low, high) = z.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
        // Along the first argument the ends are the first and the last row, along the second those of each row.
        let count = z.len();
        let pairs: Vec<(usize, usize)> = match (next, each) {
            (1, 1) => vec![(0, count - 1)],
            (1, columns) => (0..count / columns).map(|i| (i * columns, (i + 1) * columns - 1)).collect(),
            (columns, _) => (0..columns).map(|j| (j, count - columns + j)).collect(),
        };
        for (first, last) in pairs {
            if (z[first] - z[last]).abs() > CLOSED * (high - low) {
                let message = format!("it is periodic, but begins with {} and ends with {}", z[first], z[last]);
                return self.tell(span, message, "the last point repeats the first one, a period later");
            }
            z[last] = z[first];
        }
        Some(())
    }

    /// Points that stand in the model.
    fn lists(&mut self) -> Option<Vec<List>> {
        let mut lists = Vec::new();
        for key in ["x", "y", "z"] {
            let Some(entry) = self.find(key) else { continue };
            let DeValue::Array(rows) = entry.value else {
                let hint = "write a list of numbers; names of columns need `file`";
                return self.tell(entry.span, format!("`{key}` must be a list, found {}", kind_of(entry.value)), hint);
            };
            let values = if key == "z" {
                let (height, width) = (self.count(&lists, 0), self.count(&lists, 1));
                if rows.len() != height {
                    let message = format!("`z` has {} rows for {height} knots of x", rows.len());
                    return self.tell(entry.span, message, "write z = [[…], […]], a row for each knot of x");
                }
                let mut values = Vec::new();
                for row in rows.iter() {
                    let row = Entry { value: row.get_ref(), span: row.span().into(), ..entry };
                    let part = self.numbers(&row)?;
                    if part.len() != width {
                        let message = format!("a row of `z` has {} values for {width} knots of y", part.len());
                        return self.tell(row.span, message, "a row has a value for each knot of y");
                    }
                    values.extend(part);
                }
                values
            } else {
                self.numbers(&entry)?
            };
            lists.push(List { values, span: entry.span });
        }
        Some(lists)
    }

    fn count(&self, lists: &[List], k: usize) -> usize {
        lists.get(k).map_or(0, |list| list.values.len())
    }

    /// A list of numbers or constant formulas.
    fn numbers(&mut self, entry: &Entry<'d>) -> Option<Vec<f64>> {
        let items = self.document.items(entry, self.scope.mistakes)?;
        let mut values = Vec::new();
        for item in &items {
            for instance in self.scope.instances(&item.formula) {
                let node = self.scope.instance(&instance)?;
                match self.scope.graph.value(node) {
                    Some(value) if value.is_finite() => values.push(value),
                    Some(value) => {
                        return self.tell(item.span, format!("this is {value}"), "points are finite numbers");
                    }
                    None => {
                        let hint = "use numbers and parameters only";
                        return self.tell(item.span, "points must not vary".to_owned(), hint);
                    }
                }
                if values.len() > MOST {
                    return self.tell(entry.span, format!("it has more than {MOST} points"), "take every second one");
                }
            }
        }
        Some(values)
    }

    /// Points that stand in a file.
    fn columns(&mut self, file: &Entry<'d>, source: &dyn Source, files: &mut Files) -> Option<Vec<List>> {
        let path = self.document.words(file, self.scope.mistakes)?;
        if let Some(why) = why_not(&path) {
            let hint = "name a file beside the model or in a folder below it, as \"data/road.csv\"";
            return self.tell(file.span, format!("`{path}` cannot be used: {why}"), hint);
        }
        let mut names = Vec::new();
        for key in ["x", "y", "z"] {
            let Some(entry) = self.find(key) else { continue };
            let DeValue::String(name) = entry.value else {
                let hint = format!("write {key} = \"…\" with the name of a column, or leave out `file`");
                return self.tell(entry.span, format!("with `file`, `{key}` names a column"), &hint);
            };
            names.push(&**name);
        }
        if !files.contains_key(&path) {
            match source.read(&path) {
                Ok(bytes) if bytes.len() > LARGEST => {
                    let message = format!("`{path}` has more than {LARGEST} bytes");
                    return self.tell(file.span, message, "take every second point");
                }
                Ok(bytes) => files.insert(path.clone(), bytes),
                Err(why) => {
                    let hint = "paths are relative to the model file";
                    return self.tell(file.span, format!("`{path}` cannot be read: {why}"), hint);
                }
            };
        }
        let found = files.get(&path).map(|bytes| csv::columns(&path, bytes, &names))?;
        let columns = match found {
            Ok(columns) => columns,
            Err(bad) => {
                let message = format!("table `{}`: {}", self.name, bad.message);
                self.scope.mistakes.add(file.span, message, bad.hint);
                return None;
            }
        };
        let mut lists: Vec<List> = columns.into_iter().map(|values| List { values, span: file.span }).collect();
        if lists.len() == 3 {
            lists = self.grid(lists, file.span)?;
        }
        Some(lists)
    }

    /// Points (x, y, z) in any order to knots and rows.
    fn grid(&mut self, lists: Vec<List>, span: Span) -> Option<Vec<List>> {
        let knots = |values: &[f64]| {
            let mut knots = values.to_vec();
            knots.sort_by(f64::total_cmp);
            knots.dedup();
            knots
        };
        let [x, y, z] = <[List; 3]>::try_from(lists).ok()?;
        let (xs, ys) = (knots(&x.values), knots(&y.values));
        let hint = "every pair of a value of x and a value of y has one line";
        if xs.len().saturating_mul(ys.len()) != z.values.len() {
            let message = format!("{} points are no grid of {} by {} knots", z.values.len(), xs.len(), ys.len());
            return self.tell(span, message, hint);
        }
        let mut values = vec![f64::NAN; z.values.len()];
        for ((x, y), z) in x.values.iter().zip(&y.values).zip(&z.values) {
            let at = |knots: &[f64], x: f64| knots.partition_point(|knot| *knot < x);
            let entry = at(&xs, *x) * ys.len() + at(&ys, *y);
            if !values[entry].is_nan() {
                return self.tell(span, format!("the point ({x}, {y}) is given twice"), hint);
            }
            values[entry] = *z;
        }
        Some([xs, ys, values].map(|values| List { values, span }).into())
    }
}
