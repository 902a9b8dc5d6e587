// The time that animation and plots share.

/** Seconds of playing for the speed that fits any motion. */
const FIT_SECONDS = 8;
/** Speeds that can be chosen; zero stands for the one that plays the motion in eight seconds. */
export const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 0];

export class Clock {
  time: number;
  playing = false;
  loop = true;
  /** Model time per second, or zero for the speed that fits. */
  speed = 1;
  /** Whether playing was not asked for by a person: then it ends after one round. */
  private once = false;
  private last = 0;
  private readonly listeners: ((what: 'time' | 'state') => void)[] = [];

  /** A clock from `start` to `end` with the times of the frames to step through. */
  constructor(readonly start: number, readonly end: number, readonly steps: Float64Array) {
    this.time = start;
    const span = end - start;
    if (!(span >= 2 && span <= 40)) this.speed = 0;
  }

  get span(): number {
    return this.end - this.start;
  }

  get rate(): number {
    return this.speed === 0 ? this.span / FIT_SECONDS : this.speed;
  }

  onChange(listener: (what: 'time' | 'state') => void): void {
    this.listeners.push(listener);
  }

  private tell(what: 'time' | 'state'): void {
    for (const listener of this.listeners) listener(what);
  }

  seek(time: number): void {
    if (!Number.isFinite(time)) return;
    const next = Math.min(this.end, Math.max(this.start, time));
    if (next === this.time) return;
    this.time = next;
    this.tell('time');
  }

  play(once = false): void {
    if (this.playing || !(this.span > 0)) return;
    this.playing = true;
    this.once = once;
    if (this.time >= this.end) this.seek(this.start);
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
    this.tell('state');
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.tell('state');
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Goes to another frame; `by` counts frames. */
  step(by: number): void {
    this.pause();
    const { steps } = this;
    if (steps.length === 0) return;
    let i = 0;
    // The nearest frame counts as the present one, so that stepping from between two frames never skips one.
    if (by > 0) {
      while (i < steps.length && steps[i] <= this.time) i++;
      i += by - 1;
    } else {
      while (i < steps.length && steps[i] < this.time) i++;
      i += by;
    }
    this.seek(steps[Math.min(steps.length - 1, Math.max(0, i))]);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.tell('state');
  }

  /** The next faster or slower speed. */
  shift(by: 1 | -1): void {
    const fixed = SPEEDS.filter((s) => s > 0);
    const i = fixed.findIndex((s) => s >= this.rate * 0.999);
    const at = i < 0 ? fixed.length : i;
    const faster = by > 0 && fixed[at] > this.rate * 1.001 ? at : at + by;
    this.setSpeed(fixed[Math.min(fixed.length - 1, Math.max(0, faster))]);
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.tell('state');
  }

  private tick(now: number): void {
    if (!this.playing) return;
    // A page that was hidden for a while goes on where it was.
    const elapsed = Math.min(0.25, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    const next = this.time + elapsed * this.rate;
    if (next < this.end) {
      this.seek(next);
    } else if (this.loop && !this.once) {
      this.seek(this.start + ((next - this.start) % this.span));
    } else {
      this.seek(this.end);
      this.pause();
      return;
    }
    requestAnimationFrame((later) => this.tick(later));
  }
}
