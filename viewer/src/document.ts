// What a report contains, as the program writes it, and a tolerant reader: whatever is missing or of the wrong type becomes empty.

/** A number of a scene: fixed, or a channel of the motion; `null` stands for one that is not finite. */
export type Quantity = number | null | { c: number };
export type Turn = 'none' | { angle: Quantity } | { quaternion: [Quantity, Quantity, Quantity, Quantity] };
export type Triple = [number, number, number];
export interface Frame { name: string; origin: [Quantity, Quantity, Quantity]; turn: Turn }
export interface Place { frame: number; at: [Quantity, Quantity, Quantity] }
export type ArrowKind = 'force' | 'torque' | 'velocity';

export type Figure =
  | { kind: 'point'; at: Place }
  | { kind: 'line'; points: Place[]; closed: boolean }
  | { kind: 'circle'; at: Place; radius: Quantity; axis: Triple }
  | { kind: 'sphere'; at: Place; radius: Quantity }
  | { kind: 'box'; at: Place; edges: [Quantity, Quantity, Quantity]; turn: Turn }
  | { kind: 'cylinder'; from: Place; to: Place; radius: Quantity; rounded: boolean }
  | { kind: 'spring'; from: Place; to: Place; coils: number; radius: Quantity }
  | { kind: 'damper'; from: Place; to: Place; radius: Quantity }
  | { kind: 'trace'; at: Place }
  | { kind: 'arrow'; at: Place; vector: [Quantity, Quantity, Quantity]; of: ArrowKind }
  | { kind: 'plane'; at: Place; normal: Triple }
  | { kind: 'joint'; at: Place; axis: Triple; sign: 'pin' | 'ball' | 'slider' | 'weld' | 'other'; residual: Quantity | undefined }
  | { kind: 'label'; at: Place; text: string };

export type Item = { name: string; color: string | null } & Figure;
/** The items of one kind. */
export type Of<K extends Figure['kind']> = Extract<Item, { kind: K }>;
export interface Scene { planar: boolean; up: Triple; unit: string; frames: Frame[]; items: Item[]; channels: number }

export interface SignalEntry { name: string; label: string; unit: string; group: string; offset: number }
export interface TrackEntry { run: string; name: string; title: string; n: number; t_unit: string; signals: SignalEntry[]; block: number }
export interface MotionEntry { n: number; channels: number; block: number; offsets: number[] }
export interface Occurrence { t: number; name: string; kind: string }

export interface AxisEntry { label: string; unit: string; log: boolean }
export interface ValuesEntry { label: string; unit: string; values: (number | null)[] }
export type Cell = string | number | boolean | null;
interface Titled { id: string; title: string; note: string }
export interface TableSection extends Titled { kind: 'table'; columns: { name: string; unit: string }[]; rows: Cell[][] }
export interface TextSection extends Titled { kind: 'text'; text: string; mono: boolean }
export interface ChartSeries { name: string; x: (number | null)[]; y: (number | null)[]; style: string }
export interface ChartSection extends Titled { kind: 'chart'; x: AxisEntry; y: AxisEntry; series: ChartSeries[] }
export interface HeatSection extends Titled { kind: 'heat'; x: ValuesEntry; y: ValuesEntry; z: ValuesEntry }
export interface ParallelSection extends Titled { kind: 'parallel'; axes: ValuesEntry[]; color: number }
export type Section = TableSection | TextSection | ChartSection | HeatSection | ParallelSection;

export interface Verdict { state: string; headline: string; points: { level: string; text: string }[] }
export interface Report {
  format: number; title: string; program: string; verdict: Verdict; tracks: TrackEntry[];
  scene: Scene | null; motion: MotionEntry | null; events: Occurrence[]; sections: Section[];
}

type Loose = Record<string, unknown>;
const text = (value: unknown): string => (typeof value === 'string' ? value : value == null ? '' : String(value));
const list = <T>(value: unknown, of: (entry: any) => T): T[] => (Array.isArray(value) ? value.map(of) : []);
const whole = (value: unknown): number => (Number.isFinite(value) && (value as number) >= 0 ? Math.floor(value as number) : 0);
const object = (value: unknown): Loose => (value !== null && typeof value === 'object' ? (value as Loose) : {});
const numbers = (value: unknown): (number | null)[] => list(value, (v) => (typeof v === 'number' && Number.isFinite(v) ? v : null));

function values(raw: unknown): ValuesEntry {
  const it = object(raw);
  return { label: text(it.label), unit: text(it.unit), values: numbers(it.values) };
}

function axis(raw: unknown): AxisEntry {
  const it = object(raw);
  return { label: text(it.label), unit: text(it.unit), log: it.log === true };
}

