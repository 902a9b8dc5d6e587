// A list of names with check boxes and a filter, for some names or for thousands.
import { checkbox, element } from './dom.ts';
import type { Choice } from './signals.ts';
import { clip, withUnit } from './text.ts';

export interface Entry { name: string; label: string; unit: string }
/** More entries are not listed at once; the filter finds the others. */
const MOST_LISTED = 150;

export class Chooser {
  readonly root: HTMLDetailsElement;
  private readonly summary = element('summary');
  private readonly list = element('div', { class: 'choices', role: 'group', 'aria-label': 'Signals' });
  private readonly filter = element('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter the list of signals' });

  constructor(private readonly entries: Entry[], private readonly chosen: Set<number>, private readonly change: () => void) {
    this.filter.addEventListener('input', () => this.fill());
    const all = element('button', { type: 'button', class: 'plain', onclick: () => this.setAll(true) }, 'All listed');
    const none = element('button', { type: 'button', class: 'plain', onclick: () => this.setAll(false) }, 'None');
    this.root = element('details', { class: 'chooser' }, this.summary, element('div', { class: 'chooser-box' }, element('div', { class: 'chooser-head' }, this.filter, all, none), this.list));
    // The list is made when it is opened, since most never are.
    this.root.addEventListener('toggle', () => this.root.open && this.fill());
    this.root.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      this.root.open = false;
      this.summary.focus();
    });
    this.count();
  }

  private count(): void {
    this.summary.textContent = `Signals: ${this.chosen.size} of ${this.entries.length}`;
  }

  private listed(): number[] {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found: number[] = [];
    this.entries.forEach((entry, k) => {
      const text = `${entry.name} ${entry.label}`.slice(0, 500).toLowerCase();
      if (words.every((word) => text.includes(word))) found.push(k);
    });
    return found;
  }

  private fill(): void {
    const found = this.listed();
    const shown = found.slice(0, MOST_LISTED);
    this.list.replaceChildren(...shown.map((k) => {
      const entry = this.entries[k];
      const words = withUnit(clip(entry.name, 48), clip(entry.unit, 16));
      return checkbox(words, this.chosen.has(k), (on) => {
        if (on) this.chosen.add(k);
        else this.chosen.delete(k);
        this.count();
        this.change();
      }, clip(entry.label, 120) || undefined);
    }));
    if (found.length > shown.length) this.list.append(element('p', { class: 'note' }, `… and ${found.length - shown.length} more; the filter finds them.`));
    if (found.length === 0) this.list.append(element('p', { class: 'note' }, 'No name contains this.'));
  }

  private setAll(on: boolean): void {
    // A hundred lines in one plot are no picture; the most that is useful is taken.
    for (const k of on ? this.listed().slice(0, 24) : [...this.chosen]) {
      if (on) this.chosen.add(k);
      else this.chosen.delete(k);
    }
    this.fill();
    this.count();
    this.change();
  }
}

/** Values that are looked at to see whether signals change: more would delay the page. */
const LOOKED_AT = 240_000;

/** The signals that a plot begins with: of one unit, those that change before those that do not. */
export function atFirst(choices: Choice[], most: number): number[] {
  const rows = Math.max(1, ...choices.slice(0, 1).flatMap((choice) => choice.signals.map((signal) => signal.t.length)));
  const near = choices.slice(0, Math.floor(LOOKED_AT / rows));
  // What changes by rounding only, beside the largest value of its unit, does not change.
  const largest = new Map<string, number>();
  const reach = (choice: Choice) => choice.signals.reduce((most, signal) => signal.values.reduce((m, v) => (Math.abs(v) > m && Number.isFinite(v) ? Math.abs(v) : m), most), 0);
  for (const choice of near) largest.set(choice.unit, Math.max(largest.get(choice.unit) ?? 0, reach(choice)));
  const moves = (values: Float64Array, unit: string) => values.some((v) => Math.abs(v - values[0]) > 1e-9 * (largest.get(unit) ?? 0));
  const changes = near.map((choice) => choice.signals.some((signal) => moves(signal.values, choice.unit)));
  // Those that were not looked at may well change.
  const alive = [...choices.keys()].filter((k) => changes[k] ?? true);
  const all = alive.length > 0 ? alive : [...choices.keys()];
  return all.filter((k) => choices[k].unit === choices[all[0]].unit).slice(0, most);
}
