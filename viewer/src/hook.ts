// `window.alembert`: what a page that embeds a report, or a test, can ask and do.
import type { Clock } from './clock.ts';
import type { Plots } from './plots.ts';
import type { Stage } from './stage.ts';

export interface Handle {
  /** Is kept when the page is drawn; holds the milliseconds since the page began to load. */
  ready: Promise<number>;
  /** The present time; can be set, which also pauses. */
  time: number;
  readonly range: [number, number];
  readonly frames: number;
  readonly playing: boolean;
  play(): void;
  pause(): void;
  /** The names of what is drawn. */
  readonly items: string[];
  /** Where the first item with a name stands in the window, in pixels; null if there is none. */
  position(name: string): { x: number; y: number } | null;
  /** The scene as it is drawn now, as a PNG; null if there is no scene. */
  image(): string | null;
  /** The plots over time: their groups, how many rows are drawn, and which part of time. */
  readonly plots: { group: string; rows: number; window: [number, number] | null }[];
  /** Whether the scene is drawn with WebGL. */
  readonly webgl: boolean;
}

export function handle(ready: Promise<number>, clock: Clock, stage: Stage | null, plots: Plots | null, frames: number): Handle {
  return {
    ready,
    get time() { return clock.time; },
    set time(t: number) { clock.pause(); clock.seek(t); },
    get range(): [number, number] { return [clock.start, clock.end]; },
    frames,
    get playing() { return clock.playing; },
    play: () => clock.play(),
    pause: () => clock.pause(),
    get items() { return stage ? stage.scene.items.map((item) => item.name) : []; },
    position: (name) => stage?.position(name) ?? null,
    image: () => stage?.image() ?? null,
    get plots() { return plots ? plots.list.map((plot) => ({ group: plot.group.id, rows: plot.points, window: plot.window })) : []; },
    webgl: stage?.usesWebGl ?? false,
  };
}
