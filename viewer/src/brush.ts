// The world of one picture: where things are in the view, how large a pixel is, and which colours are used.
import { mix, parse, readable } from './color.ts';
import type { Item, Place, Quantity } from './document.ts';
import type { Extent } from './extent.ts';
import type { Pose } from './motion.ts';
import type { Sketch } from './sketch.ts';
import { colors } from './theme.ts';
import type { Vector } from './vector.ts';

export interface Choices {
  arrows: boolean; arrowScale: number; values: boolean; residuals: boolean; labels: boolean; names: boolean; grid: boolean; traces: boolean; ghosts: number;
}

export class Brush {
  /** The length of a pixel in the view. */
  pixel = 0.005;
  /** The direction from the eye into the scene. */
  view: Vector = [0, 0, -1];
  /** Ghosts are drawn with weak strokes and without solids. */
  ghost = false;
  /** The depth of the present item in the plane: later items lie on earlier ones. */
  depth = 0;
  readonly background: number;
  readonly text: number;
  readonly muted: number;
  readonly grid: number;
  private readonly series: number[];

  constructor(readonly pose: Pose, readonly extent: Extent, readonly choices: Choices, public sketch: Sketch) {
    const palette = colors();
    this.background = parse(palette.surface, 0xffffff);
    this.text = parse(palette.text, 0);
    this.muted = parse(palette.muted, 0x666666);
    this.grid = parse(palette.grid, 0x888888);
    this.series = palette.series.map((c) => parse(c, this.text));
  }

  get planar(): boolean {
    return this.pose.scene.planar;
  }

  /** From the world to the view. */
  toView(p: Vector): Vector {
    const { middle, size } = this.extent;
    return [(p[0] - middle[0]) / size, (p[1] - middle[1]) / size, this.planar ? this.depth : (p[2] - middle[2]) / size];
  }

  place(place: Place): Vector {
    return this.toView(this.pose.point(place));
  }

  length(quantity: Quantity | undefined): number {
    return Math.abs(this.pose.value(quantity)) / this.extent.size;
  }

  /** The colour of an item: its own, else that of its body. */
  color(item: Item, frame: number): number {
    const fallback = frame > 0 ? this.series[(frame - 1) % this.series.length] : this.muted;
    return readable(parse(item.color, fallback), this.background, this.text);
  }

  /** The colour of the face of a body: a tint in the plane, full in space, where it is lit. */
  face(color: number): number {
    return this.planar ? mix(color, this.background, 0.78) : mix(color, this.background, 0.4);
  }

  /** The colour of an edge in space: darker or lighter than the face. */
  rim(color: number): number {
    return this.planar ? color : mix(color, this.text, 0.55);
  }
}
