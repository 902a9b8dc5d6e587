// The page: reads the document and puts its parts together, the verdict first.
import { Clock } from './clock.ts';
import { report as read } from './document.ts';
import type { Report } from './document.ts';
import { element, icon, part } from './dom.ts';
import { handle } from './hook.ts';
import { helpDialog, listenToKeys, showHelp } from './keys.ts';
import { Motion } from './motion.ts';
import { Plots } from './plots.ts';
import { sectionPart } from './sections.ts';
import { Track } from './signals.ts';
import { Stage } from './stage.ts';
import { eventTable } from './tables.ts';
import { clip } from './text.ts';
import { startTheme, toggleTheme } from './theme.ts';
import { drawingChoices, transport } from './transport.ts';
import { verdict } from './verdict.ts';
import { XyPlot } from './xy.ts';

const SUN = 'M8 4.7 A3.3 3.3 0 1 0 8 11.3 A3.3 3.3 0 1 0 8 4.7 M8 .8 V2.4 M8 13.6 V15.2 M.8 8 H2.4 M13.6 8 H15.2 M2.9 2.9 L4 4 M12 12 L13.1 13.1 M13.1 2.9 L12 4 M4 12 L2.9 13.1';

/** Opens data and says what is damaged instead of showing nothing at all. */
async function opened<T>(what: string, open: () => Promise<T>, complaints: string[]): Promise<T | null> {
  try {
    return await open();
  } catch (error) {
    complaints.push(`${what} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function makeClock(motion: Motion, tracks: Track[]): Clock {
  const longest = tracks.reduce<Float64Array>((best, track) => (track.t.length > best.length ? track.t : best), new Float64Array(0));
  const steps = motion.n > 0 ? motion.t : longest;
  const ends = [motion.t, ...tracks.map((track) => track.t)].filter((t) => t.length > 0 && Number.isFinite(t[0]) && Number.isFinite(t[t.length - 1]));
  // The animation and all plots can be reached, so the clock has the range of everything.
  const start = Math.min(...ends.map((t) => t[0]));
  const end = Math.max(...ends.map((t) => t[t.length - 1]));
  return Number.isFinite(end - start) ? new Clock(start, end, steps) : new Clock(0, 0, steps);
}

function header(it: Report, dialog: HTMLDialogElement): HTMLElement {
  return element('header', { class: 'top' },
    element('div', {}, element('h1', { title: clip(it.title, 300) }, clip(it.title, 160) || 'Report'), it.program !== '' && element('p', { class: 'program' }, clip(it.program, 80))),
    element('div', { class: 'page-tools' },
      element('button', { type: 'button', class: 'plain', 'aria-label': 'Light or dark', title: 'Light or dark', onclick: toggleTheme }, icon(SUN)),
      element('button', { type: 'button', class: 'plain', 'aria-label': 'Keys', title: 'Keys (?)', onclick: () => showHelp(dialog) }, '?')));
}

/** Links to the parts of a long page. */
function contents(parts: HTMLElement[]): HTMLElement | null {
  if (parts.length < 3) return null;
  return element('nav', { class: 'contents', 'aria-label': 'Contents' }, ...parts.map((it) => {
    const link = element('a', { href: `#${it.id}` }, clip(it.querySelector('h2')?.textContent ?? it.id, 40));
    // A sandboxed frame cannot follow links within itself everywhere; moving there by hand works in all.
    link.addEventListener('click', (event) => {
      event.preventDefault();
      it.scrollIntoView({ behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
    });
    return link;
  }));
}

/** What is done for paper, as soon as there is something to print. */
const hooks = { before: () => {}, after: () => {} };

async function show(root: HTMLElement, it: Report, ready: Promise<number>): Promise<void> {
  const complaints: string[] = [];
  if (it.format !== 1) complaints.push(`this report has format ${it.format}; the page knows format 1 and may miss something`);
  const tracks = (await Promise.all(it.tracks.map((entry) => opened(`track ${clip(entry.title || entry.name, 40)}`, () => Track.open(entry), complaints)))).filter((track) => track !== null);
  const motion = (await opened('the motion', () => Motion.open(it.motion), complaints)) ?? (await Motion.open(null));
  const clock = makeClock(motion, tracks);
  const timeUnit = clip(it.tracks[0]?.t_unit ?? '', 12);
  const dialog = helpDialog();

  const stage = it.scene && it.scene.items.length > 0 ? new Stage(it.scene, motion, clock) : null;
  const moves = motion.n > 1;
  const withSignals = tracks.filter((track) => track.entry.signals.length > 0);
  const plots = withSignals.length > 0 ? new Plots(withSignals, clock, it.events, timeUnit) : null;
  let xy: XyPlot | null = null;
  const parts: HTMLElement[] = [];
  const look = element('div', { class: 'look' });
  if (stage) {
    const motionPart = part('motion', 'Motion', element('div', { class: 'theatre' }, stage.root, moves && transport(clock, timeUnit), drawingChoices(stage, moves)),
      !stage.usesWebGl && element('p', { class: 'note' }, 'This browser offers no WebGL; the scene is drawn with lines only.'),
      it.motion !== null && motion.n === 0 && element('p', { class: 'note' }, 'There are no frames; the scene cannot move.'));
    look.append(motionPart);
    parts.push(motionPart);
  }
  if (plots) {
    const plotPart = part('plots', 'Plots', plots.root);
    if (withSignals.reduce((n, track) => n + track.entry.signals.length, 0) > 1) {
      const path = new XyPlot(withSignals, clock, plots.hidden);
      plots.onRuns(() => path.draw());
      plots.root.append(path.root);
      xy = path;
    }
    look.append(plotPart);
    parts.push(plotPart);
  }
  if (stage && plots) look.classList.add('two');
  const rest: HTMLElement[] = [];
  if (it.events.length > 0) rest.push(part('events', 'Events', eventTable(it.events, clock, timeUnit)));
  rest.push(...it.sections.map(sectionPart));
  parts.push(...rest);

  root.replaceChildren();
  root.append(header(it, dialog), verdict(it.verdict));
  if (complaints.length > 0) root.append(element('section', { class: 'complaints', role: 'alert' }, ...complaints.map((words) => element('p', {}, words))));
  const nav = contents(parts);
  if (nav) root.append(nav);
  root.append(look, element('div', { class: 'rest' }, ...rest), dialog);
  listenToKeys(clock, stage, dialog);
  hooks.before = () => {
    plots?.makeAll();
    xy?.draw();
    stage?.beforePrint();
  };
  hooks.after = () => stage?.redraw();
  (window as unknown as { alembert: unknown }).alembert = handle(ready, clock, stage, plots, motion.n);
  // Nothing moves by itself for those who asked for that; for others once, to show that it can.
  if (stage && moves && !matchMedia('(prefers-reduced-motion: reduce)').matches) clock.play(true);
}

async function start(): Promise<void> {
  let done: (ms: number) => void = () => undefined;
  const ready = new Promise<number>((resolve) => { done = resolve; });
  (window as unknown as { alembert: unknown }).alembert = { ready };
  startTheme(() => hooks.before(), () => hooks.after());
  const root = document.getElementById('report')!;
  const source = document.getElementById('document');
  if (!source) {
    root.append(element('p', { class: 'complaints' }, 'This page contains no report: it is the frame into which one is written.'));
  } else {
    try {
      const it = read(JSON.parse(source.textContent ?? ''));
      source.textContent = '';
      await show(root, it, ready);
    } catch (error) {
      root.append(element('p', { class: 'complaints', role: 'alert' }, `This report cannot be read: ${error instanceof Error ? error.message : String(error)}`));
    }
  }
  // Two frames later what is visible has been painted.
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));
}

void start();
