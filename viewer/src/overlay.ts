// What lies over the stage as text: labels, scale bar, axes, legends and the name under the pointer.
import { Vector3 } from 'three';
import type { OrthographicCamera } from 'three';
import type { Choices } from './brush.ts';
import type { Item, Scene } from './document.ts';
import { element, svg } from './dom.ts';
import type { Extent } from './extent.ts';
import type { Pose } from './motion.ts';
import { legendColor } from './signs.ts';
import type { Tag } from './sketch.ts';
import { clip, number } from './text.ts';
import { nice } from './ticks.ts';
import type { Vector } from './vector.ts';

/** More words than this are not readable anyhow. */
const MOST_TAGS = 200;

export class Overlay {
  readonly root = element('div', { class: 'overlay' });
  private readonly tags: HTMLElement[] = [];
  private readonly layer = element('div', { class: 'tags' });
  private readonly bar = element('div', { class: 'scale-bar' });
  private readonly barText = element('span');
  private readonly barLine = element('i');
  private readonly compass = svg('svg', { viewBox: '-34 -34 68 68', width: 68, height: 68, class: 'compass', 'aria-hidden': 'true' });
  private readonly legend = element('div', { class: 'legend' });
  private readonly pointer = element('div', { class: 'tip', hidden: true });
  private legendKey = '';

  constructor(private readonly scene: Scene, private readonly size: number) {
    this.bar.append(this.barLine, this.barText);
    this.root.append(this.layer, this.bar, this.legend, this.pointer);
    if (!scene.planar) this.root.append(this.compass);
  }

  place(tags: Tag[], toScreen: (p: Vector) => [number, number], pixel: number, camera: OrthographicCamera, choices: Choices, extent: Extent): void {
    const shown = tags.slice(0, MOST_TAGS);
    while (this.tags.length < shown.length) {
      const node = element('span');
      this.tags.push(node);
      this.layer.append(node);
    }
    const spots: [number, number][] = [];
    this.tags.forEach((node, k) => {
      const tag = shown[k];
      node.hidden = tag === undefined;
      if (!tag) return;
      const text = clip(tag.text, 40);
      if (node.textContent !== text) node.textContent = text;
      node.className = `tag ${tag.role}`;
      const [x, place] = toScreen(tag.at);
      // Words at one point stand above each other.
      const y = place - 13 * spots.filter(([a, b]) => Math.abs(a - x) < 40 && Math.abs(b - place) < 12).length;
      spots.push([x, place]);
      node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    });
    this.scaleBar(pixel);
    if (!this.scene.planar) this.turnCompass(camera);
    this.explain(choices, extent);
  }

  /** A length between 60 and 150 pixels that is a round number. */
  private scaleBar(pixel: number): void {
    const perPixel = pixel * this.size;
    const length = nice(60 * perPixel);
    this.barLine.style.width = `${(length / perPixel).toFixed(1)}px`;
    const text = this.scene.unit ? `${number(length)} ${clip(this.scene.unit, 12)}` : number(length);
    if (this.barText.textContent !== text) this.barText.textContent = text;
  }

  private turnCompass(camera: OrthographicCamera): void {
    const inverse = camera.quaternion.clone().invert();
    const arms = ['x', 'y', 'z'].map((name, k) => ({ name, p: new Vector3(k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0).applyQuaternion(inverse) }));
    arms.sort((a, b) => a.p.z - b.p.z);
    this.compass.replaceChildren(...arms.flatMap(({ name, p }) => [
      svg('line', { x1: 0, y1: 0, x2: 20 * p.x, y2: -20 * p.y }),
      svg('text', { x: 27 * p.x, y: -27 * p.y + 4, 'text-anchor': 'middle' }, name),
    ]));
  }

  /** Says what arrows and colours mean, and how large the largest are. */
  private explain(choices: Choices, extent: Extent): void {
    const kinds = choices.arrows ? Object.entries(extent.arrows).filter(([, largest]) => largest > 0) : [];
    const residual = choices.residuals ? extent.residual : null;
    const key = JSON.stringify([kinds, residual]);
    if (key === this.legendKey) return;
    this.legendKey = key;
    const rows: Node[] = kinds.map(([kind, largest]) => element('div', { class: `arrow-key ${kind}` }, arrowSample(kind), element('span', {}, `${kind}, up to ${number(largest, 3)}`)));
    if (residual) {
      const stops = [0, 0.25, 0.5, 0.75, 1].map(legendColor).join(', ');
      const bar = element('i', { class: 'color-bar' });
      bar.style.background = `linear-gradient(to right, ${stops})`;
      rows.push(element('div', { class: 'residual-key' }, element('span', {}, 'residual'), element('span', {}, number(residual[0], 2)), bar, element('span', {}, number(residual[1], 2))));
    }
    this.legend.replaceChildren(...rows);
  }

  tip(at: { x: number; y: number; item: Item; pose: Pose } | null): void {
    this.pointer.hidden = at === null;
    if (!at) return;
    const { item, pose } = at;
    let text = clip(item.name, 60);
    if (item.kind === 'arrow') text += `: ${number(Math.hypot(...item.vector.map((q) => pose.value(q))), 4)}`;
    if (item.kind === 'joint' && item.residual != null) text += `, residual ${number(pose.value(item.residual), 2)}`;
    this.pointer.textContent = text;
    this.pointer.style.transform = `translate(${at.x + 12}px, ${at.y + 14}px)`;
  }
}

/** A small arrow as it is drawn for its kind. */
function arrowSample(kind: string): SVGElement {
  const head = kind === 'velocity' ? [svg('path', { d: 'M17 1 L23 5 L17 9', fill: 'none' })] : [svg('path', { d: 'M16 1.5 L24 5 L16 8.5 Z', class: 'full' })];
  if (kind === 'torque') head.push(svg('path', { d: 'M9 1.5 L17 5 L9 8.5 Z', class: 'full' }));
  return svg('svg', { viewBox: '0 0 25 10', width: 25, height: 10, 'aria-hidden': 'true' }, svg('path', { d: 'M1 5 H20' }), ...head);
}
