// Charts of sections: lines and points, heat maps, parallel coordinates. They are SVG, so that they print well.
import { contrast, css, scale } from './color.ts';
import type { ChartSection, HeatSection } from './document.ts';
import { element } from './dom.ts';
import { csv, exportButtons } from './export.ts';
import type { Drawable } from './export.ts';
import { drawFigure } from './figure.ts';
import type { FigureSpec } from './figure.ts';
import { look, sample } from './series.ts';
import { SvgSurface } from './surface.ts';
import type { Surface } from './surface.ts';
import { clip, number, withUnit } from './text.ts';
import { colors, onTheme } from './theme.ts';
import { range } from './ticks.ts';

/** An SVG that is drawn again when its place or the colours change. */
export function responsive(label: string, aspect: number, draw: (surface: SvgSurface) => void): HTMLElement {
  const field = element('div', { class: 'chart-field' });
  let width = 0;
  const redraw = () => {
    if (width === 0) return;
    const surface = new SvgSurface(width, Math.round(Math.min(520, Math.max(250, width * aspect))), clip(label, 120));
    draw(surface);
    field.replaceChildren(surface.root);
  };
  new ResizeObserver(() => {
    const next = Math.floor(field.clientWidth);
    if (next === width || next < 60) return;
    width = next;
    redraw();
  }).observe(field);
  onTheme(redraw);
  return field;
}

/** The slope of a line through points on logarithmic axes, by least squares. */
export function slope(x: (number | null)[], y: (number | null)[]): number | null {
  const points = x.flatMap((v, k): [number, number][] => (v !== null && v > 0 && (y[k] ?? 0) > 0 ? [[Math.log10(v), Math.log10(y[k]!)]] : []));
  if (points.length < 2) return null;
  const mx = points.reduce((s, p) => s + p[0], 0) / points.length;
  const my = points.reduce((s, p) => s + p[1], 0) / points.length;
  const sxx = points.reduce((s, p) => s + (p[0] - mx) ** 2, 0);
  const sxy = points.reduce((s, p) => s + (p[0] - mx) * (p[1] - my), 0);
  return sxx > 1e-12 ? sxy / sxx : null;
}

export function chartSection(section: ChartSection): HTMLElement {
  const logLog = section.x.log && section.y.log;
  const series = section.series.slice(0, 200).map((it, k) => {
    const own = look(k);
    const dashed = it.style === 'dashed';
    const steepness = logLog && it.style !== 'points' ? slope(it.x, it.y) : null;
    return {
      // On logarithmic axes the slope is the order, so it is said.
      name: clip(it.name, 60) + (steepness === null ? '' : `, slope ${number(steepness, 3)}`),
      x: it.x, y: it.y, look: dashed ? { ...own, dash: [6, 4] } : { ...own, dash: it.style === 'line' ? own.dash : [] },
      line: it.style !== 'points', markers: it.style === 'points' || it.style === 'line-points' ? ('all' as const) : dashed ? ('none' as const) : ('few' as const),
      width: dashed ? 1.3 : 1.8,
    };
  });
  const spec = (): FigureSpec => ({ x: section.x, y: section.y, series });
  const drawing: Drawable = { title: section.title, draw: (surface) => void drawFigure(surface, { ...spec(), title: section.title, legend: true }) };
  const table = () => csv(['series', withUnit(section.x.label, section.x.unit), withUnit(section.y.label, section.y.unit)], section.series.flatMap((s) => s.x.map((v, k) => [s.name, v, s.y[k] ?? null])));
  const empty = series.every((s) => range(s.x, section.x.log) === null || range(s.y, section.y.log) === null);
  return element('div', {},
    element('div', { class: 'tools' }, exportButtons(drawing, table, section.title)),
    empty ? element('p', { class: 'note' }, 'There is nothing to draw.') : responsive(section.title, 0.56, (surface) => drawFigure(surface, spec())),
    element('ul', { class: 'plot-legend' }, ...series.map((s) => element('li', {}, sample(s.look, s.line, s.markers !== 'none'), element('span', { class: 'name' }, s.name)))));
}

