// What a sketch is drawn on.
import type { OrthographicCamera } from 'three';
import type { Sketch } from './sketch.ts';

export interface Board {
  readonly canvas: HTMLCanvasElement;
  resize(width: number, height: number): void;
  /** Draws the sketches, the first below the others; `fresh` says which of them changed since the last time. */
  draw(sketches: Sketch[], fresh: boolean[], camera: OrthographicCamera, background: number): void;
}
