// Bodies: points, lines, circles, balls, boxes and cylinders.
import type { Brush } from './brush.ts';
import type { Of } from './document.ts';
import { compose, rotate } from './motion.ts';
import type { Vector } from './vector.ts';
import { add, cross, dot, length, minus, perpendicular, scaled, unit } from './vector.ts';

/** Half the thickness of solids in the plane: they are flat. */
const FLAT: Vector = [0, 0, 1e-7];

/** Points of a circle with two perpendicular radii, or of a part of it. */
export function arc(centre: Vector, u: Vector, v: Vector, n: number, from = 0, to = 2 * Math.PI): Vector[] {
  const out: Vector[] = [];
  const closed = to - from > 6.28;
  const count = closed ? n : n + 1;
  for (let i = 0; i < count; i++) {
    const a = from + ((to - from) * i) / n;
    out.push(add(add(centre, u, Math.cos(a)), v, Math.sin(a)));
  }
  return out;
}

export function point(brush: Brush, item: Of<'point'>): void {
  const at = brush.place(item.at);
  disc(brush, at, 3.5 * brush.pixel, brush.color(item, item.at.frame));
}

/** A filled dot or ball. */
export function disc(brush: Brush, at: Vector, r: number, color: number): void {
  brush.sketch.solid('ball', [r, 0, 0], [0, r, 0], brush.planar ? FLAT : [0, 0, r], at, color);
}

export function line(brush: Brush, item: Of<'line'>): void {
  const frame = item.points[0]?.frame ?? 0;
  brush.sketch.path(brush.ghost ? 'weak' : 'line', item.points.map((p) => brush.place(p)), brush.color(item, frame), item.closed);
}

export function circle(brush: Brush, item: Of<'circle'>): void {
  const centre = brush.place(item.at);
  const r = brush.length(item.radius);
  const axis = unit(brush.planar ? [0, 0, 1] : brush.pose.direction(item.at.frame, item.axis), [0, 0, 1]);
  const u = perpendicular(axis);
  brush.sketch.path(brush.ghost ? 'weak' : 'line', arc(centre, scaled(u, r), scaled(cross(axis, u), r), 64), brush.color(item, item.at.frame), true);
}

export function sphere(brush: Brush, item: Of<'sphere'>): void {
  const centre = brush.place(item.at);
  const r = brush.length(item.radius);
  const color = brush.color(item, item.at.frame);
  const layer = brush.ghost ? 'weak' : 'edge';
  if (!brush.ghost) disc(brush, centre, r, brush.face(color));
  const u = perpendicular(brush.view);
  const n = segments(brush, r);
  brush.sketch.path(layer, arc(centre, scaled(u, r), scaled(cross(brush.view, u), r), n), brush.rim(color), true);
  if (brush.ghost || r < 8 * brush.pixel) return;
  // Marks that show how the ball turns: a radius in the plane, two great circles in space.
  const [x, y, z] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((d) => scaled(brush.pose.direction(item.at.frame, d as Vector), r));
  if (brush.planar) {
    brush.sketch.segment(layer, centre, add(centre, [x[0], x[1], 0]), brush.rim(color));
  } else {
    brush.sketch.path(layer, arc(centre, x, y, n), brush.rim(color), true);
    brush.sketch.path(layer, arc(centre, x, z, n), brush.rim(color), true);
  }
}

/** How many strokes a circle needs to look round. */
function segments(brush: Brush, r: number): number {
  return Math.min(64, Math.max(10, Math.round(Math.sqrt(r / brush.pixel) * 5)));
}

export function box(brush: Brush, item: Of<'box'>): void {
  const centre = brush.place(item.at);
  const turn = compose(brush.pose.rotation(item.at.frame), brush.pose.turn(item.turn));
  const [a, b, c] = item.edges.map((e) => brush.length(e) / 2);
  const x = rotate(turn, [a, 0, 0]);
  const y = rotate(turn, [0, b, 0]);
  const z = rotate(turn, [0, 0, c]);
  const color = brush.color(item, item.at.frame);
  const layer = brush.ghost ? 'weak' : 'edge';
  const corner = (i: number, j: number, k: number): Vector => {
    const p = add(add(centre, x, i), y, j);
    return brush.planar ? [p[0], p[1], centre[2]] : add(p, z, k);
  };
  if (!brush.ghost) brush.sketch.solid('box', scaled(x, 2), scaled(y, 2), brush.planar ? FLAT : scaled(z, 2), centre, brush.face(color));
  const rim = brush.rim(color);
  for (const k of brush.planar ? [0] : [-1, 1]) {
    brush.sketch.path(layer, [corner(-1, -1, k), corner(1, -1, k), corner(1, 1, k), corner(-1, 1, k)], rim, true);
  }
  if (!brush.planar) for (const [i, j] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) brush.sketch.segment(layer, corner(i, j, -1), corner(i, j, 1), rim);
}

export function cylinder(brush: Brush, item: Of<'cylinder'>): void {
  const color = brush.color(item, item.from.frame || item.to.frame);
  rod(brush, brush.place(item.from), brush.place(item.to), brush.length(item.radius), color, item.rounded);
}

/** A cylinder between two points of the view. */
export function rod(brush: Brush, from: Vector, to: Vector, r: number, color: number, rounded: boolean, face = brush.face(color)): void {
  const { sketch, planar, view } = brush;
  const layer = brush.ghost ? 'weak' : 'edge';
  const d = minus(to, from);
  const l = length(d);
  const axis = unit(d, planar ? [1, 0, 0] : [0, 0, 1]);
  const rim = brush.rim(color);
  const along = Math.abs(dot(axis, view)) > 0.9999;
  // The outline as the eye sees it: two lines beside the axis.
  const side = scaled(along ? perpendicular(axis) : unit(cross(axis, view)), r);
  // Side, axis and this one are right-handed in this order; else the solid would be turned inside out.
  const across = planar ? FLAT : scaled(unit(cross(side, axis)), r);
  if (!brush.ghost) {
    const middle = scaled(add(from, to), 0.5);
    sketch.solid('tube', side, scaled(axis, Math.max(l, 1e-9)), across, middle, face);
    if (rounded) for (const end of [from, to]) disc(brush, end, r, face);
  }
  if (!along && l > 0) {
    sketch.segment(layer, add(from, side), add(to, side), rim);
    sketch.segment(layer, add(from, side, -1), add(to, side, -1), rim);
  }
  const n = segments(brush, r);
  if (rounded) {
    const out = scaled(unit(add(axis, view, -dot(axis, view)), perpendicular(view)), r);
    const [a, b] = along ? [0, 2 * Math.PI] : [0, Math.PI];
    sketch.path(layer, arc(to, side, out, n, a, b), rim, along);
    sketch.path(layer, arc(from, side, scaled(out, -1), n, a, b), rim, along);
  } else if (planar) {
    for (const end of [from, to]) sketch.segment(layer, add(end, side), add(end, side, -1), rim);
  } else {
    for (const end of [from, to]) sketch.path(layer, arc(end, side, across, n), rim, true);
  }
}
