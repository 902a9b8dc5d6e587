// Colours as numbers `0xrrggbb`, and how well they can be told from their background (WCAG 2.2).

let context: CanvasRenderingContext2D | null | undefined;
const known = new Map<string, number>();

/** Reads any CSS colour; the fallback if it is none. */
export function parse(css: string | null, fallback: number): number {
  if (!css || css.length > 64) return fallback;
  let value = known.get(css);
  if (value === undefined) {
    context ??= document.createElement('canvas').getContext('2d');
    if (!context || !CSS.supports('color', css)) return fallback;
    context.fillStyle = '#000';
    context.fillStyle = css;
    const hex = /^#([0-9a-f]{6})$/i.exec(String(context.fillStyle));
    const rgba = /^rgba?\((\d+), (\d+), (\d+)/.exec(String(context.fillStyle));
    value = hex ? parseInt(hex[1], 16) : rgba ? (Number(rgba[1]) << 16) | (Number(rgba[2]) << 8) | Number(rgba[3]) : fallback;
    known.set(css, value);
  }
  return value;
}

export const css = (color: number): string => `#${color.toString(16).padStart(6, '0')}`;
const parts = (color: number): [number, number, number] => [(color >> 16) & 255, (color >> 8) & 255, color & 255];

/** `a` and `b` mixed; `s` is the share of `b`. */
export function mix(a: number, b: number, s: number): number {
  const p = parts(a);
  const q = parts(b);
  const [r, g, l] = p.map((v, k) => Math.round(v + s * (q[k] - v)));
  return (r << 16) | (g << 8) | l;
}

function luminance(color: number): number {
  const [r, g, b] = parts(color).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a: number, b: number): number {
  const p = luminance(a) + 0.05;
  const q = luminance(b) + 0.05;
  return p > q ? p / q : q / p;
}

/** The colour, moved towards the text's colour until it can be seen on the background. */
export function readable(color: number, background: number, text: number, least = 3): number {
  for (let s = 0; s < 1; s += 0.1) {
    const moved = mix(color, text, s);
    if (contrast(moved, background) >= least) return moved;
  }
  return text;
}

/** A scale from dark blue over green to yellow whose lightness grows evenly, so that it is right in grey too. */
const STOPS = [0x2b1a63, 0x2c4f9e, 0x1f7f8f, 0x35a566, 0x9cc43a, 0xf7e13c];

export function scale(share: number): number {
  if (!Number.isFinite(share)) return 0x888888;
  const at = Math.min(1, Math.max(0, share)) * (STOPS.length - 1);
  const k = Math.min(STOPS.length - 2, Math.floor(at));
  return mix(STOPS[k], STOPS[k + 1], at - k);
}
