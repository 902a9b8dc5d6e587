// How large a motion is: the box that contains everything in all frames except arrows, and the largest arrows and residuals.
import type { ArrowKind, Item, Place } from './document.ts';
import type { Motion, Pose } from './motion.ts';
import type { Vector } from './vector.ts';
import { length, minus, unit } from './vector.ts';

export interface Extent {
  low: Vector; high: Vector; middle: Vector; size: number;
  /** The length of the longest arrow of each kind. */
  arrows: Partial<Record<ArrowKind, number>>;
  /** The length that sets the scale of each kind: that of the longest in nine frames of ten, so that a short blow does not make all others invisible. */
  usual: Partial<Record<ArrowKind, number>>;
  /** The smallest and largest residual of joints that is not zero. */
  residual: [number, number] | null;
}

/** At most so many items are placed for all frames together; of longer motions some frames are left out. */
const BUDGET = 400_000;
/** Beyond this, sums and squares would overflow. */
const LARGEST = 1e150;

/** Points of an item with the radius around them; with an axis, the radius is that of a disc across it. */
function reach(item: Item, pose: Pose, visit: (place: Place, radius: number, axis?: Vector) => void): void {
  switch (item.kind) {
    case 'line':
      for (const place of item.points ?? []) visit(place, 0);
      break;
    case 'circle':
      visit(item.at, Math.abs(pose.value(item.radius)), unit(pose.direction(item.at.frame, item.axis), [0, 0, 1]));
      break;
    case 'sphere':
      visit(item.at, Math.abs(pose.value(item.radius)));
      break;
    case 'box':
      visit(item.at, Math.hypot(...item.edges.map((e) => pose.value(e))) / 2);
      break;
    case 'cylinder': {
      const axis = item.rounded ? undefined : unit(minus(pose.point(item.to), pose.point(item.from)), [0, 0, 1]);
      visit(item.from, Math.abs(pose.value(item.radius)), axis);
      visit(item.to, Math.abs(pose.value(item.radius)), axis);
      break;
    }
    case 'spring':
    case 'damper':
      // They are drawn with about a tenth of their length on both sides.
      for (const place of [item.from, item.to]) visit(place, Math.abs(pose.value(item.radius)) || 0.08 * length(minus(pose.point(item.to), pose.point(item.from))));
      break;
    default:
      visit(item.at, 0);
  }
}

/** Every how many frames a motion is looked at. */
export function stride(motion: Motion, items: number): number {
  return Math.max(1, Math.ceil((motion.n * items) / BUDGET));
}

export function measure(pose: Pose, items: Item[]): Extent {
  const { motion } = pose;
  const low: Vector = [Infinity, Infinity, Infinity];
  const high: Vector = [-Infinity, -Infinity, -Infinity];
  const arrows: Extent['arrows'] = {};
  const usual: Extent['usual'] = {};
  const frames: Partial<Record<ArrowKind, number[]>> = {};
  let residual: Extent['residual'] = null;
  const each = stride(motion, items.length);
  const visit = (place: Place, radius: number, axis?: Vector) => {
    const p = pose.point(place);
    for (let k = 0; k < 3; k++) {
      const r = Number.isFinite(radius) ? radius * (axis ? Math.sqrt(Math.max(0, 1 - axis[k] ** 2)) : 1) : 0;
      if (!(Math.abs(p[k]) + r < LARGEST)) continue;
      low[k] = Math.min(low[k], p[k] - r);
      high[k] = Math.max(high[k], p[k] + r);
    }
  };
  const look = () => {
    const here: Extent['arrows'] = {};
    for (const item of items) {
      if (item.kind === 'arrow') {
        const l = Math.hypot(...item.vector.map((q) => pose.value(q)));
        if (Number.isFinite(l)) here[item.of] = Math.max(here[item.of] ?? 0, l);
        continue;
      }
      reach(item, pose, visit);
      if (item.kind === 'joint') {
        const r = Math.abs(pose.value(item.residual));
        if (r > 0 && Number.isFinite(r)) residual = residual ? [Math.min(residual[0], r), Math.max(residual[1], r)] : [r, r];
      }
    }
    take(here);
  };
  const take = (here: Extent['arrows']) => {
    for (const [kind, l] of Object.entries(here) as [ArrowKind, number][]) {
      arrows[kind] = Math.max(arrows[kind] ?? 0, l);
      (frames[kind] ??= []).push(l);
    }
  };
  look();
  for (let i = 0; i < motion.n; i += each) {
    pose.set(motion.t[i]);
    look();
  }
  if (motion.n > 0) {
    pose.set(motion.t[motion.n - 1]);
    look();
    pose.set(motion.t[0]);
  }
  for (const [kind, lengths] of Object.entries(frames) as [ArrowKind, number[]][]) {
    lengths.sort((a, b) => a - b);
    // The longest of all is at most three times as long as that.
    usual[kind] = Math.max(lengths[Math.floor((lengths.length - 1) * 0.9)], (arrows[kind] ?? 0) / 3);
  }
  for (let k = 0; k < 3; k++) if (!(low[k] <= high[k])) low[k] = high[k] = 0;
  const middle = low.map((v, k) => v / 2 + high[k] / 2) as Vector;
  const size = Math.max(...low.map((v, k) => high[k] / 2 - v / 2));
  return { low, high, middle, size: size > 0 ? size : 1, arrows, usual, residual };
}
