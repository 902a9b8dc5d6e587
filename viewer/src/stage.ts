// The stage: camera, board and what lies over it. It draws when something changed, never otherwise.
import { MOUSE, OrthographicCamera, TOUCH, Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Board } from './board.ts';
import { CanvasBoard } from './board-canvas.ts';
import { GlBoard } from './board-gl.ts';
import type { Choices } from './brush.ts';
import type { Clock } from './clock.ts';
import { parse } from './color.ts';
import type { Scene } from './document.ts';
import { element } from './dom.ts';
import { Drawing } from './drawing.ts';
import type { Motion } from './motion.ts';
import { Overlay } from './overlay.ts';
import { colors, onTheme } from './theme.ts';
import type { Vector } from './vector.ts';
import { add, cross, perpendicular, scaled, unit } from './vector.ts';

export type View = 'fit' | 'top' | 'front' | 'side';
/** Room around the motion when it is fitted. */
const MARGIN = 1.12;
/** How far the eye is away; the projection is orthographic, so that only clipping depends on it. */
const DISTANCE = 12;

/** Beyond so many items the picture is made more cheaply. */
const MANY = 600;

export class Stage {
  readonly root: HTMLElement;
  readonly choices: Choices = {
    arrows: true, arrowScale: 1, values: false, residuals: false, labels: true, names: false, grid: true, traces: true, ghosts: 0,
  };
  readonly drawing: Drawing;
  readonly usesWebGl: boolean;
  private readonly board: Board;
  private readonly camera = new OrthographicCamera(-1, 1, 1, -1, 0.01, 2 * DISTANCE);
  private readonly controls: OrbitControls;
  private readonly overlay: Overlay;
  private readonly print = element('canvas', { class: 'stage-print', role: 'img', 'aria-label': 'The scene at the present time' });
  private readonly axes: { right: Vector; ahead: Vector; up: Vector };
  private width = 1;
  private height = 1;
  private waiting = false;
  private staleStill = true;
  /** Whether a person moved the camera: then a change of size keeps it. */
  private moved = false;

  constructor(readonly scene: Scene, motion: Motion, private readonly clock: Clock) {
    this.drawing = new Drawing(scene, motion, this.choices);
    const gl = GlBoard.make(scene.planar, scene.items.length > MANY);
    this.usesWebGl = gl !== null;
    this.board = gl ?? new CanvasBoard(scene.planar);
    const up: Vector = scene.planar ? [0, 1, 0] : unit(scene.up, [0, 0, 1]);
    const right: Vector = scene.planar ? [1, 0, 0] : Math.abs(up[0]) < 0.9 ? unit(add([1, 0, 0], up, -up[0])) : perpendicular(up);
    this.axes = { right, up, ahead: cross(up, right) };
    this.camera.up.set(...up);
    this.overlay = new Overlay(scene, this.drawing.extent.size);
    this.root = element('div', {
      class: 'stage', tabindex: 0, role: 'img',
      'aria-label': `Animation of ${scene.frames.length - 1} bodies. Space plays, arrow keys step, f fits the view.`,
    }, this.board.canvas, this.overlay.root, this.print);
    this.controls = new OrbitControls(this.camera, this.root);
    this.prepareControls();
    new ResizeObserver(() => this.resize()).observe(this.root);
    clock.onChange((what) => what === 'time' && this.redraw(false));
    onTheme(() => this.redraw());
    this.root.addEventListener('pointermove', (event) => this.hover(event));
    this.root.addEventListener('pointerleave', () => this.overlay.tip(null));
    this.view('fit');
  }

  private prepareControls(): void {
    const { controls, scene } = this;
    controls.zoomToCursor = true;
    controls.minZoom = 1e-3;
    controls.maxZoom = 1e5;
    if (scene.planar) {
      controls.enableRotate = false;
      controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
      controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    }
    controls.addEventListener('start', () => { this.moved = true; });
    controls.addEventListener('change', () => this.redraw());
    // The wheel scrolls the page until the stage has the focus; else one could not get past it.
    this.root.addEventListener('wheel', (event) => {
      if (document.activeElement !== this.root && !event.ctrlKey && !event.metaKey) event.stopImmediatePropagation();
    }, { capture: true });
    this.root.addEventListener('pointerdown', () => this.root.focus({ preventScroll: true }));
  }

