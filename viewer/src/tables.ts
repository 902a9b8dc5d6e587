// Tables: events, and those of sections.
import type { Cell, Occurrence, TableSection, TextSection } from './document.ts';
import type { Clock } from './clock.ts';
import { element } from './dom.ts';
import { csv, exportButtons } from './export.ts';
import { clip, number, withUnit } from './text.ts';

/** More rows are shown when they are asked for. */
const ROWS_AT_FIRST = 300;
const MOST_CELL = 400;

function cell(value: Cell | undefined): HTMLTableCellElement {
  if (typeof value === 'number') return element('td', { class: 'number', title: String(value) }, number(value, 6));
  if (value === null || value === undefined) return element('td', { class: 'number muted' }, '–');
  return element('td', {}, clip(String(value), MOST_CELL));
}

/** A table in a box that scrolls by itself. */
function scrolling(label: string, head: string[], numeric: boolean[], rows: HTMLTableRowElement[]): HTMLElement {
  const body = element('tbody', {}, ...rows.slice(0, ROWS_AT_FIRST));
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...head.map((words, k) => element('th', { scope: 'col', class: numeric[k] ? 'number' : undefined }, clip(words, 60))))), body);
  const box = element('div', { class: 'table-box', tabindex: 0, role: 'region', 'aria-label': clip(label, 80) }, table);
  if (rows.length <= ROWS_AT_FIRST) return box;
  const more = element('button', { type: 'button', class: 'plain' }, `Show all ${rows.length} rows`);
  more.addEventListener('click', () => {
    body.append(...rows.slice(ROWS_AT_FIRST));
    more.remove();
  });
  return element('div', {}, box, more);
}

export function tableSection(section: TableSection): HTMLElement {
  const count = Math.max(section.columns.length, ...section.rows.slice(0, 1000).map((row) => row.length), 0);
  const head = Array.from({ length: count }, (_, k) => withUnit(section.columns[k]?.name ?? '', section.columns[k]?.unit ?? ''));
  const numeric = head.map((_, k) => section.rows.some((row) => typeof row[k] === 'number') && section.rows.every((row) => typeof row[k] !== 'string'));
  const rows = section.rows.map((row) => element('tr', {}, ...head.map((_, k) => cell(row[k]))));
  return element('div', {},
    element('div', { class: 'tools' }, exportButtons(null, () => csv(head, section.rows), section.title)),
    scrolling(section.title, head, numeric, rows),
    rows.length === 0 && element('p', { class: 'note' }, 'There are no rows.'));
}

export function textSection(section: TextSection): HTMLElement {
  return element(section.mono ? 'pre' : 'div', { class: section.mono ? 'text mono' : 'text', tabindex: section.mono ? 0 : undefined }, section.text.slice(0, 200_000));
}

/** The events; one that is clicked is shown in the animation. */
export function eventTable(events: Occurrence[], clock: Clock, unit: string): HTMLElement {
  const rows = events.map((event) => {
    const go = () => {
      clock.pause();
      clock.seek(event.t);
    };
    const button = element('button', { type: 'button', class: 'jump', title: 'Show this moment', onclick: go }, number(event.t, 8));
    return element('tr', {}, element('td', { class: 'number' }, button), element('td', {}, clip(event.name, 120)), element('td', { class: 'muted' }, clip(event.kind, 40)));
  });
  return element('div', {},
    element('div', { class: 'tools' }, exportButtons(null, () => csv([withUnit('t', unit), 'event', 'kind'], events.map((e) => [e.t, e.name, e.kind])), 'events')),
    scrolling('Events', [withUnit('t', unit), 'event', 'kind'], [true, false, false], rows));
}
