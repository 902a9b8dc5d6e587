// Figures with axes: charts of sections, x-y plots and what is exported.
import { lookColor, markerPath } from './series.ts';
import type { Look } from './series.ts';
import type { Surface } from './surface.ts';
import { clip, withUnit } from './text.ts';
import { colors } from './theme.ts';
import { logTicks, padded, range, tickTexts, ticks } from './ticks.ts';

export interface Axis { label: string; unit: string; log: boolean; range?: [number, number] }
type Values = ArrayLike<number | null | undefined>;
export interface FigureSeries { name: string; x: Values; y: Values; look: Look; line: boolean; markers: 'all' | 'few' | 'none'; width?: number }
export interface FigureSpec {
  title?: string; x: Axis; y: Axis; series: FigureSeries[]; marks?: { x: number; name: string }[]; equal?: boolean;
  /** Whether series are named below; pages have their own legends. */
  legend?: boolean;
}

/** Where values are on the surface, and back. */
export interface Frame {
  left: number; top: number; width: number; height: number;
  toX(value: number): number; toY(value: number): number; fromX(x: number): number; fromY(y: number): number;
}

function* valid(values: Values): Generator<number | null | undefined> {
  for (let i = 0; i < values.length; i++) yield values[i];
}

function span(axis: Axis, all: Values[]): [number, number] {
  if (axis.range) return axis.range;
  let low: number | undefined;
  let high: number | undefined;
  for (const values of all) {
    const found = range(valid(values), axis.log);
    if (found) [low, high] = [Math.min(low ?? Infinity, found[0]), Math.max(high ?? -Infinity, found[1])];
  }
  return padded(low === undefined ? null : [low, high!], axis.log);
}

function mapping(log: boolean, [low, high]: [number, number], from: number, to: number): [(v: number) => number, (p: number) => number] {
  const f = log ? Math.log10 : (v: number) => v;
  const a = f(low);
  // Halves keep the difference of huge numbers finite.
  const d = f(high) / 2 - a / 2;
  return [(v) => from + ((f(v) / 2 - a / 2) / d) * (to - from), (p) => {
    const v = a + 2 * d * ((p - from) / (to - from));
    return log ? 10 ** v : v;
  }];
}

/** Draws a figure and gives its frame. */
export function drawFigure(surface: Surface, spec: FigureSpec): Frame {
  const palette = colors();
  const legendRows = spec.legend ? layoutLegend(spec.series, surface.width - 40) : [];
  const top = spec.title ? 34 : 12;
  const height = Math.max(20, surface.height - top - 46 - 18 * legendRows.length);
  let xRange = span(spec.x, spec.series.map((s) => s.x));
  let yRange = span(spec.y, spec.series.map((s) => s.y));
  const rows = () => (spec.y.log ? logTicks(...yRange, height / 34) : ticks(...yRange, height / 44));
  const left = Math.max(58, 36 + 6.6 * Math.max(...tickTexts(rows()).map((text) => text.length)));
  const width = Math.max(20, surface.width - left - 18);
  if (spec.equal && !spec.x.log && !spec.y.log) {
    // The smaller of both scales is used for both axes.
    const perPixel = Math.max((xRange[1] - xRange[0]) / width, (yRange[1] - yRange[0]) / height);
    const widen = ([a, b]: [number, number], pixels: number): [number, number] => [(a + b) / 2 - (perPixel * pixels) / 2, (a + b) / 2 + (perPixel * pixels) / 2];
    if (Number.isFinite(perPixel)) [xRange, yRange] = [widen(xRange, width), widen(yRange, height)];
  }
  const [toX, fromX] = mapping(spec.x.log, xRange, left, left + width);
  const [toY, fromY] = mapping(spec.y.log, yRange, top + height, top);
  if (spec.title) surface.text(left, 20, clip(spec.title, Math.floor(width / 8)), { size: 14, bold: true });

  const xs = spec.x.log ? logTicks(...xRange, width / 70) : ticks(...xRange, width / 90);
  const ys = rows();
  const d = (v: number) => v.toFixed(1);
  surface.path(xs.map((v) => `M${d(toX(v))} ${top}V${top + height}`).join('') + ys.map((v) => `M${left} ${d(toY(v))}H${left + width}`).join(''), { color: palette.grid });
  surface.path(`M${left} ${top}V${top + height}H${left + width}`, { color: palette.line });
  const [xTexts, yTexts] = [tickTexts(xs), tickTexts(ys)];
  xs.forEach((v, k) => surface.text(toX(v), top + height + 17, xTexts[k], { anchor: 'middle', color: palette.muted, size: 11.5 }));
  ys.forEach((v, k) => surface.text(left - 7, toY(v) + 4, yTexts[k], { anchor: 'end', color: palette.muted, size: 11.5 }));
  surface.text(left + width / 2, top + height + 36, clip(withUnit(spec.x.label, spec.x.unit), Math.floor(width / 7)), { anchor: 'middle' });
  surface.text(15, top + height / 2, clip(withUnit(spec.y.label, spec.y.unit), Math.floor(height / 6)), { anchor: 'middle', turn: -90 });

  surface.clip(left, top, width, height);
  for (const mark of spec.marks ?? []) {
    const x = toX(mark.x);
    if (!(x >= left && x <= left + width)) continue;
    surface.path(`M${d(x)} ${top}V${top + height}`, { color: palette.muted, dash: [4, 3] });
    surface.text(x + 4, top + 12, clip(mark.name, 16), { size: 10.5, color: palette.muted });
  }
  for (const series of spec.series) drawSeries(surface, series, toX, toY, [left, left + width]);
  surface.unclip();

  legendRows.forEach((row, k) => {
    const y = surface.height - 18 * (legendRows.length - k) + 10;
    for (const { series, x, text } of row) {
      const color = lookColor(series.look);
      if (series.line) surface.path(`M${x} ${y - 4}h30`, { color, width: 2, dash: series.look.dash });
      mark(surface, series.look, x + 15, y - 4, 3.2);
      surface.text(x + 36, y, text, { size: 11.5 });
    }
  });
  return { left, top, width, height, toX, toY, fromX, fromY };
}

