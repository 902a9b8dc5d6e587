// Marks within plots over time: events as vertical lines with names, and markers on series.
import uPlot from 'uplot';
import type { Occurrence } from './document.ts';
import { lookColor, markerPath } from './series.ts';
import type { Look } from './series.ts';
import { FONT } from './surface.ts';
import { clip } from './text.ts';
import { colors } from './theme.ts';

/** More lines would hide the plot; then only ticks at the bottom are drawn. */
const MOST_LINES = 60;

export function markEvents(u: uPlot, events: Occurrence[]): void {
  const { ctx, bbox } = u;
  const { min, max } = u.scales.x;
  const inside = events.filter((event) => event.t >= min! && event.t <= max!);
  if (inside.length === 0) return;
  const r = uPlot.pxRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colors().muted;
  ctx.lineWidth = r;
  ctx.font = `${10.5 * r}px ${FONT}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  ctx.setLineDash(inside.length > MOST_LINES ? [] : [4 * r, 3 * r]);
  let free = -Infinity;
  for (const event of inside) {
    const x = Math.round(u.valToPos(event.t, 'x', true));
    ctx.beginPath();
    ctx.moveTo(x, inside.length > MOST_LINES ? bbox.top + bbox.height - 8 * r : bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (inside.length > MOST_LINES) continue;
    const text = clip(event.name, 14);
    const width = ctx.measureText(text).width;
    // A name that would run into another one, or out of the plot, is left to the table of events.
    if (x + 4 * r < free || x + width + 4 * r > bbox.left + bbox.width) continue;
    ctx.fillText(text, x + 4 * r, bbox.top + 3 * r);
    free = x + width + 10 * r;
  }
  ctx.restore();
}

/** Some markers on a series, each series at other times. */
export function markSeries(u: uPlot, k: number, look: Look, count: number): void {
  const t = u.data[0];
  const y = u.data[k];
  const { min, max } = u.scales.x;
  if (min == null || max == null || t.length < 3) return;
  const { ctx } = u;
  const r = uPlot.pxRatio;
  const n = Math.max(3, Math.round(u.bbox.width / r / 130));
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  ctx.clip();
  ctx.fillStyle = ctx.strokeStyle = lookColor(look);
  ctx.lineWidth = 1.5 * r;
  ctx.setLineDash([]);
  for (let m = 0; m < n; m++) {
    const i = u.valToIdx(min + ((max - min) * (m + k / (count + 1))) / n);
    const value = y[i];
    if (value === null || value === undefined) continue;
    const { d, open } = markerPath(look.marker, u.valToPos(t[i], 'x', true), u.valToPos(value, 'y', true), 3.3 * r);
    const path = new Path2D(d);
    if (open) ctx.stroke(path);
    else ctx.fill(path);
  }
  ctx.restore();
}
