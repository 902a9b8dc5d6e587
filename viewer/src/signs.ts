// Signs: springs, dampers, arrows, planes and joints.
import { arc, disc, rod } from './bodies.ts';
import type { Brush } from './brush.ts';
import { css, parse, readable, scale } from './color.ts';
import type { ArrowKind, Of, Place } from './document.ts';
import { number } from './text.ts';
import type { Vector } from './vector.ts';
import { add, cross, dot, finite, length, minus, perpendicular, scaled, unit } from './vector.ts';

/** The lengths of springs and dampers at the start, by item: widths are taken from them. */
export type Lengths = WeakMap<object, number>;

interface Link { from: Vector; to: Vector; axis: Vector; side: Vector; l: number; start: number; r: number; color: number }

/** What springs and dampers have in common. */
function link(brush: Brush, item: Of<'spring'> | Of<'damper'>, lengths: Lengths, share: number): Link {
  const from = brush.place(item.from);
  const to = brush.place(item.to);
  const d = minus(to, from);
  const l = length(d);
  const axis = unit(d);
  const start = lengths.get(item) ?? l;
  const given = brush.length(item.radius);
  const side = Math.abs(dot(axis, brush.view)) > 0.9999 ? perpendicular(axis) : unit(cross(axis, brush.view));
  const r = given > 0 ? given : Math.min(0.08, Math.max(0.012, share * start));
  return { from, to, axis, side, l, start, r, color: brush.color(item, 0) };
}

export function spring(brush: Brush, item: Of<'spring'>, lengths: Lengths): void {
  const { from, to, axis, side, l, r, color } = link(brush, item, lengths, 0.1);
  const coils = Math.min(60, Math.max(2, item.coils || 6));
  const lead = 0.1 * l;
  const depth = brush.planar ? ([0, 0, 0] as Vector) : cross(axis, side);
  // In the plane the coil is seen a little from the side, so that windings overlap as in a drawing of a helix.
  const lean = brush.planar ? Math.min(0.35 * r, (0.5 * l) / coils) : 0;
  const n = coils * 16;
  const points: Vector[] = [from];
  for (let i = 0; i <= n; i++) {
    const a = (2 * Math.PI * coils * i) / n;
    const along = lead + ((l - 2 * lead) * i) / n + lean * (Math.cos(a) - 1);
    points.push(add(add(add(from, axis, along), side, r * Math.sin(a)), depth, r * Math.cos(a)));
  }
  points.push(to);
  brush.sketch.path(brush.ghost ? 'weak' : 'edge', points, color);
}

export function damper(brush: Brush, item: Of<'damper'>, lengths: Lengths): void {
  const { from, to, axis, side, l, start, r, color } = link(brush, item, lengths, 0.07);
  const layer = brush.ghost ? 'weak' : 'edge';
  const at = (along: number, across: number): Vector => add(add(from, axis, along), side, across);
  const bottom = 0.26 * l;
  const mouth = Math.min(0.92 * l, bottom + 0.45 * start);
  // The piston moves with the length and never leaves its cylinder.
  const plate = bottom + (mouth - bottom) * (0.5 + 0.42 * Math.tanh(1.5 * (l / (start || 1) - 1)));
  brush.sketch.path(layer, [from, at(bottom, 0)], color);
  brush.sketch.path(layer, [at(mouth, r), at(bottom, r), at(bottom, -r), at(mouth, -r)], color);
  brush.sketch.path(layer, [at(plate, 0.8 * r), at(plate, -0.8 * r)], color);
  brush.sketch.path(layer, [at(plate, 0), to], color);
}

/** Colours of arrows by what they mean: their place in the palette. They differ in their heads too. */
const ARROW_COLOR: Record<ArrowKind, string> = { force: '--arrow-force', torque: '--arrow-torque', velocity: '--arrow-velocity' };

