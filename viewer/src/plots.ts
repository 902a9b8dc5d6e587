// All plots over time. They show the same part of time and the same runs.
import type { Clock } from './clock.ts';
import type { Occurrence } from './document.ts';
import { checkbox, element } from './dom.ts';
import { Plot } from './plot.ts';
import type { PlotContext } from './plot.ts';
import { groups, runs } from './signals.ts';
import type { Track } from './signals.ts';
import { clip } from './text.ts';
import { onTheme } from './theme.ts';

/** So many runs are shown before anything is chosen. */
const MOST_RUNS = 6;

export class Plots {
  readonly root = element('div', { class: 'plots' });
  readonly list: Plot[];
  readonly hidden = new Set<string>();
  private readonly listeners: (() => void)[] = [];

  constructor(tracks: Track[], clock: Clock, events: Occurrence[], timeUnit: string) {
    const names = runs(tracks);
    for (const run of names.slice(MOST_RUNS)) this.hidden.add(run);
    const context: PlotContext = { clock, events, runs: names, hidden: this.hidden, timeUnit, zoom: (range) => this.zoom(range) };
    this.list = groups(tracks).map((group) => new Plot(group, context));
    if (names.length > 1) this.root.append(this.runChoice(names));
    this.root.append(...this.list.map((plot) => plot.root));
    onTheme(() => this.rebuild());
  }

  private runChoice(names: string[]): HTMLElement {
    const box = element('div', { class: 'runs', role: 'group', 'aria-label': 'Runs' }, element('span', { class: 'muted' }, 'Runs'));
    for (const run of names.slice(0, 100)) {
      box.append(checkbox(clip(run, 40) || 'unnamed', !this.hidden.has(run), (on) => {
        if (on) this.hidden.delete(run);
        else this.hidden.add(run);
        this.rebuild();
        for (const listener of this.listeners) listener();
      }));
    }
    return box;
  }

  onRuns(listener: () => void): void {
    this.listeners.push(listener);
  }

  private zoom(range: [number, number] | null): void {
    for (const plot of this.list) plot.show(range);
  }

  /** Draws again those that have been drawn. */
  private rebuild(): void {
    for (const plot of this.list) if (plot.points > 0) plot.rebuild();
  }

  /** Draws all, for paper. */
  makeAll(): void {
    for (const plot of this.list) plot.make();
  }
}