function drawHeat(surface: Surface, section: HeatSection): void {
  const { x, y, z } = section;
  const palette = colors();
  const [nx, ny] = [x.values.length, y.values.length];
  const ends = range(z.values, false);
  const [low, high] = ends ?? [0, 1];
  const [left, top, right, bottom] = [78, 14, 112, 50];
  const width = Math.max(40, surface.width - left - right);
  const height = Math.max(40, surface.height - top - bottom);
  const [cw, ch] = [width / nx, height / ny];
  const words = nx * ny <= 400 && cw >= 40 && ch >= 18;
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      const value = z.values[j * nx + i] ?? null;
      const share = value === null ? NaN : high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
      const [px, py] = [left + i * cw, top + height - (j + 1) * ch];
      const color = value === null ? palette.background : css(scale(share));
      surface.rect(px, py, cw + 0.5, ch + 0.5, color, `${clip(x.label, 30)} ${number(x.values[i])}, ${clip(y.label, 30)} ${number(y.values[j])}: ${clip(z.label, 30)} ${number(value)}`);
      // A cell without a value is crossed out.
      if (value === null) surface.path(`M${px} ${py}l${cw} ${ch}`, { color: palette.muted });
      else if (words) {
        const cell = scale(share);
        surface.text(px + cw / 2, py + ch / 2 + 4, number(value, 3), { anchor: 'middle', size: 11, color: contrast(cell, 0xffffff) >= contrast(cell, 0x000000) ? '#fff' : '#000' });
      }
    }
  }
  const every = (n: number, room: number, need: number) => Math.max(1, Math.ceil((n * need) / room));
  for (let i = 0; i < nx; i += every(nx, width, 56)) surface.text(left + (i + 0.5) * cw, top + height + 16, number(x.values[i], 4), { anchor: 'middle', size: 11.5, color: palette.muted });
  for (let j = 0; j < ny; j += every(ny, height, 18)) surface.text(left - 6, top + height - (j + 0.5) * ch + 4, number(y.values[j], 4), { anchor: 'end', size: 11.5, color: palette.muted });
  surface.text(left + width / 2, surface.height - 12, clip(withUnit(x.label, x.unit), 60), { anchor: 'middle' });
  surface.text(15, top + height / 2, clip(withUnit(y.label, y.unit), 40), { anchor: 'middle', turn: -90 });
  const bar = surface.width - right + 16;
  for (let k = 0; k < 40; k++) surface.rect(bar, top + (height * (39 - k)) / 40, 12, height / 40 + 0.6, css(scale(k / 39)));
  for (const s of ends ? [0, 0.5, 1] : []) surface.text(bar + 17, top + height * (1 - s) + (s === 1 ? 9 : s === 0 ? 0 : 4), number(low * (1 - s) + high * s, 3), { size: 11.5, color: palette.muted });
  surface.text(surface.width - 6, top + height / 2 + 26, clip(withUnit(z.label, z.unit), 40), { anchor: 'middle', turn: -90, size: 11.5 });
}

export function heatSection(section: HeatSection): HTMLElement {
  const { x, y, z } = section;
  if (x.values.length === 0 || y.values.length === 0) return element('p', { class: 'note' }, 'There is nothing to draw.');
  const drawing: Drawable = { title: section.title, draw: (surface) => drawHeat(surface, section) };
  const head = [withUnit(x.label, x.unit), withUnit(y.label, y.unit), withUnit(z.label, z.unit)];
  const table = () => csv(head, y.values.flatMap((b, j) => x.values.map((a, i) => [a, b, z.values[j * x.values.length + i]])));
  return element('div', {}, element('div', { class: 'tools' }, exportButtons(drawing, table, section.title)), responsive(section.title, 0.6, (surface) => drawHeat(surface, section)));
}
