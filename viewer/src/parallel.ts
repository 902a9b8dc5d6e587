// Parallel coordinates: each run is a line through its values on parallel axes. The line under the pointer stands out.
import { responsive } from './charts.ts';
import { css, parse, readable, scale } from './color.ts';
import type { ParallelSection } from './document.ts';
import { element } from './dom.ts';
import { csv, exportButtons } from './export.ts';
import type { Surface } from './surface.ts';
import { clip, number, withUnit } from './text.ts';
import { colors } from './theme.ts';
import { range } from './ticks.ts';

interface Layout { xs: number[]; top: number; bottom: number; lines: { k: number; points: [number, number][]; color: string }[] }

function layout(width: number, height: number, section: ParallelSection): Layout {
  const [left, right, top, bottom] = [46, width - 46, 44, height - 26];
  const n = section.axes.length;
  const xs = section.axes.map((_, k) => (n === 1 ? (left + right) / 2 : left + ((right - left) * k) / (n - 1)));
  const ends = section.axes.map((axis) => range(axis.values, false) ?? ([0, 1] as [number, number]));
  const share = (axis: number, k: number) => {
    const v = section.axes[axis].values[k];
    const [low, high] = ends[axis];
    return v === null || v === undefined ? NaN : high > low ? (v / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
  };
  const palette = colors();
  const [background, text] = [parse(palette.surface, 0xffffff), parse(palette.text, 0)];
  const count = Math.max(0, ...section.axes.map((axis) => axis.values.length));
  const lines = Array.from({ length: Math.min(count, 3000) }, (_, k) => ({
    k,
    points: xs.map((x, a): [number, number] => [x, bottom - (bottom - top) * share(a, k)]).filter((p) => Number.isFinite(p[1])),
    color: css(readable(scale(share(Math.min(section.color, n - 1), k)), background, text)),
  }));
  return { xs, top, bottom, lines };
}

const trail = (points: [number, number][]) => points.map((p, i) => `${i ? 'L' : 'M'}${p[0].toFixed(1)} ${p[1].toFixed(1)}`).join('');

function draw(surface: Surface, section: ParallelSection, it: Layout): void {
  const palette = colors();
  for (const line of it.lines) surface.path(trail(line.points), { color: line.color, width: 1.3, opacity: it.lines.length > 60 ? 0.6 : 0.9 });
  section.axes.forEach((axis, k) => {
    const x = it.xs[k];
    const anchor = k === 0 ? 'start' : k === section.axes.length - 1 ? 'end' : 'middle';
    const at = k === 0 ? x - 40 : k === section.axes.length - 1 ? x + 40 : x;
    const [low, high] = range(axis.values, false) ?? [0, 1];
    surface.path(`M${x.toFixed(1)} ${it.top}V${it.bottom}`, { color: palette.text, width: 1.2 });
    const room = Math.max(6, Math.floor(surface.width / Math.max(1, section.axes.length) / 7));
    // Names of neighbours stand at two heights, so that they do not run into each other.
    surface.text(at, k % 2 ? 12 : 26, clip(withUnit(axis.label, axis.unit), Math.min(40, 2 * room)), { anchor, size: 12, bold: k === section.color });
    surface.text(x, it.top - 5, number(high, 3), { anchor: 'middle', size: 11, color: palette.muted });
    surface.text(x, it.bottom + 15, number(low, 3), { anchor: 'middle', size: 11, color: palette.muted });
  });
}

/** The line that is nearest to a point. */
function nearest(it: Layout, x: number, y: number): number {
  let best = -1;
  let least = 18;
  for (const line of it.lines) {
    for (let i = 1; i < line.points.length; i++) {
      const [a, b] = [line.points[i - 1], line.points[i]];
      if (x < a[0] || x > b[0]) continue;
      const d = Math.abs(a[1] + ((b[1] - a[1]) * (x - a[0])) / (b[0] - a[0]) - y);
      if (d < least) [best, least] = [line.k, d];
    }
  }
  return best;
}

export function parallelSection(section: ParallelSection): HTMLElement {
  if (section.axes.length === 0) return element('p', { class: 'note' }, 'There is nothing to draw.');
  const reading = element('p', { class: 'note parallel-reading', 'aria-live': 'polite' }, 'A line under the pointer is named here.');
  const field = responsive(section.title, 0.42, (surface) => {
    const it = layout(surface.width, surface.height, section);
    draw(surface, section, it);
    const mark = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    mark.setAttribute('class', 'highlight');
    surface.root.append(mark);
    const point = (event: PointerEvent) => {
      const box = surface.root.getBoundingClientRect();
      const k = nearest(it, event.clientX - box.left, event.clientY - box.top);
      mark.setAttribute('d', k < 0 ? '' : trail(it.lines[k].points));
      if (k >= 0) reading.textContent = section.axes.map((axis) => `${clip(axis.label, 30)} ${number(axis.values[k])}`).join(', ');
    };
    surface.root.addEventListener('pointermove', point);
    surface.root.addEventListener('pointerdown', point);
  });
  const rows = () => Array.from({ length: Math.max(0, ...section.axes.map((a) => a.values.length)) }, (_, k) => section.axes.map((a) => a.values[k]));
  const drawing = { title: section.title, draw: (surface: Surface) => draw(surface, section, layout(surface.width, surface.height, section)) };
  return element('div', {}, element('div', { class: 'tools' }, exportButtons(drawing, () => csv(section.axes.map((a) => withUnit(a.label, a.unit)), rows()), section.title)), field, reading);
}