export function arrowColor(brush: Brush, of: ArrowKind): number {
  const value = getComputedStyle(document.documentElement).getPropertyValue(ARROW_COLOR[of] ?? ARROW_COLOR.force).trim();
  return parse(value, brush.text);
}

/** The largest arrow of a kind in most frames is so long at scale one, as a share of the scene. */
const ARROW_SHARE = 0.4;

export function arrow(brush: Brush, item: Of<'arrow'>, colors: Record<ArrowKind, number>): void {
  const usual = brush.extent.usual[item.of] ?? 0;
  const v = item.vector.map((q) => brush.pose.value(q)) as Vector;
  if (brush.planar) v[2] = 0;
  const size = length(v);
  if (!(usual > 0) || !(size > 0) || !finite(v)) return;
  const at = brush.place(item.at);
  const l = (ARROW_SHARE * brush.choices.arrowScale * size) / usual;
  const axis = unit(v);
  const own = parse(item.color, -1);
  const color = own < 0 ? colors[item.of] : readable(own, brush.background, brush.text);
  const head = Math.min(11 * brush.pixel, 0.6 * l);
  const tip = add(at, axis, l);
  const side = Math.abs(dot(axis, brush.view)) > 0.9999 ? perpendicular(axis) : unit(cross(axis, brush.view));
  const { sketch } = brush;
  sketch.segment('bold', at, item.of === 'velocity' ? tip : add(tip, axis, -0.8 * head), color);
  // Forces have a full head, torques two, velocities an open one.
  const heads = item.of === 'torque' ? 2 : 1;
  for (let k = 0; k < heads; k++) {
    const end = add(tip, axis, -k * head);
    const base = add(end, axis, -head);
    if (item.of === 'velocity') {
      sketch.path('bold', [add(base, side, 0.42 * head), end, add(base, side, -0.42 * head)], color);
    } else {
      const w = scaled(side, 0.38 * head);
      const depth: Vector = brush.planar ? [0, 0, 1e-7] : scaled(cross(side, axis), 0.38 * head);
      sketch.solid('cone', w, scaled(axis, head), depth, add(end, axis, -0.5 * head), color);
    }
  }
  if (brush.choices.values) sketch.tag(tip, number(size, 4), 'value');
}

export function plane(brush: Brush, item: Of<'plane'>): void {
  const at = brush.place(item.at);
  const normal = unit(brush.pose.direction(item.at.frame, item.normal), [0, 1, 0]);
  const color = brush.color(item, 0);
  const { sketch } = brush;
  const half = 1.15;
  if (brush.planar) {
    const n = unit([normal[0], normal[1], 0], [0, 1, 0]);
    const along: Vector = [n[1], -n[0], 0];
    // The line runs where the scene is, however far away the point of the plane is.
    const foot = add(at, along, -dot(along, [at[0], at[1], 0]));
    sketch.segment('line', add(foot, along, -half), add(foot, along, half), color);
    const gap = 0.06;
    for (let s = -half + gap; s <= half + 1e-9; s += gap) {
      const top = add(foot, along, s);
      sketch.segment('weak', top, add(add(top, along, -0.6 * gap), n, -0.6 * gap), color);
    }
    return;
  }
  const u = perpendicular(normal);
  const v = cross(normal, u);
  const foot = scaled(normal, dot(normal, at));
  const corner = (i: number, j: number) => add(add(foot, u, i * half), v, j * half);
  sketch.path('edge', [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], color, true);
  for (let s = -0.9; s < 1; s += 0.1) {
    // Hatches at 45 degrees within the square.
    sketch.segment('weak', corner(Math.max(-1, 2 * s - 1), Math.min(1, 2 * s + 1)), corner(Math.min(1, 2 * s + 1), Math.max(-1, 2 * s - 1)), color);
  }
}

/** Where a residual lies between the smallest and the largest of the motion, on a logarithmic scale. */
export function residualShare(value: number, range: [number, number]): number {
  const [low, high] = range.map(Math.log10);
  return high > low ? (Math.log10(Math.max(Math.abs(value), range[0])) - low) / (high - low) : 0.5;
}

