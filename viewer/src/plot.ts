// One plot over time of the signals of a group.
import uPlot from 'uplot';
import { Chooser, atFirst } from './chooser.ts';
import type { Clock } from './clock.ts';
import type { Occurrence } from './document.ts';
import { checkbox, element } from './dom.ts';
import { csv, exportButtons, figure } from './export.ts';
import type { FigureSpec } from './figure.ts';
import { markEvents, markSeries } from './marks.ts';
import { look, lookColor, sample } from './series.ts';
import type { Look } from './series.ts';
import { LOGARITHMIC } from './signals.ts';
import type { Group, Signal } from './signals.ts';
import { FONT } from './surface.ts';
import { clip, number, withUnit } from './text.ts';
import { colors } from './theme.ts';
import { logTicks, padded, tickTexts, ticks } from './ticks.ts';

/** So many lines are shown before anything is chosen. */
const MOST_AT_FIRST = 6;

export interface Shown { signal: Signal; look: Look; name: string }
export interface PlotContext {
  clock: Clock; events: Occurrence[]; runs: string[]; hidden: Set<string>; timeUnit: string;
  /** The part of time that all plots show. */
  zoom(range: [number, number] | null, from: Plot): void;
}
type Data = (number | null | undefined)[] | Float64Array;

/** Values as the plot takes them: what cannot be drawn is a gap. */
function drawable(values: Float64Array, log: boolean): Data {
  const bad = (v: number) => !Number.isFinite(v) || (log && v <= 0);
  return values.some(bad) ? Array.from(values, (v) => (bad(v) ? null : v)) : values;
}

export class Plot {
  readonly root: HTMLElement;
  private readonly field = element('div', { class: 'plot-field' });
  private readonly legend = element('ul', { class: 'plot-legend' });
  private readonly line = element('div', { class: 'now' });
  private readonly chosen = new Set<number>();
  private log: boolean;
  private chart: uPlot | undefined;
  private shown: Shown[] = [];
  private readings: HTMLElement[] = [];
  private visible = false;
  private range: [number, number] | null = null;

  constructor(readonly group: Group, private readonly context: PlotContext) {
    this.log = LOGARITHMIC.has(group.id);
    const perChoice = Math.max(1, Math.min(MOST_AT_FIRST, context.runs.length - context.hidden.size));
    const first = Math.max(1, Math.floor(MOST_AT_FIRST / perChoice));
    for (const k of atFirst(group.choices, first)) this.chosen.add(k);
    const chooser = new Chooser(group.choices, this.chosen, () => this.rebuild());
    const tools = element('div', { class: 'tools' },
      chooser.root,
      checkbox('log', this.log, (on) => { this.log = on; this.rebuild(); }, 'Logarithmic values'),
      element('button', { type: 'button', class: 'plain', onclick: () => context.zoom(null, this), title: 'Show all times (or click twice in the plot)' }, 'Reset zoom'),
      exportButtons(figure(group.title, () => this.spec()), () => this.table(), group.title));
    this.root = element('section', { class: 'plot', id: `plot-${group.id.slice(0, 40)}` }, element('div', { class: 'plot-head' }, element('h3', {}, clip(group.title, 40)), tools), this.field, this.legend);
    // Plots are made when they come near: a report can have ten of them with a hundred thousand rows each.
    new IntersectionObserver((entries) => {
      this.visible = entries.some((e) => e.isIntersecting);
      if (this.visible) this.make();
    }, { rootMargin: '300px' }).observe(this.root);
    new ResizeObserver(() => {
      if (this.chart && this.field.clientWidth > 0) this.chart.setSize(this.size());
      this.follow();
    }).observe(this.field);
    context.clock.onChange((what) => what === 'time' && this.visible && this.follow());
  }

  private size(): { width: number; height: number } {
    const width = Math.max(120, this.field.clientWidth);
    return { width, height: Math.round(Math.min(320, Math.max(220, width * 0.42))) };
  }

  make(): void {
    if (!this.chart) this.rebuild();
    this.follow();
  }

