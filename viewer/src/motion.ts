// The channels of a scene over time, and a pose: the channels and frames of reference at one moment.
//
// Between two frames of the animation channels are interpolated linearly. Quaternions are too, along the shorter way, and then
// normalised.
import { Columns } from './block.ts';
import type { MotionEntry, Place, Quantity, Scene, Turn } from './document.ts';
import type { Vector } from './vector.ts';

export class Motion {
  readonly n: number;
  readonly t: Float64Array;
  private readonly channels: Float32Array[] = [];

  constructor(columns: Columns, private readonly offsets: number[]) {
    this.n = columns.n;
    this.t = columns.times();
    for (let k = 0; k < columns.count; k++) this.channels.push(columns.differences(k));
  }

  static async open(entry: MotionEntry | null): Promise<Motion> {
    if (!entry || entry.n === 0) return new Motion(Columns.empty(0), []);
    return new Motion(await Columns.open(entry.block, entry.n, entry.channels), entry.offsets);
  }

  /** The value of channel `c` in frame `i`. */
  value(c: number, i: number): number {
    const channel = this.channels[c];
    return channel === undefined || i >= this.n ? NaN : channel[i] + (this.offsets[c] ?? 0);
  }

  /** The frame at or before a time. */
  before(t: number): number {
    return Math.max(0, upper(this.t, t) - 1);
  }
}

/** How many of the ascending values are at most `t`. */
export function upper(values: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Nine entries of a rotation matrix, row by row. */
export type Rotation = [number, number, number, number, number, number, number, number, number];
const IDENTITY: Rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1];

function quaternionMatrix(w: number, x: number, y: number, z: number): Rotation {
  const s = 2 / (w * w + x * x + y * y + z * z);
  return [
    1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
    s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
    s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y),
  ];
}

export class Pose {
  /** The frame at or before the moment, and how far the moment is on the way to the next. */
  private i = 0;
  private s = 0;
  private readonly origins: Vector[] = [];
  private readonly turns: Rotation[] = [];

  constructor(readonly scene: Scene, readonly motion: Motion) {
    this.set(motion.n > 0 ? motion.t[0] : 0);
  }

  set(t: number): void {
    const { motion } = this;
    this.i = motion.before(t);
    const a = motion.t[this.i];
    const b = motion.t[this.i + 1];
    this.s = b > a ? Math.min(1, Math.max(0, (t - a) / (b - a))) : 0;
    this.scene.frames.forEach((frame, k) => {
      this.origins[k] = [this.value(frame.origin[0]), this.value(frame.origin[1]), this.value(frame.origin[2])];
      this.turns[k] = this.turn(frame.turn);
    });
  }

  value(quantity: Quantity | undefined): number {
    if (typeof quantity === 'number') return quantity;
    if (!quantity) return NaN;
    const a = this.motion.value(quantity.c, this.i);
    return this.s === 0 ? a : a + this.s * (this.motion.value(quantity.c, this.i + 1) - a);
  }

  private end(quantity: Quantity, later: 0 | 1): number {
    if (typeof quantity === 'number') return quantity;
    return quantity ? this.motion.value(quantity.c, this.i + later) : NaN;
  }

  turn(turn: Turn | undefined): Rotation {
    if (!turn || turn === 'none') return IDENTITY;
    if ('angle' in turn) {
      const angle = this.value(turn.angle);
      const c = Math.cos(angle);
      const s = Math.sin(angle);
      return [c, -s, 0, s, c, 0, 0, 0, 1];
    }
    const a = turn.quaternion.map((q) => this.end(q, 0));
    if (this.s === 0) return quaternionMatrix(a[0], a[1], a[2], a[3]);
    const b = turn.quaternion.map((q) => this.end(q, 1));
    const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
    const q = a.map((v, k) => v + this.s * (sign * b[k] - v));
    return quaternionMatrix(q[0], q[1], q[2], q[3]);
  }

  /** The turn of a frame. */
  rotation(frame: number): Rotation {
    return this.turns[frame] ?? IDENTITY;
  }

  /** Where a place is in the world. */
  point(place: Place | undefined): Vector {
    if (!place) return [NaN, NaN, NaN];
    const o = this.origins[place.frame];
    if (!o) return [NaN, NaN, NaN];
    const p: Vector = [this.value(place.at[0]), this.value(place.at[1]), this.value(place.at[2])];
    const d = rotate(this.turns[place.frame], p);
    return [o[0] + d[0], o[1] + d[1], o[2] + d[2]];
  }

  /** A direction of a frame in the world. */
  direction(frame: number, d: Vector): Vector {
    return rotate(this.rotation(frame), d);
  }
}

export function rotate(r: Rotation, p: Vector): Vector {
  return [
    r[0] * p[0] + r[1] * p[1] + r[2] * p[2],
    r[3] * p[0] + r[4] * p[1] + r[5] * p[2],
    r[6] * p[0] + r[7] * p[1] + r[8] * p[2],
  ];
}

/** The product of two rotations. */
export function compose(a: Rotation, b: Rotation): Rotation {
  const out = [] as number[];
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) out.push(a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]);
  return out as Rotation;
}