export function joint(brush: Brush, item: Of<'joint'>, small: boolean): void {
  const { sketch, planar, pixel } = brush;
  const at = brush.place(item.at);
  const r = (small ? 2.5 : 5) * pixel;
  const { residual } = brush.extent;
  let face = planar ? brush.background : brush.face(brush.muted);
  if (brush.choices.residuals && residual) {
    const value = brush.pose.value(item.residual);
    face = Number.isFinite(value) ? scale(residualShare(value, residual)) : brush.muted;
  }
  const color = brush.text;
  const axis = planar ? ([0, 0, 1] as Vector) : unit(brush.pose.direction(item.at.frame, item.axis), [0, 0, 1]);
  const ring = (radius: number, n: number, start = 0) => {
    const u = perpendicular(brush.view);
    return arc(at, scaled(u, radius), scaled(cross(brush.view, u), radius), n).map((p, k, all) => (start ? all[(k + start) % all.length] : p));
  };
  if (brush.ghost) return;
  switch (item.sign) {
    case 'pin':
      if (!planar) {
        rod(brush, add(at, axis, -1.6 * r), add(at, axis, 1.6 * r), r, color, false, face);
        return;
      }
      disc(brush, at, r, face);
      sketch.path('edge', ring(r, 24), color, true);
      return;
    case 'ball':
      disc(brush, at, 1.1 * r, face);
      sketch.path('edge', ring(1.1 * r, 24), color, true);
      if (planar) sketch.path('edge', ring(0.4 * r, 12), color, true);
      return;
    case 'slider': {
      const along = unit(brush.pose.direction(item.at.frame, item.axis), [1, 0, 0]);
      block(brush, at, planar ? unit([along[0], along[1], 0]) : along, 2.1 * r, 1.1 * r, color, face);
      return;
    }
    case 'weld':
      block(brush, at, unit(brush.pose.direction(item.at.frame, [1, 0, 0])), r, r, color, face);
      return;
    default: {
      const u = scaled(unit(cross(brush.view, perpendicular(brush.view))), 1.35 * r);
      const v = cross(brush.view, u);
      if (planar) sketch.solid('box', scaled(add(u, v), 1), scaled(minus(u, v), 1), [0, 0, 1e-7], at, face);
      else disc(brush, at, 0.8 * r, face);
      sketch.path('edge', [add(at, u), add(at, v), add(at, u, -1), add(at, v, -1)], color, true);
    }
  }
}

/** A small block with its half length along an axis. */
function block(brush: Brush, at: Vector, axis: Vector, long: number, wide: number, color: number, face: number): void {
  const x = scaled(axis, long);
  const side = brush.planar ? ([-axis[1], axis[0], 0] as Vector) : perpendicular(axis);
  const y = scaled(side, wide);
  const z = brush.planar ? ([0, 0, 1e-7] as Vector) : scaled(cross(axis, side), wide);
  brush.sketch.solid('box', scaled(x, 2), scaled(y, 2), scaled(z, 2), at, face);
  for (const k of brush.planar ? [0] : [-1, 1]) {
    const c = (i: number, j: number) => add(add(add(at, x, i), y, j), z, k);
    brush.sketch.path('edge', [c(-1, -1), c(1, -1), c(1, 1), c(-1, 1)], color, true);
  }
}

/** The first lengths of springs and dampers in the view. */
export function firstLengths(brush: Brush, items: object[]): Lengths {
  const lengths: Lengths = new WeakMap();
  for (const item of items as { from?: Place; to?: Place }[]) {
    if (item.from && item.to) {
      const l = length(minus(brush.place(item.to), brush.place(item.from)));
      if (Number.isFinite(l)) lengths.set(item, l);
    }
  }
  return lengths;
}

export const legendColor = (share: number): string => css(scale(share));
