// The drawing of a scene at one moment: which item is drawn how, the grid below it, ghosts and traces.
import * as bodies from './bodies.ts';
import { Brush } from './brush.ts';
import type { Choices } from './brush.ts';
import type { ArrowKind, Item, Place } from './document.ts';
import { measure } from './extent.ts';
import type { Extent } from './extent.ts';
import { Pose } from './motion.ts';
import type { Motion } from './motion.ts';
import * as signs from './signs.ts';
import { Sketch } from './sketch.ts';
import { nice } from './ticks.ts';
import type { Scene } from './document.ts';
import type { Vector } from './vector.ts';
import { add, cross, dot, finite, perpendicular, unit } from './vector.ts';

/** Strokes of all traces together; those of many traces are made of fewer points. */
const TRACE_BUDGET = 40_000;
/** Beyond so many joints their signs are small. */
const MANY_JOINTS = 150;

export class Drawing {
  readonly extent: Extent;
  readonly pose: Pose;
  /** What does not depend on the moment: grid and ghosts. */
  readonly still = new Sketch();
  readonly live = new Sketch();
  private readonly items: Item[];
  private readonly lengths: signs.Lengths;
  private readonly traces = new Map<Item, { t: Float64Array; points: Vector[] }>();
  private readonly small: boolean;
  /** Where items stand, in the view, for the pointer and for tests. */
  readonly anchors: Vector[] = [];

  constructor(readonly scene: Scene, readonly motion: Motion, readonly choices: Choices) {
    this.items = scene.items;
    this.pose = new Pose(scene, motion);
    this.extent = measure(this.pose, this.items);
    const brush = new Brush(this.pose, this.extent, choices, this.still);
    this.lengths = signs.firstLengths(brush, this.items);
    this.small = this.items.filter((item) => item.kind === 'joint').length > MANY_JOINTS;
    this.follow(brush);
  }

  /** The paths of all points that leave a trace. */
  private follow(brush: Brush): void {
    const traced = this.items.filter((item) => item.kind === 'trace');
    const { n, t } = this.motion;
    const each = Math.max(1, Math.ceil((n * traced.length) / TRACE_BUDGET));
    const chosen: number[] = [];
    for (let i = 0; i < n; i += each) chosen.push(i);
    if (n > 0 && chosen[chosen.length - 1] !== n - 1) chosen.push(n - 1);
    const times = Float64Array.from(chosen, (i) => t[i]);
    for (const item of traced) this.traces.set(item, { t: times, points: [] });
    if (traced.length === 0) return;
    for (const time of times) {
      this.pose.set(time);
      for (const item of traced) this.traces.get(item)!.points.push(brush.place((item as { at: Place }).at));
    }
    if (n > 0) this.pose.set(t[0]);
  }

  private brush(sketch: Sketch, pixel: number, view: Vector): Brush {
    const brush = new Brush(this.pose, this.extent, this.choices, sketch);
    brush.pixel = pixel;
    brush.view = view;
    return brush;
  }

  /** Draws what stays as it is while time goes on. */
  drawStill(pixel: number, view: Vector): void {
    const brush = this.brush(this.still, pixel, view);
    this.still.clear();
    this.still.lift = 0;
    if (this.choices.grid) this.grid(brush);
    const { n, t } = this.motion;
    const count = n > 1 ? this.choices.ghosts : 0;
    brush.ghost = true;
    for (let k = 0; k < count; k++) {
      this.pose.set(t[0] + ((t[n - 1] - t[0]) * k) / Math.max(1, count - 1));
      for (const item of this.items) this.item(brush, item);
    }
  }

  /** Draws the moment. */
  drawLive(time: number, pixel: number, view: Vector): void {
    const brush = this.brush(this.live, pixel, view);
    const { live, choices } = this;
    live.clear();
    this.pose.set(time);
    const colors = { force: 0, torque: 0, velocity: 0 } as Record<ArrowKind, number>;
    for (const of of Object.keys(colors) as ArrowKind[]) colors[of] = signs.arrowColor(brush, of);
    const step = this.scene.planar ? 0.5 / (this.items.length + 1) : 0;
    this.items.forEach((item, k) => {
      // Joints and arrows lie above bodies whatever their order is.
      brush.depth = step * (k + 1) + (item.kind === 'joint' ? 0.5 : item.kind === 'arrow' ? 1 : 0);
      live.lift = step / 2;
      if (item.kind === 'trace') this.trace(brush, item, time);
      else if (item.kind === 'arrow') {
        if (choices.arrows) signs.arrow(brush, item, colors);
      } else this.item(brush, item);
      this.anchors[k] = this.anchor(brush, item);
      if (choices.names && item.kind === 'joint') live.tag(this.anchors[k], item.name, 'name');
      if (choices.labels && item.kind === 'label') live.tag(this.anchors[k], item.text, 'label');
    });
    live.lift = 0;
    if (choices.names) {
      this.scene.frames.forEach((frame, k) => {
        if (k > 0) live.tag(brush.place({ frame: k, at: [0, 0, 0] }), frame.name, 'name');
      });
    }
  }

