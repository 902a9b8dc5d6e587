// Writes reports in the form that the program writes them: packed tracks and motions, the document, one page.
import { readFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';

/** Bytes of values, plane by plane. */
function shuffle(bytes, n, width) {
  const out = Buffer.alloc(n * width);
  for (let i = 0; i < n; i++) for (let p = 0; p < width; p++) out[p * n + i] = bytes[i * width + p];
  return out;
}

/** The offset of a column: its first finite value, so that differences are small. */
const offsetOf = (column) => column.find(Number.isFinite) ?? 0;

/** A block of times and columns; gives its text and the offsets. */
export function pack(t, columns) {
  const n = t.length;
  const times = Buffer.from(Float64Array.from(t).buffer);
  const offsets = columns.map(offsetOf);
  const parts = [shuffle(times, n, 8)];
  columns.forEach((column, k) => parts.push(shuffle(Buffer.from(Float32Array.from(column, (v) => v - offsets[k]).buffer), n, 4)));
  return { text: deflateSync(Buffer.concat(parts), { level: 6 }).toString('base64'), offsets };
}

/** A report under construction. */
export class Draft {
  constructor(title) {
    this.blocks = [];
    this.document = {
      format: 1, title, program: 'alembert 0.1.0', verdict: { state: 'good', headline: '', points: [] },
      tracks: [], scene: null, motion: null, events: [], sections: [],
    };
  }

  /** Signals are `{ name, unit, group, values }`. */
  track(t, signals, { run = '', name = 'rows', title = 'Result', unit = 's' } = {}) {
    const { text, offsets } = pack(t, signals.map((s) => s.values));
    this.document.tracks.push({
      run, name, title, n: t.length, t_unit: unit, block: this.blocks.length,
      signals: signals.map((s, k) => ({ name: s.name, label: s.label ?? '', unit: s.unit ?? '', group: s.group, offset: offsets[k] })),
    });
    this.blocks.push(text);
    return this;
  }

  motion(t, channels) {
    const { text, offsets } = pack(t, channels);
    this.document.motion = { n: t.length, channels: channels.length, block: this.blocks.length, offsets };
    this.blocks.push(text);
    return this;
  }

  async html() {
    const page = await readFile(new URL('../dist/page.html', import.meta.url), 'utf8');
    const json = JSON.stringify(this.document).replaceAll('<', '\\u003c');
    const data = [`<script type="application/json" id="document">${json}</script>`, ...this.blocks.map((b, k) => `<script type="text/plain" id="block-${k}">${b}</script>`)];
    const title = this.document.title.slice(0, 200).replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
    return page.replace('<!--TITLE-->', () => title).replace('<!--DATA-->', () => data.join('\n'));
  }
}

export const frame = (name, origin = [0, 0, 0], turn = 'none') => ({ name, origin, turn });
export const place = (frameNumber, ...at) => ({ frame: frameNumber, at: at.length ? at : [0, 0, 0] });
export const c = (channel) => ({ c: channel });
export const grid = (n, from, to) => Array.from({ length: n }, (_, i) => from + ((to - from) * i) / (n - 1));