function layoutLegend(all: FigureSeries[], width: number): { series: FigureSeries; x: number; text: string }[][] {
  const rows: { series: FigureSeries; x: number; text: string }[][] = [];
  let x = Infinity;
  for (const series of all.slice(0, 40)) {
    const text = clip(series.name, 40);
    const size = 52 + 6.6 * text.length;
    if (x + size > width) {
      rows.push([]);
      x = 20;
    }
    rows[rows.length - 1].push({ series, x, text });
    x += size;
  }
  return rows;
}

function mark(surface: Surface, look: Look, x: number, y: number, r: number): void {
  const { d, open } = markerPath(look.marker, x, y, r);
  const color = lookColor(look);
  surface.path(d, { color, width: 1.5 }, open ? 'none' : color);
}

/** Per column of pixels at most four points of a dense line are drawn: the first, the last, the lowest and the highest. */
function drawSeries(surface: Surface, series: FigureSeries, toX: (v: number) => number, toY: (v: number) => number, [from, to]: [number, number]): void {
  const { x, y, look } = series;
  const n = Math.min(x.length, y.length);
  const color = lookColor(look);
  let path = '';
  let open = false;
  let column: [number, number][] = [];
  const limit = (v: number) => Math.min(1e5, Math.max(-1e5, v));
  const emit = () => {
    if (column.length === 0) return;
    let chosen = column;
    if (column.length > 4) {
      let [low, high] = [0, 0];
      column.forEach((p, k) => {
        if (p[1] < column[low][1]) low = k;
        if (p[1] > column[high][1]) high = k;
      });
      chosen = [...new Set([0, Math.min(low, high), Math.max(low, high), column.length - 1])].map((k) => column[k]);
    }
    for (const p of chosen) {
      path += `${open ? 'L' : 'M'}${p[0].toFixed(1)} ${p[1].toFixed(1)}`;
      open = true;
    }
    column = [];
  };
  let lastMarker = -Infinity;
  const markers: [number, number][] = [];
  for (let i = 0; i < n; i++) {
    // What is absent because another series has a row there is passed over, what is no number makes a gap.
    if (y[i] === undefined) continue;
    const p: [number, number] = [toX(x[i] as number), toY(y[i] as number)];
    if (x[i] === null || y[i] === null || !Number.isFinite(p[0]) || !Number.isFinite(p[1])) {
      emit();
      open = false;
      continue;
    }
    p[0] = limit(p[0]);
    p[1] = limit(p[1]);
    if (column.length > 0 && Math.floor(p[0]) !== Math.floor(column[0][0])) emit();
    column.push(p);
    const apart = series.markers === 'all' ? 0 : (to - from) / 7;
    if (series.markers !== 'none' && (apart === 0 || Math.abs(p[0] - lastMarker) >= apart) && p[0] >= from && p[0] <= to && markers.length < 5000) {
      markers.push(p);
      lastMarker = p[0];
    }
  }
  emit();
  if (series.line && path) surface.path(path, { color, width: series.width ?? 1.7, dash: look.dash });
  for (const p of markers) mark(surface, look, p[0], p[1], 3);
}