  private anchor(brush: Brush, item: Item): Vector {
    if ('at' in item) return brush.place(item.at);
    if ('from' in item) return brush.place(item.from);
    return item.points.length > 0 ? brush.place(item.points[0]) : [NaN, NaN, NaN];
  }

  private item(brush: Brush, item: Item): void {
    switch (item.kind) {
      case 'point': return bodies.point(brush, item);
      case 'line': return bodies.line(brush, item);
      case 'circle': return bodies.circle(brush, item);
      case 'sphere': return bodies.sphere(brush, item);
      case 'box': return bodies.box(brush, item);
      case 'cylinder': return bodies.cylinder(brush, item);
      case 'spring': return signs.spring(brush, item, this.lengths);
      case 'damper': return signs.damper(brush, item, this.lengths);
      case 'joint': return signs.joint(brush, item, this.small);
      case 'plane': return brush.ghost ? undefined : signs.plane(brush, item);
      default: return undefined;
    }
  }

  private trace(brush: Brush, item: Item, time: number): void {
    const path = this.traces.get(item);
    if (!path || !this.choices.traces) return;
    const color = brush.color(item, (item as { at: Place }).at.frame);
    let last: Vector | undefined;
    const here = brush.place((item as { at: Place }).at);
    path.points.forEach((stored, i) => {
      const p: Vector = brush.planar ? [stored[0], stored[1], brush.depth] : stored;
      if (last) {
        if (path.t[i] <= time) brush.sketch.segment('edge', last, p, color);
        else if (path.t[i - 1] >= time) brush.sketch.segment('weak', last, p, color);
        else if (finite(here)) {
          brush.sketch.segment('edge', last, here, color);
          brush.sketch.segment('weak', here, p, color);
        }
      }
      last = p;
    });
  }

  /** Lines at round numbers: in the plane over the whole scene, in space below it, perpendicular to what is up. */
  private grid(brush: Brush): void {
    const { extent, scene, still } = this;
    const cell = nice((2 * extent.size) / 10);
    const up = unit(scene.up, [0, 0, 1]);
    const u: Vector = scene.planar ? [1, 0, 0] : Math.abs(up[0]) < 0.9 ? unit(add([1, 0, 0], up, -up[0])) : perpendicular(up);
    const v: Vector = scene.planar ? [0, 1, 0] : cross(up, u);
    const corners: Vector[] = [];
    for (const x of [0, 1]) for (const y of [0, 1]) for (const z of [0, 1]) corners.push([[extent.low, extent.high][x][0], [extent.low, extent.high][y][1], [extent.low, extent.high][z][2]]);
    const range = (d: Vector): [number, number] => {
      const s = corners.map((c) => dot(c, d));
      return [Math.min(...s), Math.max(...s)];
    };
    const floor = scene.planar ? 0 : range(up)[0] - 0.02 * extent.size;
    const margin = scene.planar ? 4 * extent.size : 0.25 * extent.size;
    const [u0, u1] = spread(range(u), margin, cell);
    const [v0, v1] = spread(range(v), margin, cell);
    const at = (a: number, b: number): Vector => {
      const p: Vector = scene.planar ? [a, b, 0] : add(add([u[0] * a, u[1] * a, u[2] * a], v, b), up, floor);
      const seen = brush.toView(p);
      return scene.planar ? [seen[0], seen[1], -0.1] : seen;
    };
    const color = brush.grid;
    if (!(u1 - u0 < 400 * cell) || !(v1 - v0 < 400 * cell)) return;
    for (let a = u0; a <= u1 + cell / 2; a += cell) still.segment('edge', at(a, v0), at(a, v1), color);
    for (let b = v0; b <= v1 + cell / 2; b += cell) still.segment('edge', at(u0, b), at(u1, b), color);
  }
}

function spread([low, high]: [number, number], margin: number, cell: number): [number, number] {
  return [Math.floor((low - margin) / cell) * cell, Math.ceil((high + margin) / cell) * cell];
}
