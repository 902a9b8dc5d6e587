// What one picture of a scene consists of: strokes on layers, solids, words and dots for the pointer.
//
// Coordinates are those of the view: the world, moved to the middle of the motion and divided by its size, so that single precision
// suffices. Boards draw a sketch with WebGL or on a plain canvas.
import type { Vector } from './vector.ts';
import { finite } from './vector.ts';

/** Layers of strokes, from thin to bold. */
export const LAYERS = ['weak', 'edge', 'line', 'bold'] as const;
export type Layer = (typeof LAYERS)[number];
export const WIDTH: Record<Layer, number> = { weak: 1.2, edge: 1.4, line: 2.2, bold: 3 };
/** How far the colours of a layer go towards the background. Transparent strokes would add up where a path runs over itself. */
export const FADE: Record<Layer, number> = { weak: 0.58, edge: 0, line: 0, bold: 0 };

export const SOLIDS = ['box', 'ball', 'tube', 'cone'] as const;
export type Solid = (typeof SOLIDS)[number];

/** Numbers in a buffer that grows. */
class Store<T extends Float32Array | Uint32Array> {
  length = 0;
  constructor(public data: T, private readonly make: (n: number) => T) {}

  reserve(more: number): number {
    const at = this.length;
    if (at + more > this.data.length) {
      const bigger = this.make(Math.max(2 * this.data.length, at + more));
      bigger.set(this.data);
      this.data = bigger;
    }
    this.length += more;
    return at;
  }
}

const floats = () => new Store(new Float32Array(96), (n) => new Float32Array(n));
const words = () => new Store(new Uint32Array(16), (n) => new Uint32Array(n));

export interface Tag { at: Vector; text: string; role: 'label' | 'name' | 'value' }

export class Sketch {
  readonly strokes = Object.fromEntries(LAYERS.map((l) => [l, { points: floats(), colors: words() }])) as Record<Layer, { points: Store<Float32Array>; colors: Store<Uint32Array> }>;
  readonly solids = Object.fromEntries(SOLIDS.map((s) => [s, { matrices: floats(), colors: words() }])) as Record<Solid, { matrices: Store<Float32Array>; colors: Store<Uint32Array> }>;
  readonly tags: Tag[] = [];
  /** How far strokes stand before solids of the same item; only in the plane. */
  lift = 0;

  clear(): void {
    for (const layer of LAYERS) this.strokes[layer].points.length = this.strokes[layer].colors.length = 0;
    for (const solid of SOLIDS) this.solids[solid].matrices.length = this.solids[solid].colors.length = 0;
    this.tags.length = 0;
  }

  /** A stroke; one that has no place is left out. */
  segment(layer: Layer, a: Vector, b: Vector, color: number): void {
    if (!finite(a) || !finite(b)) return;
    const { points, colors } = this.strokes[layer];
    const at = points.reserve(6);
    const { data } = points;
    data[at] = a[0]; data[at + 1] = a[1]; data[at + 2] = a[2] + this.lift;
    data[at + 3] = b[0]; data[at + 4] = b[1]; data[at + 5] = b[2] + this.lift;
    const where = colors.reserve(1);
    colors.data[where] = color;
  }

  path(layer: Layer, points: Vector[], color: number, closed = false): void {
    for (let i = 1; i < points.length; i++) this.segment(layer, points[i - 1], points[i], color);
    if (closed && points.length > 2) this.segment(layer, points[points.length - 1], points[0], color);
  }

  /** A solid of size one, taken to its place by three columns and an origin. */
  solid(kind: Solid, x: Vector, y: Vector, z: Vector, origin: Vector, color: number): void {
    if (!finite(x) || !finite(y) || !finite(z) || !finite(origin)) return;
    const { matrices, colors } = this.solids[kind];
    const at = matrices.reserve(16);
    matrices.data.set([x[0], x[1], x[2], 0, y[0], y[1], y[2], 0, z[0], z[1], z[2], 0, origin[0], origin[1], origin[2], 1], at);
    const where = colors.reserve(1);
    colors.data[where] = color;
  }

  tag(at: Vector, text: string, role: Tag['role']): void {
    if (finite(at) && text !== '') this.tags.push({ at, text, role });
  }
}
