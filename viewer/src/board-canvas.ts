// Drawing without WebGL: strokes projected onto a plain canvas; in the plane solids are filled, in space their edges must do.
import { Vector3 } from 'three';
import type { OrthographicCamera } from 'three';
import type { Board } from './board.ts';
import { css, mix } from './color.ts';
import { FADE, LAYERS, SOLIDS, WIDTH } from './sketch.ts';
import type { Sketch, Solid } from './sketch.ts';

/** Outlines of solids of size one in the plane. */
const OUTLINE: Record<Solid, [number, number][]> = {
  box: [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]],
  ball: Array.from({ length: 24 }, (_, k) => [Math.cos((k * Math.PI) / 12), Math.sin((k * Math.PI) / 12)]),
  tube: [[-1, -0.5], [1, -0.5], [1, 0.5], [-1, 0.5]],
  cone: [[-1, -0.5], [1, -0.5], [0, 0.5]],
};

export class CanvasBoard implements Board {
  readonly canvas = document.createElement('canvas');
  private ratio = 1;
  private width = 0;
  private height = 0;
  private readonly point = new Vector3();

  constructor(private readonly planar: boolean) {}

  resize(width: number, height: number): void {
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
  }

  private project(x: number, y: number, z: number, camera: OrthographicCamera): [number, number] {
    const p = this.point.set(x, y, z).project(camera);
    return [((p.x + 1) / 2) * this.width, ((1 - p.y) / 2) * this.height];
  }

  draw(sketches: Sketch[], _fresh: boolean[], camera: OrthographicCamera, background: number): void {
    const context = this.canvas.getContext('2d');
    if (!context) return;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = css(background);
    context.fillRect(0, 0, this.width, this.height);
    context.lineCap = 'round';
    for (const sketch of sketches) {
      for (const solid of SOLIDS) if (this.planar || solid === 'cone') this.fill(context, sketch, solid, camera);
      for (const layer of LAYERS) {
        const { points, colors } = sketch.strokes[layer];
        context.lineWidth = WIDTH[layer];
        let color = -1;
        for (let i = 0; i < colors.length; i++) {
          if (colors.data[i] !== color) {
            if (color >= 0) context.stroke();
            color = colors.data[i];
            context.strokeStyle = css(mix(color, background, FADE[layer]));
            context.beginPath();
          }
          const d = points.data.subarray(6 * i, 6 * i + 6);
          context.moveTo(...this.project(d[0], d[1], d[2], camera));
          context.lineTo(...this.project(d[3], d[4], d[5], camera));
        }
        if (color >= 0) context.stroke();
      }
    }
  }

  private fill(context: CanvasRenderingContext2D, sketch: Sketch, solid: Solid, camera: OrthographicCamera): void {
    const { matrices, colors } = sketch.solids[solid];
    for (let i = 0; i < colors.length; i++) {
      const m = matrices.data.subarray(16 * i, 16 * i + 16);
      context.fillStyle = css(colors.data[i]);
      context.beginPath();
      OUTLINE[solid].forEach(([x, y], k) => {
        const p = this.project(m[0] * x + m[4] * y + m[12], m[1] * x + m[5] * y + m[13], m[2] * x + m[6] * y + m[14], camera);
        if (k === 0) context.moveTo(...p);
        else context.lineTo(...p);
      });
      context.fill();
    }
  }
}
