//! `alembert report`: a page of a run that moves, of several runs or of a sweep; and pictures of the motion without a browser.

use std::io::Write;
use std::path::{Path, PathBuf};

use alembert_picture::{Arrangement, Film, Look, Motion, Scene, animate_svg, contact_sheet, raster, svg};
use alembert_sim::report::{self, Page, Recorded, Still};
use clap::Args;

use super::job::Job;
use crate::failure::{Failure, Status};
use crate::target::Target;

/// Options of `alembert report`.
#[derive(Args)]
pub struct Arguments {
    /// The folder that `alembert run --out` or `alembert sweep --out` wrote; several runs are shown beside each other
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// The page to write; report.html in the folder if omitted
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub pictures: Pictures,
    /// Replace files that alembert did not write
    #[arg(long)]
    pub force: bool,
}

/// Pictures of a motion.
#[derive(Args, Default, Clone)]
pub struct Pictures {
    /// A picture that moves: .svg or .png (APNG)
    #[arg(long, value_name = "FILE")]
    pub animate: Option<PathBuf>,
    /// A picture of several instants beside each other: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub poses: Option<PathBuf>,
    /// How many instants --poses has
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=60))]
    pub count: u8,
    /// All instants of --poses in one place, the earlier ones paler
    #[arg(long)]
    pub overlay: bool,
    /// Pixels across of --animate and --poses
    #[arg(long, value_name = "PIXELS", default_value_t = 640, value_parser = clap::value_parser!(u32).range(64..=4000))]
    pub width: u32,
    /// Leave out arrows of forces and velocities
    #[arg(long)]
    pub no_arrows: bool,
}

/// Where pages and pictures go: looked at before a run begins, which may take hours.
pub struct Targets {
    page: Option<Target>,
    animate: Option<Target>,
    poses: Option<Target>,
    pictures: Pictures,
}

impl Targets {
    /// Checks all of them.
    pub fn new(page: Option<&Path>, pictures: &Pictures, force: bool) -> Result<Targets, Failure> {
        let target = |path: Option<&Path>| path.map(|path| Target::new(path, force)).transpose();
        let [animate, poses] = [&pictures.animate, &pictures.poses].map(|path| target(path.as_deref()));
        let targets = Targets { page: target(page)?, animate: animate?, poses: poses?, pictures: pictures.clone() };
        for picture in [&targets.animate, &targets.poses].into_iter().flatten() {
            if !["svg", "png"].contains(&picture.ending().as_str()) {
                return Err(Failure::usage(format!("pictures are .svg or .png files, not .{}", picture.ending()))
                    .with_hint("give the file one of these endings"));
            }
        }
        Ok(targets)
    }

    /// Whether nothing is wanted.
    pub fn is_empty(&self) -> bool {
        self.page.is_none() && self.animate.is_none() && self.poses.is_none()
    }

    /// Writes what is wanted of the run in a folder.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        if self.is_empty() {
            return Ok(());
        }
        let run = Recorded::read(folder)?;
        let model = Job::read(&run.summary["asked"]).and_then(|job| job.load());
        let model = model.map_err(|failure| Still(format!("the model cannot be read again: {}", failure.message)));
        if let Some(target) = &self.page {
            put(target, &report::report(&run, model.as_ref().map_err(Clone::clone)))?;
        }
        if self.animate.is_none() && self.poses.is_none() {
            return Ok(());
        }
        let still = |Still(why)| Failure::work(format!("there is no picture of this motion: {why}"));
        let (scene, motion) =
            model.as_ref().map_err(Clone::clone).and_then(|model| report::motion(model, run.rows())).map_err(still)?;
        let title = run.summary["model"].as_str().unwrap_or_default().to_owned();
        self.draw(&scene, &motion, title)
    }

    fn draw(&self, scene: &Scene, motion: &Motion, title: String) -> Result<(), Failure> {
        let wanted = &self.pictures;
        let look = Look { width: f64::from(wanted.width), title, arrows: !wanted.no_arrows, ..Look::default() };
        if let Some(target) = &self.animate {
            let film = Film::default();
            let bytes = match target.ending().as_str() {
                "svg" => signed(animate_svg(scene, motion, &look, &film)),
                _ => raster::apng(scene, motion, &look, &film, 1.0),
            };
            target.write(|out| out.write_all(&bytes))?;
        }
        if let Some(target) = &self.poses {
            let arrangement = if wanted.overlay { Arrangement::Over } else { Arrangement::Beside };
            let sketch = contact_sheet(scene, motion, &look, usize::from(wanted.count), arrangement);
            let bytes = match target.ending().as_str() {
                "svg" => signed(svg::write(&sketch)),
                _ => raster::png(&sketch, 2.0),
            };
            target.write(|out| out.write_all(&bytes))?;
        }
        Ok(())
    }
}

/// Says who made a picture, so that it may be made anew in its place.
fn signed(svg: String) -> Vec<u8> {
    svg.replacen(">\n", ">\n<!-- made by alembert -->\n", 1).into_bytes()
}

/// Writes a page.
pub fn put(target: &Target, page: &Page) -> Result<(), Failure> {
    target.write(|out| page.write(out))
}

/// Makes the report of what is in folders.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let first = &arguments.folders[0];
    if let Some(missing) = arguments.folders.iter().find(|folder| !folder.is_dir()) {
        return Err(Failure::usage(format!("no result of a run in {}: there is no such folder", missing.display()))
            .with_hint("name a folder that `alembert run MODEL --out DIR` wrote"));
    }
    let page = arguments.out.clone().unwrap_or_else(|| first.join("report.html"));
    let is_sweep = !first.join("summary.json").exists()
        && ["sweep.csv", "sweep.partial.csv"].iter().any(|name| first.join(name).exists());
    match &arguments.folders[..] {
        [folder] if !is_sweep => Targets::new(Some(&page), &arguments.pictures, arguments.force)?.write(folder)?,
        folders => {
            if arguments.pictures.animate.is_some() || arguments.pictures.poses.is_some() {
                return Err(
                    Failure::usage("pictures are made of one run".to_owned()).with_hint("name one folder of a run")
                );
            }
            let target = Target::new(&page, arguments.force)?;
            let page = match folders {
                [folder] => report::report_sweep(folder)?,
                _ => {
                    let runs: Vec<Recorded> =
                        folders.iter().map(|folder| Recorded::read(folder)).collect::<Result<_, _>>()?;
                    report::report_together(&runs)
                }
            };
            put(&target, &page)?;
        }
    }
    Ok(Status::Agrees)
}