  rebuild(): void {
    this.chart?.destroy();
    const manyRuns = this.context.runs.length > 1;
    this.shown = [...this.chosen].sort((a, b) => a - b).flatMap((k, nth) => {
      const choice = this.group.choices[k];
      return choice.signals.filter((signal) => !this.context.hidden.has(signal.run)).map((signal) => {
        const run = this.context.runs.indexOf(signal.run);
        return {
          signal,
          // With several runs colours and markers tell runs apart, dashes both.
          look: manyRuns ? look(run, run + 3 * nth) : look(nth),
          name: manyRuns ? `${clip(choice.name, 40)} (${clip(signal.run, 24)})` : clip(choice.name, 48),
        };
      });
    });
    const data = this.data();
    this.field.setAttribute('role', 'img');
    this.field.setAttribute('aria-label', clip(`Plot over time of ${this.shown.map((it) => it.name).join(', ')}`, 300));
    this.chart = new uPlot(this.options(), data as uPlot.AlignedData, this.field);
    const { over } = this.chart;
    over.append(this.line);
    this.listen(over);
    this.show(this.range);
    this.fillLegend();
    this.follow();
  }

  private data(): Data[] {
    const byTrack = new Map<Float64Array, Shown[]>();
    for (const it of this.shown) byTrack.set(it.signal.t, [...(byTrack.get(it.signal.t) ?? []), it]);
    // The order of series is that of the tables that are joined.
    this.shown = [...byTrack.values()].flat();
    const tables = [...byTrack.entries()].map(([t, list]) => [t, ...list.map((it) => drawable(it.signal.values, this.log))] as Data[]);
    if (tables.length === 0) return [[]];
    return tables.length === 1 ? tables[0] : (uPlot.join(tables as uPlot.AlignedData[]) as Data[]);
  }

  private get unit(): string {
    return [...new Set(this.shown.map((it) => it.signal.entry.unit).filter(Boolean))].map((u) => clip(u, 16)).slice(0, 4).join(', ');
  }

  private options(): uPlot.Options {
    const palette = colors();
    const { log } = this;
    const axis: uPlot.Axis = { stroke: palette.muted, font: `11.5px ${FONT}`, labelFont: `12px ${FONT}`, grid: { stroke: palette.grid, width: 1 }, ticks: { show: false }, labelGap: 2 };
    const labels = (_u: uPlot, splits: number[]) => tickTexts(splits);
    return {
      ...this.size(),
      // Lines between pixels look smoother than lines on them.
      pxAlign: false,
      legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: false } },
      scales: {
        x: { time: false, range: (u, min, max) => (min == null ? [0, 1] : u.data[0].length === 1 || !(max > min) ? padded([u.data[0][0], u.data[0][0]], false) : [min, max]) },
        y: { distr: log ? 3 : 1, range: (_u, min, max) => padded(min == null || max == null ? null : [min, max], log) },
      },
      padding: [10, 12, 0, 0],
      axes: [
        { ...axis, size: 26, gap: 4, splits: (u, _i, min, max) => ticks(min, max, u.width / 90), values: labels, label: withUnit('t', this.context.timeUnit), labelSize: 18 },
        {
          ...axis, size: (_u, texts) => Math.max(44, 14 + 6.6 * Math.max(0, ...(texts ?? []).map((text) => text.length))), gap: 5, splits: (u, _i, min, max) => (log ? logTicks(min, max, u.height / 36) : ticks(min, max, u.height / 46)),
          filter: (_u, splits) => splits, values: labels, label: this.unit || undefined, labelSize: 18,
        },
      ],
      series: [{}, ...this.shown.map((it) => ({ label: it.name, stroke: lookColor(it.look), width: 1.7, dash: it.look.dash, pxAlign: 0, points: { show: this.few(it) } }))],
      hooks: {
        drawAxes: [(u) => markEvents(u, this.context.events)],
        drawSeries: [(u, k) => k > 0 && markSeries(u, k, this.shown[k - 1].look, this.shown.length)],
        setScale: [(u, key) => {
          if (key !== 'x' || u.scales.x.min == null) return;
          this.follow();
        }],
        setSelect: [(u) => {
          if (u.select.width > 3) this.context.zoom([u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')], this);
        }],
      },
    };
  }

  /** Single points are not seen as a line. */
  private few(it: Shown): boolean {
    return it.signal.t.length < 3;
  }