function section(raw: unknown): Section {
  const it = object(raw);
  const head = { id: text(it.id), title: text(it.title), note: text(it.note) };
  switch (it.kind) {
    case 'table':
      return {
        ...head, kind: 'table',
        columns: list(it.columns, (c) => ({ name: text(object(c).name), unit: text(object(c).unit) })),
        rows: list(it.rows, (row) => list(row, (cell) => cell as Cell)),
      };
    case 'chart':
      return {
        ...head, kind: 'chart', x: axis(it.x), y: axis(it.y),
        series: list(it.series, (s) => ({ name: text(object(s).name), x: numbers(object(s).x), y: numbers(object(s).y), style: text(object(s).style) })),
      };
    case 'heat':
      return { ...head, kind: 'heat', x: values(it.x), y: values(it.y), z: values(it.z) };
    case 'parallel':
      return { ...head, kind: 'parallel', axes: list(it.axes, values), color: whole(it.color) };
    default:
      return { ...head, kind: 'text', text: text(it.text), mono: it.mono !== false };
  }
}

/** Which places the figures of each kind have; an item of another kind, or without its places, is not drawn. */
const PLACES = new Map<string, string[]>([
  ['point', ['at']], ['circle', ['at', 'axis']], ['sphere', ['at']], ['box', ['at', 'edges']], ['cylinder', ['from', 'to']], ['spring', ['from', 'to']], ['damper', ['from', 'to']],
  ['trace', ['at']], ['arrow', ['at', 'vector']], ['plane', ['at', 'normal']], ['joint', ['at', 'axis']], ['label', ['at']],
]);

function isPlace(value: unknown): boolean {
  const it = object(value);
  return Number.isInteger(it.frame) && Array.isArray(it.at) && it.at.length === 3;
}

function drawable(raw: unknown): boolean {
  const it = object(raw);
  if (it.kind === 'line') return Array.isArray(it.points) && it.points.every(isPlace);
  const needed = PLACES.get(text(it.kind));
  return needed !== undefined && needed.every((key) => (Array.isArray(it[key]) ? (it[key] as unknown[]).length === 3 : isPlace(it[key])));
}

function scene(raw: unknown): Scene | null {
  if (raw === null || typeof raw !== 'object') return null;
  const it = raw as Loose;
  const up = numbers(it.up).map((v) => v ?? 0);
  const frames = list(it.frames, (f) => ({ name: text(object(f).name), origin: object(f).origin ?? [0, 0, 0], turn: object(f).turn ?? 'none' }) as Frame);
  if (frames.length === 0) frames.push({ name: 'world', origin: [0, 0, 0], turn: 'none' });
  return {
    planar: it.planar === true,
    up: up.length === 3 && Math.hypot(...up) > 0 ? (up as Triple) : [0, 0, 1],
    unit: text(it.unit),
    frames,
    items: list(it.items, (item) => item).filter(drawable).map((item) => ({ ...object(item), name: text(object(item).name), color: text(object(item).color) || null, text: text(object(item).text) }) as unknown as Item),
    channels: whole(it.channels),
  };
}

/** Reads a report from what JSON gives. */
export function report(raw: unknown): Report {
  const it = object(raw);
  const verdict = object(it.verdict);
  const motion = it.motion === null || typeof it.motion !== 'object' ? null : object(it.motion);
  return {
    format: whole(it.format),
    title: text(it.title),
    program: text(it.program),
    verdict: {
      state: text(verdict.state),
      headline: text(verdict.headline),
      points: list(verdict.points, (p) => ({ level: text(object(p).level), text: text(object(p).text) })),
    },
    tracks: list(it.tracks, (t) => ({
      run: text(object(t).run), name: text(object(t).name), title: text(object(t).title), n: whole(object(t).n), t_unit: text(object(t).t_unit),
      block: whole(object(t).block),
      signals: list(object(t).signals, (s) => ({
        name: text(object(s).name), label: text(object(s).label), unit: text(object(s).unit), group: text(object(s).group) || 'outputs',
        offset: Number.isFinite(object(s).offset) ? (object(s).offset as number) : 0,
      })),
    })),
    scene: scene(it.scene),
    motion: motion && {
      n: whole(motion.n), channels: whole(motion.channels), block: whole(motion.block), offsets: numbers(motion.offsets).map((v) => v ?? 0),
    },
    events: list(it.events, (e) => ({ t: typeof object(e).t === 'number' ? (object(e).t as number) : NaN, name: text(object(e).name), kind: text(object(e).kind) })).filter((e) => Number.isFinite(e.t)),
    sections: list(it.sections, section),
  };
}
