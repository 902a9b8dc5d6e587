// Vectors of three numbers.
import type { Triple } from './document.ts';

export type Vector = Triple;

export const add = (a: Vector, b: Vector, s = 1): Vector => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
export const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a: Vector, s: number): Vector => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a: Vector): number => Math.hypot(a[0], a[1], a[2]);
export const finite = (a: Vector): boolean => Number.isFinite(a[0] + a[1] + a[2]);

/** The vector with length one; the fallback if it has no direction. */
export function unit(a: Vector, fallback: Vector = [1, 0, 0]): Vector {
  const l = length(a);
  return l > 0 && Number.isFinite(l) ? scaled(a, 1 / l) : fallback;
}

/** Some unit vector perpendicular to a unit vector. */
export function perpendicular(a: Vector): Vector {
  const other: Vector = Math.abs(a[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
  return unit(cross(a, other));
}