  private listen(over: HTMLElement): void {
    const { clock } = this.context;
    const time = (x: number) => this.chart!.posToVal(x - over.getBoundingClientRect().left, 'x');
    let pinch: [number, number] | null = null;
    const fingers = (event: TouchEvent) => [...event.touches].map((touch) => touch.clientX - over.getBoundingClientRect().left).sort((a, b) => a - b);
    over.addEventListener('touchstart', (event) => {
      pinch = event.touches.length === 2 ? (fingers(event).map((x) => this.chart!.posToVal(x, 'x')) as [number, number]) : null;
    }, { passive: true });
    over.addEventListener('touchmove', (event) => {
      const [a, b] = fingers(event);
      if (!pinch || !(b - a > 8)) return;
      // The moments that were below the fingers stay below them.
      const perPixel = (pinch[1] - pinch[0]) / (b - a);
      const start = pinch[0] - perPixel * a;
      this.context.zoom([start, start + perPixel * over.clientWidth], this);
    }, { passive: true });
    over.addEventListener('touchend', () => { pinch = null; }, { passive: true });
    over.addEventListener('pointermove', (event) => {
      if (pinch) return;
      if (event.pointerType === 'touch' || (!clock.playing && event.buttons === 0)) clock.seek(time(event.clientX));
    });
    const jump = (event: MouseEvent) => {
      clock.pause();
      clock.seek(time(event.clientX));
    };
    over.addEventListener('click', jump);
    over.addEventListener('pointerdown', (event) => event.pointerType === 'touch' && jump(event));
    over.addEventListener('dblclick', () => this.context.zoom(null, this));
  }

  /** Shows a part of time, or all of it. */
  show(range: [number, number] | null): void {
    this.range = range;
    const { chart } = this;
    if (!chart) return;
    // All plots show the same times, also those whose tracks begin later or end earlier.
    const { start, end, span } = this.context.clock;
    const [min, max] = range ?? [start, end];
    if (range || span > 0) chart.setScale('x', { min, max });
    this.follow();
  }

  /** Moves the line of the present time, and shows the values there. */
  private follow(): void {
    const { chart } = this;
    if (!chart || chart.scales.x.min == null) return;
    const x = chart.valToPos(this.context.clock.time, 'x');
    this.line.hidden = !(x >= -1 && x <= chart.over.clientWidth + 1);
    this.line.style.transform = `translateX(${x.toFixed(1)}px)`;
    this.readings.forEach((node, k) => {
      const { signal } = this.shown[k];
      node.textContent = `${number(signal.at(this.context.clock.time), 5)} ${clip(signal.entry.unit, 16)}`;
    });
  }

  private fillLegend(): void {
    this.readings = [];
    this.legend.replaceChildren(...this.shown.map((it) => {
      const reading = element('span', { class: 'reading' });
      this.readings.push(reading);
      return element('li', { title: clip(it.signal.entry.label, 120) || undefined }, sample(it.look), element('span', { class: 'name' }, it.name), reading);
    }));
    if (this.shown.length === 0) this.legend.append(element('li', { class: 'note' }, 'No signal is chosen.'));
    const rows = this.shown.reduce((most, it) => Math.max(most, it.signal.t.length), 0);
    if (this.shown.length > 0 && rows === 0) this.legend.append(element('li', { class: 'note' }, 'There are no rows.'));
  }

  /** What is shown, for a figure of one's own. */
  spec(): FigureSpec {
    const window = this.chart && this.chart.scales.x.min != null ? ([this.chart.scales.x.min, this.chart.scales.x.max] as [number, number]) : undefined;
    return {
      x: { label: 't', unit: this.context.timeUnit, log: false, range: window },
      y: { label: '', unit: this.unit, log: this.log, range: this.chart && this.chart.scales.y.min != null ? [this.chart.scales.y.min, this.chart.scales.y.max!] : undefined },
      series: this.shown.map((it) => ({ name: withUnit(it.name, it.signal.entry.unit), x: it.signal.t, y: drawable(it.signal.values, this.log), look: it.look, line: true, markers: 'few' })),
      marks: this.context.events.map((event) => ({ x: event.t, name: event.name })),
    };
  }

  /** The rows that are shown. */
  table(): string {
    const data = this.data();
    const t = data[0];
    const [low, high] = this.range ?? [-Infinity, Infinity];
    const rows = function* () {
      for (let i = 0; i < t.length; i++) if (t[i]! >= low && t[i]! <= high) yield data.map((column) => column[i]);
    };
    return csv([withUnit('t', this.context.timeUnit), ...this.shown.map((it) => withUnit(it.name, it.signal.entry.unit))], rows());
  }

  get points(): number {
    return this.chart ? this.chart.data[0].length : 0;
  }

  get window(): [number, number] | null {
    return this.chart && this.chart.scales.x.min != null ? [this.chart.scales.x.min, this.chart.scales.x.max!] : null;
  }
}
