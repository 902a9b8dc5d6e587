// Something to draw figures on: a canvas or an SVG. Both take the same strokes and words.
import { element, svg } from './dom.ts';
import { colors } from './theme.ts';

export interface Stroke { color: string; width?: number; dash?: number[]; opacity?: number }
export interface Words { anchor?: 'start' | 'middle' | 'end'; size?: number; color?: string; turn?: number; bold?: boolean }

export interface Surface {
  readonly width: number;
  readonly height: number;
  /** A path in the language of SVG; filled if `fill` is given. */
  path(d: string, stroke: Stroke | null, fill?: string): void;
  rect(x: number, y: number, width: number, height: number, fill: string, title?: string): void;
  text(x: number, y: number, text: string, words?: Words): void;
  /** All that follows is cut off outside of the rectangle, until `unclip`. */
  clip(x: number, y: number, width: number, height: number): void;
  unclip(): void;
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
let clips = 0;

export class SvgSurface implements Surface {
  readonly root: SVGElement;
  private group: SVGElement;

  constructor(readonly width: number, readonly height: number, label: string) {
    this.root = svg('svg', { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label, 'font-family': FONT });
    this.group = this.root;
  }

  path(d: string, stroke: Stroke | null, fill = 'none'): void {
    const node = svg('path', { d, fill });
    if (stroke) {
      node.setAttribute('stroke', stroke.color);
      node.setAttribute('stroke-width', String(stroke.width ?? 1));
      node.setAttribute('stroke-linejoin', 'round');
      if (stroke.dash?.length) node.setAttribute('stroke-dasharray', stroke.dash.join(' '));
      if (stroke.opacity !== undefined) node.setAttribute('stroke-opacity', String(stroke.opacity));
    }
    this.group.append(node);
  }

  rect(x: number, y: number, width: number, height: number, fill: string, title?: string): void {
    const node = svg('rect', { x: x.toFixed(2), y: y.toFixed(2), width: width.toFixed(2), height: height.toFixed(2), fill });
    if (title) node.append(svg('title', {}, title));
    this.group.append(node);
  }

  text(x: number, y: number, text: string, words: Words = {}): void {
    const node = svg('text', { x: x.toFixed(1), y: y.toFixed(1), 'font-size': words.size ?? 12, fill: words.color ?? colors().text, 'text-anchor': words.anchor ?? 'start' }, text);
    if (words.turn) node.setAttribute('transform', `rotate(${words.turn} ${x.toFixed(1)} ${y.toFixed(1)})`);
    if (words.bold) node.setAttribute('font-weight', '600');
    this.group.append(node);
  }

  clip(x: number, y: number, width: number, height: number): void {
    const id = `clip-${++clips}`;
    this.root.append(svg('clipPath', { id }, svg('rect', { x, y, width, height })));
    this.group = svg('g', { 'clip-path': `url(#${id})` });
    this.root.append(this.group);
  }

  unclip(): void {
    this.group = this.root;
  }
}

export class CanvasSurface implements Surface {
  readonly canvas: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D;

  constructor(readonly width: number, readonly height: number, ratio: number, canvas?: HTMLCanvasElement) {
    this.canvas = canvas ?? element('canvas');
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context = this.canvas.getContext('2d')!;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.lineJoin = 'round';
  }

  path(d: string, stroke: Stroke | null, fill = 'none'): void {
    const { context } = this;
    const path = new Path2D(d);
    if (fill !== 'none') {
      context.fillStyle = fill;
      context.fill(path);
    }
    if (stroke) {
      context.strokeStyle = stroke.color;
      context.lineWidth = stroke.width ?? 1;
      context.globalAlpha = stroke.opacity ?? 1;
      context.setLineDash(stroke.dash ?? []);
      context.stroke(path);
      context.globalAlpha = 1;
      context.setLineDash([]);
    }
  }

  rect(x: number, y: number, width: number, height: number, fill: string): void {
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, width, height);
  }

  text(x: number, y: number, text: string, words: Words = {}): void {
    const { context } = this;
    context.save();
    context.translate(x, y);
    if (words.turn) context.rotate((words.turn * Math.PI) / 180);
    context.font = `${words.bold ? '600 ' : ''}${words.size ?? 12}px ${FONT}`;
    context.fillStyle = words.color ?? colors().text;
    context.textAlign = words.anchor === 'middle' ? 'center' : words.anchor ?? 'start';
    context.fillText(text, 0, 0);
    context.restore();
  }

  clip(x: number, y: number, width: number, height: number): void {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
  }

  unclip(): void {
    this.context.restore();
  }
}
