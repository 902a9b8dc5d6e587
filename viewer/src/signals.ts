// Tracks: signals over time, of one run or of several.
import { Columns } from './block.ts';
import type { SignalEntry, TrackEntry } from './document.ts';
import { upper } from './motion.ts';

/** The order of groups, and how they are called. */
const GROUPS = new Map([
  ['coordinates', 'Coordinates'], ['velocities', 'Velocities'], ['accelerations', 'Accelerations'], ['reactions', 'Reactions'], ['multipliers', 'Multipliers'],
  ['outputs', 'Outputs'], ['states', 'States'], ['energy', 'Energy'], ['residuals', 'Residuals'], ['steps', 'Step sizes'],
]);
/** Groups whose values span powers of ten. */
export const LOGARITHMIC = new Set(['residuals', 'steps']);

export class Track {
  readonly t: Float64Array;
  private readonly cache = new Map<number, Float64Array>();
  /** The rows whose time can be shown, if some cannot. */
  private readonly rows: Uint32Array | null;

  private constructor(readonly entry: TrackEntry, private readonly columns: Columns) {
    const t = columns.times();
    let last = -Infinity;
    const good = t.reduce((count, v) => (Number.isFinite(v) && v >= last ? ((last = v), count + 1) : count), 0);
    this.rows = null;
    if (good < t.length) {
      last = -Infinity;
      this.rows = Uint32Array.from([...t.keys()].filter((i) => Number.isFinite(t[i]) && t[i] >= last && ((last = t[i]), true)));
    }
    this.t = this.rows ? Float64Array.from(this.rows, (i) => t[i]) : t;
  }

  static async open(entry: TrackEntry): Promise<Track> {
    if (entry.n === 0) return new Track(entry, Columns.empty(entry.signals.length));
    return new Track(entry, await Columns.open(entry.block, entry.n, entry.signals.length));
  }

  values(k: number): Float64Array {
    let values = this.cache.get(k);
    if (!values) {
      values = this.columns.column(k, this.entry.signals[k].offset);
      if (this.rows) values = Float64Array.from(this.rows, (i) => values![i]);
      this.cache.set(k, values);
    }
    return values;
  }
}

/** One signal of one run. */
export class Signal {
  readonly entry: SignalEntry;
  constructor(readonly track: Track, readonly index: number) {
    this.entry = track.entry.signals[index];
  }

  get run(): string {
    return this.track.entry.run;
  }

  get t(): Float64Array {
    return this.track.t;
  }

  get values(): Float64Array {
    return this.track.values(this.index);
  }

  /** Its value at a time, between rows on a straight line. */
  at(time: number): number {
    const { t, values } = this;
    if (t.length === 0 || time < t[0] || time > t[t.length - 1]) return NaN;
    const i = Math.max(0, upper(t, time) - 1);
    const j = Math.min(t.length - 1, i + 1);
    const s = t[j] > t[i] ? (time - t[i]) / (t[j] - t[i]) : 0;
    return s > 0 ? values[i] + s * (values[j] - values[i]) : values[i];
  }
}

/** What has one name, in all runs. */
export interface Choice { name: string; label: string; unit: string; group: string; signals: Signal[] }
export interface Group { id: string; title: string; choices: Choice[] }

/** Signals by group, in the order in which they are looked at. */
export function groups(tracks: Track[]): Group[] {
  const found = new Map<string, Map<string, Choice>>();
  for (const track of tracks) {
    track.entry.signals.forEach((entry, k) => {
      if (!found.has(entry.group)) found.set(entry.group, new Map());
      const choices = found.get(entry.group)!;
      if (!choices.has(entry.name)) choices.set(entry.name, { name: entry.name, label: entry.label, unit: entry.unit, group: entry.group, signals: [] });
      choices.get(entry.name)!.signals.push(new Signal(track, k));
    });
  }
  const order = [...GROUPS.keys()];
  const rank = (id: string) => (order.includes(id) ? order.indexOf(id) : order.length);
  return [...found.entries()]
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([id, choices]) => ({ id, title: GROUPS.get(id) ?? id, choices: [...choices.values()] }));
}

/** The names of runs, in order. */
export function runs(tracks: Track[]): string[] {
  return [...new Set(tracks.map((track) => track.entry.run))];
}
