// Round numbers on axes, linear and logarithmic, for any range.
import { number } from './text.ts';

/** The round number 1, 2 or 5 times a power of ten that is at least `x`. */
export function nice(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= x * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/** Round values within a range, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const step = nice((high - low) / Math.max(1, count));
  const out: number[] = [];
  if (!(high > low) || !Number.isFinite(high - low)) return Number.isFinite(low) ? [low] : out;
  const first = Math.ceil(low / step - 1e-9);
  for (let k = first; out.length < 100; k++) {
    const value = k * step;
    if (value > high + 1e-9 * step || value === out[out.length - 1]) break;
    // What is left of a difference must not show as 1e-17.
    out.push(Math.abs(value) < 1e-9 * step ? 0 : Number(value.toPrecision(14)));
  }
  return out;
}

/** Powers of ten within a range, every one or every few; in narrow ranges 2 and 5 too. */
export function logTicks(low: number, high: number, count: number): number[] {
  const a = Math.log10(low);
  const b = Math.log10(high);
  if (!Number.isFinite(a) || !Number.isFinite(b) || b <= a) return [low];
  const out: number[] = [];
  if (b - a < 2) {
    for (let e = Math.floor(a); e <= b; e++) for (const f of b - a < 0.3 ? [1, 1.2, 1.5, 2, 3, 4, 5, 6, 7, 8, 9] : [1, 2, 5]) out.push(f * 10 ** e);
    const inside = out.filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9));
    return inside.length > 1 ? inside : ticks(low, high, count);
  }
  const every = Math.max(1, Math.ceil((b - a) / Math.max(1, count)));
  for (let e = Math.ceil(a - 1e-9); e <= b + 1e-9; e++) if (e % every === 0) out.push(Number(`1e${e}`));
  return out;
}

/** The smallest and largest finite number, positive ones only for a logarithmic axis. */
export function range(values: Iterable<number | null | undefined>, log: boolean): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value === null || value === undefined || !Number.isFinite(value) || (log && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

/** A range with a margin; one of a single value becomes wider. */
export function padded(given: [number, number] | null, log: boolean, share = 0.06): [number, number] {
  if (!given) return log ? [0.1, 1] : [0, 1];
  const [low, high] = given;
  if (log) {
    const a = Math.log10(low);
    const b = Math.log10(high);
    const more = b > a ? share * (b - a) : 0.5;
    return [10 ** Math.max(-307, a - more), 10 ** Math.min(307, b + more)];
  }
  const span = high - low;
  // Differences that are rounding errors of the numbers themselves are not blown up to the full height.
  const least = 1e-9 * Math.max(Math.abs(low), Math.abs(high));
  if (span <= least) {
    const half = Math.abs(low) > 0 ? Math.abs(low) * 0.1 : 1;
    return [low - half, high + half];
  }
  const more = Number.isFinite(span) ? share * span : 0;
  return [Math.max(-1.7e308, low - more), Math.min(1.7e308, high + more)];
}

/** The texts of ticks, with so many digits that neighbours differ. */
export function tickTexts(values: number[]): string[] {
  const largest = Math.max(...values.map(Math.abs));
  const step = Math.min(...values.slice(1).map((v, k) => Math.abs(v - values[k])));
  const digits = step > 0 && Number.isFinite(step) ? Math.ceil(Math.log10(largest / step)) + 2 : 6;
  return values.map((v) => number(v, Math.min(15, Math.max(4, digits))));
}
