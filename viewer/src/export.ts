// What leaves the page: pictures and tables as files.
import { drawFigure } from './figure.ts';
import type { FigureSpec } from './figure.ts';
import { element } from './dom.ts';
import { CanvasSurface, SvgSurface } from './surface.ts';
import type { Surface } from './surface.ts';
import { fileName } from './text.ts';
import { colors } from './theme.ts';

export function download(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element('a', { href: address, download: name }).click();
  // The browser needs the address until it has begun to write.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A field of a CSV file; quoted if need be. One that a spreadsheet would run as a formula is kept from it by a blank. */
function field(value: unknown): string {
  if (value === null || value === undefined || (typeof value === 'number' && !Number.isFinite(value))) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+@\t\r]|^-(?![\d.])/.test(String(value)) ? ` ${String(value)}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(header: string[], rows: Iterable<unknown[]>): string {
  const lines = [header.map(field).join(',')];
  for (const row of rows) lines.push(row.map(field).join(','));
  return `${lines.join('\n')}\n`;
}

const EXPORT_WIDTH = 900;
const EXPORT_HEIGHT = 520;

/** Anything that can draw itself on a surface. */
export interface Drawable { title: string; width?: number; height?: number; draw(surface: Surface): void }

export function figure(title: string, spec: () => FigureSpec): Drawable {
  return { title, draw: (surface) => void drawFigure(surface, { ...spec(), title, legend: true }) };
}

function paper(surface: Surface): void {
  surface.rect(0, 0, surface.width, surface.height, colors().surface);
}

export function svgText(it: Drawable): string {
  const surface = new SvgSurface(it.width ?? EXPORT_WIDTH, it.height ?? EXPORT_HEIGHT, it.title);
  paper(surface);
  it.draw(surface);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(surface.root)}\n`;
}

function savePng(it: Drawable): void {
  const surface = new CanvasSurface(it.width ?? EXPORT_WIDTH, it.height ?? EXPORT_HEIGHT, 2);
  paper(surface);
  it.draw(surface);
  surface.canvas.toBlob((blob) => blob && download(`${fileName(it.title)}.png`, blob, 'image/png'));
}

/** Buttons that save a figure and its numbers. */
export function exportButtons(it: Drawable | null, table: (() => string) | null, title: string): HTMLElement {
  const button = (words: string, save: () => void) => element('button', { type: 'button', class: 'plain', title: `Save as ${words}`, 'aria-label': `Save ${title.slice(0, 60)} as ${words}`, onclick: save }, words);
  const root = element('span', { class: 'exports', role: 'group', 'aria-label': 'Save as' });
  if (it) {
    root.append(button('SVG', () => download(`${fileName(title)}.svg`, svgText(it), 'image/svg+xml')), button('PNG', () => savePng(it)));
  }
  if (table) root.append(button('CSV', () => download(`${fileName(title)}.csv`, table(), 'text/csv')));
  return root;
}