  /** Looks from a side so that everything fits in. */
  view(view: View): void {
    const { right, ahead, up } = this.axes;
    let from: Vector;
    if (this.scene.planar) from = [0, 0, 1];
    else if (view === 'top') from = unit(add(up, ahead, -1e-4));
    else if (view === 'front') from = scaled(ahead, -1);
    else if (view === 'side') from = right;
    else from = unit(add(add(scaled(right, 0.55), ahead, -1), up, 0.5));
    this.moved = false;
    this.controls.target.set(0, 0, 0);
    this.camera.position.set(...scaled(from, DISTANCE));
    this.camera.lookAt(0, 0, 0);
    this.camera.updateMatrixWorld();
    this.fitZoom();
    this.controls.update();
    this.redraw();
  }

  /** The zoom at which the corners of the motion's box are within the picture. */
  private fitZoom(): void {
    const { low, high, size } = this.drawing.extent;
    const half = low.map((v, k) => (high[k] / 2 - v / 2) / size);
    const p = new Vector3();
    let x = 1e-9;
    let y = 1e-9;
    for (const i of [-1, 1]) for (const j of [-1, 1]) for (const k of this.scene.planar ? [0] : [-1, 1]) {
      p.set(i * half[0], j * half[1], k * half[2]).applyMatrix4(this.camera.matrixWorldInverse);
      x = Math.max(x, Math.abs(p.x));
      y = Math.max(y, Math.abs(p.y));
    }
    this.camera.zoom = 1 / (MARGIN * Math.max(y, x / (this.width / this.height)));
    this.camera.updateProjectionMatrix();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.root;
    if (clientWidth < 2 || clientHeight < 2) return;
    this.width = clientWidth;
    this.height = clientHeight;
    const aspect = this.width / this.height;
    this.camera.left = -aspect;
    this.camera.right = aspect;
    this.camera.updateProjectionMatrix();
    this.board.resize(this.width, this.height);
    if (!this.moved) this.fitZoom();
    this.staleStill = true;
    // Setting the size of a canvas clears it: waiting for the next frame would flicker.
    this.render();
  }

  /** Asks for a new picture; `all` if more than the time changed. */
  redraw(all = true): void {
    if (all) this.staleStill = true;
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
    });
  }

  render(): void {
    const pixel = 2 / (this.camera.zoom * this.height);
    const direction = this.camera.getWorldDirection(new Vector3());
    const view: Vector = [direction.x, direction.y, direction.z];
    const still = this.staleStill;
    if (still) this.drawing.drawStill(pixel, view);
    this.staleStill = false;
    this.drawing.drawLive(this.clock.time, pixel, view);
    this.board.draw([this.drawing.still, this.drawing.live], [still, true], this.camera, parse(colors().surface, 0xffffff));
    this.overlay.place(this.drawing.live.tags, (p) => this.toScreen(p), pixel, this.camera, this.choices, this.drawing.extent);
  }

  /** Pixels within the stage. */
  toScreen(p: Vector): [number, number] {
    const q = new Vector3(...p).project(this.camera);
    return [((q.x + 1) / 2) * this.width, ((1 - q.y) / 2) * this.height];
  }

  /** Where the first item of a name stands in the window, or nothing. */
  position(name: string): { x: number; y: number } | null {
    const k = this.scene.items.findIndex((item) => item.name === name);
    this.render();
    const anchor = this.drawing.anchors[k];
    if (!anchor || !Number.isFinite(anchor[0])) return null;
    const [x, y] = this.toScreen(anchor);
    const box = this.root.getBoundingClientRect();
    return { x: box.left + x, y: box.top + y };
  }

  /** The present picture as a PNG. */
  image(): string {
    this.render();
    return this.board.canvas.toDataURL('image/png');
  }

  beforePrint(): void {
    this.staleStill = true;
    this.render();
    // A copy on a plain canvas is there at once and prints everywhere; what WebGL drew may be gone by then.
    const { canvas } = this.board;
    [this.print.width, this.print.height] = [canvas.width, canvas.height];
    this.print.getContext('2d')?.drawImage(canvas, 0, 0);
  }

  private hover(event: PointerEvent): void {
    if (event.pointerType === 'touch' || event.buttons !== 0) return;
    const box = this.root.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = -1;
    let least = 14 ** 2;
    this.drawing.anchors.forEach((anchor, k) => {
      if (this.scene.items[k].name === '') return;
      const p = this.toScreen(anchor);
      const d = (p[0] - x) ** 2 + (p[1] - y) ** 2;
      // Of several things at one point the last, which lies on top, is named.
      if (d <= least) [best, least] = [k, d];
    });
    this.overlay.tip(best < 0 ? null : { x, y, item: this.scene.items[best], pose: this.drawing.pose });
  }
}
