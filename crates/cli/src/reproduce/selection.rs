//! Which experiments are asked for.

use super::experiment::Experiment;
use crate::failure::Failure;
use alembert_model::nearest::nearest;

/// Those of the paper and of the names, in the catalogue's order; all where neither is given.
pub fn select(
    all: Vec<Box<dyn Experiment>>,
    paper: Option<u32>,
    names: &[String],
) -> Result<Vec<Box<dyn Experiment>>, Failure> {
    let paper = paper.map(|number| number.to_string());
    if let Some(paper) = &paper {
        known_paper(&all, paper)?;
    }
    for name in names {
        known_name(&all, name, paper.as_deref())?;
    }
    let of_paper = |experiment: &dyn Experiment| paper.as_deref().is_none_or(|paper| experiment.paper() == paper);
    let named = |experiment: &dyn Experiment| names.is_empty() || names.iter().any(|name| name == experiment.name());
    Ok(all.into_iter().filter(|experiment| of_paper(&**experiment) && named(&**experiment)).collect())
}

fn known_paper(all: &[Box<dyn Experiment>], paper: &str) -> Result<(), Failure> {
    let mut papers: Vec<&str> = all.iter().map(|experiment| experiment.paper()).collect();
    papers.dedup();
    if papers.contains(&paper) {
        return Ok(());
    }
    Err(Failure::usage(format!("there are no experiments of paper {paper}"))
        .with_hint(format!("the papers are {}", papers.join(", "))))
}

fn known_name(all: &[Box<dyn Experiment>], name: &str, paper: Option<&str>) -> Result<(), Failure> {
    let names = || all.iter().map(|experiment| experiment.name());
    match (all.iter().find(|experiment| experiment.name() == name), paper) {
        (Some(experiment), Some(paper)) if experiment.paper() != paper => {
            Err(Failure::usage(format!("experiment `{name}` is not of paper {paper}"))
                .with_hint("leave out --paper, or --experiment".to_owned()))
        }
        (Some(_), _) => Ok(()),
        (None, _) => {
            let meant = nearest(name, names()).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let listed = names().collect::<Vec<_>>().join(", ");
            Err(Failure::usage(format!("unknown experiment `{name}`"))
                .with_hint(format!("{meant}the experiments are {listed}")))
        }
    }
}
