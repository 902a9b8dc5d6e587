// How series are told apart: by colour, by dashes and by markers, so that each of the three suffices.
import { svg } from './dom.ts';
import { colors } from './theme.ts';

export const MARKERS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'plus', 'down'] as const;
export type Marker = (typeof MARKERS)[number];
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [14, 5], [5, 2, 2, 2, 2, 2], [4, 4]];

export interface Look { color: number; dash: number[]; marker: Marker }

/** The look of series `k`: eight colours, seven dashes and markers, so that 56 series differ. */
export function look(k: number, dashed = k): Look {
  return { color: k % 8, dash: DASHES[dashed % DASHES.length], marker: MARKERS[k % MARKERS.length] };
}

export const lookColor = (it: Look): string => colors().series[it.color];

/** The outline of a marker around the origin with radius `r`; crosses are open. */
export function markerPath(marker: Marker, x: number, y: number, r: number): { d: string; open: boolean } {
  const p = (dx: number, dy: number) => `${(x + dx * r).toFixed(1)} ${(y + dy * r).toFixed(1)}`;
  switch (marker) {
    case 'circle': return { d: `M${p(-1, 0)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`, open: false };
    case 'square': return { d: `M${p(-0.9, -0.9)}L${p(0.9, -0.9)}L${p(0.9, 0.9)}L${p(-0.9, 0.9)}Z`, open: false };
    case 'triangle': return { d: `M${p(0, -1.15)}L${p(1.05, 0.8)}L${p(-1.05, 0.8)}Z`, open: false };
    case 'down': return { d: `M${p(0, 1.15)}L${p(1.05, -0.8)}L${p(-1.05, -0.8)}Z`, open: false };
    case 'diamond': return { d: `M${p(0, -1.25)}L${p(1.25, 0)}L${p(0, 1.25)}L${p(-1.25, 0)}Z`, open: false };
    case 'cross': return { d: `M${p(-1, -1)}L${p(1, 1)}M${p(1, -1)}L${p(-1, 1)}`, open: true };
    default: return { d: `M${p(-1.2, 0)}L${p(1.2, 0)}M${p(0, -1.2)}L${p(0, 1.2)}`, open: true };
  }
}

/** A piece of line with its marker, for legends. */
export function sample(it: Look, line = true, marker = true): SVGElement {
  const root = svg('svg', { viewBox: '0 0 34 12', width: 34, height: 12, class: 'sample', 'aria-hidden': 'true' });
  root.style.setProperty('--color', `var(--series-${it.color})`);
  if (line) root.append(svg('path', { d: 'M0 6H34', class: 'stroke', 'stroke-dasharray': it.dash.join(' ') }));
  if (marker) {
    const { d, open } = markerPath(it.marker, 17, 6, 3.2);
    root.append(svg('path', { d, class: open ? 'stroke' : 'mark' }));
  }
  return root;
}
