// A plot of one signal over another: paths and phase portraits.
import type { Clock } from './clock.ts';
import { checkbox, element } from './dom.ts';
import { csv, exportButtons, figure } from './export.ts';
import { drawFigure } from './figure.ts';
import type { FigureSpec, Frame } from './figure.ts';
import { look } from './series.ts';
import { groups, runs } from './signals.ts';
import type { Choice, Signal, Track } from './signals.ts';
import { CanvasSurface } from './surface.ts';
import { clip, withUnit } from './text.ts';
import { colors, onTheme } from './theme.ts';

export class XyPlot {
  readonly root: HTMLElement;
  private readonly canvas = element('canvas', { class: 'xy-canvas' });
  private readonly dots = element('div', { class: 'dots' });
  private readonly field: HTMLElement;
  private readonly choices: Choice[];
  private readonly selectX: HTMLSelectElement;
  private readonly selectY: HTMLSelectElement;
  private readonly names: string[];
  private equal = false;
  private frame: Frame | undefined;
  private visible = false;

  constructor(tracks: Track[], private readonly clock: Clock, private readonly hidden: Set<string>) {
    this.names = runs(tracks);
    this.choices = groups(tracks).filter((g) => g.id !== 'steps' && g.id !== 'residuals').flatMap((g) => g.choices);
    const [x, y] = this.sensible();
    this.selectX = this.select('Horizontal signal', x);
    this.selectY = this.select('Vertical signal', y);
    this.equal = this.choices[x]?.unit !== '' && this.choices[x]?.unit === this.choices[y]?.unit;
    this.field = element('div', { class: 'xy-field', role: 'img', 'aria-label': 'Plot of one signal over another' }, this.canvas, this.dots);
    const swap = () => {
      [this.selectX.value, this.selectY.value] = [this.selectY.value, this.selectX.value];
      this.draw();
    };
    const tools = element('div', { class: 'tools' },
      element('label', { class: 'pick' }, 'y', this.selectY), element('label', { class: 'pick' }, 'over x', this.selectX),
      element('button', { type: 'button', class: 'plain', onclick: swap, title: 'Exchange x and y' }, 'Swap'),
      checkbox('equal axes', this.equal, (on) => { this.equal = on; this.draw(); }, 'The same scale on both axes'),
      exportButtons(figure('path', () => this.spec()), () => this.table(), 'path'));
    this.root = element('section', { class: 'plot xy', id: 'plot-xy' }, element('div', { class: 'plot-head' }, element('h3', {}, 'Path and phase'), tools), this.field);
    new IntersectionObserver((entries) => {
      this.visible = entries.some((e) => e.isIntersecting);
      if (this.visible && !this.frame) this.draw();
    }, { rootMargin: '200px' }).observe(this.root);
    new ResizeObserver(() => this.frame && this.draw()).observe(this.field);
    clock.onChange((what) => what === 'time' && this.visible && this.follow());
    onTheme(() => this.frame && this.draw());
  }

  /** The first pair `a.x`, `a.y` of coordinates; else a coordinate and its velocity; else the first two. */
  private sensible(): [number, number] {
    const index = new Map(this.choices.map((c, k) => [c.name, k]));
    for (const [name, k] of index) {
      if (name.endsWith('x') && index.has(`${name.slice(0, -1)}y`)) return [k, index.get(`${name.slice(0, -1)}y`)!];
    }
    const velocity = this.choices.findIndex((c) => c.group === 'velocities');
    if (velocity > 0) return [0, velocity];
    return [0, Math.min(1, this.choices.length - 1)];
  }

  private select(label: string, chosen: number): HTMLSelectElement {
    const select = element('select', { 'aria-label': label, onchange: () => this.draw() });
    const sections = new Map<string, HTMLOptGroupElement>();
    this.choices.slice(0, 3000).forEach((choice, k) => {
      if (!sections.has(choice.group)) {
        sections.set(choice.group, element('optgroup', { label: clip(choice.group, 40) }));
        select.append(sections.get(choice.group)!);
      }
      sections.get(choice.group)!.append(element('option', { value: k, selected: k === chosen }, clip(choice.name, 40)));
    });
    return select;
  }

  private pair(): [Choice, Choice] {
    return [this.choices[Number(this.selectX.value)] ?? this.choices[0], this.choices[Number(this.selectY.value)] ?? this.choices[0]];
  }

  /** For each run the two signals; values of another track are looked up in time. */
  private curves(): { run: number; x: Signal; y: Signal }[] {
    const [cx, cy] = this.pair();
    return cx.signals.filter((s) => !this.hidden.has(s.run)).flatMap((x) => {
      const y = cy.signals.find((s) => s.track === x.track) ?? cy.signals.find((s) => s.run === x.run);
      return y ? [{ run: this.names.indexOf(x.run), x, y }] : [];
    });
  }

  private values(x: Signal, y: Signal): Float64Array {
    return y.track === x.track ? y.values : Float64Array.from(x.t, (t) => y.at(t));
  }

  private spec(): FigureSpec {
    const [cx, cy] = this.pair();
    return {
      x: { label: clip(cx.name, 40), unit: clip(cx.unit, 16), log: false },
      y: { label: clip(cy.name, 40), unit: clip(cy.unit, 16), log: false },
      equal: this.equal,
      series: this.curves().map(({ run, x, y }) => ({
        name: x.run || `${clip(cy.name, 30)} over ${clip(cx.name, 30)}`, x: x.values, y: this.values(x, y), look: look(run),
        line: true, markers: this.names.length > 1 || x.t.length < 3 ? 'few' : 'none',
      })),
    };
  }

  draw(): void {
    const width = Math.max(160, this.field.clientWidth);
    const height = Math.round(Math.min(460, Math.max(260, width * 0.6)));
    this.field.style.height = `${height}px`;
    const surface = new CanvasSurface(width, height, Math.min(2, devicePixelRatio || 1), this.canvas);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    surface.rect(0, 0, width, height, colors().surface);
    this.frame = drawFigure(surface, this.spec());
    this.follow();
  }

  /** Dots at the present time. */
  private follow(): void {
    const { frame } = this;
    if (!frame) return;
    const nodes = this.curves().flatMap(({ run, x, y }) => {
      const [px, py] = [frame.toX(x.at(this.clock.time)), frame.toY(y.at(this.clock.time))];
      if (!Number.isFinite(px) || !Number.isFinite(py)) return [];
      const dot = element('i');
      dot.style.transform = `translate(${px.toFixed(1)}px, ${py.toFixed(1)}px)`;
      dot.style.background = `var(--series-${Math.max(0, run) % 8})`;
      return [dot];
    });
    this.dots.replaceChildren(...nodes);
  }

  private table(): string {
    const [cx, cy] = this.pair();
    const rows = this.curves().flatMap(({ x, y }) => {
      const ys = this.values(x, y);
      return Array.from(x.t, (t, i) => [x.run, t, x.values[i], ys[i]]);
    });
    return csv(['run', 't', withUnit(cx.name, cx.unit), withUnit(cy.name, cy.unit)], rows);
  }
}
