// The verdict in words. Levels have a sign and a word, so that no colour is needed.
import type { Verdict } from './document.ts';
import { element } from './dom.ts';

type Mark = [sign: string, word: string];
const STATES = new Map<string, Mark>([['good', ['✓', 'Good']], ['doubt', ['?', 'Doubtful']], ['failed', ['✕', 'Failed']], ['partial', ['◐', 'Partial']]]);
const LEVELS = new Map<string, Mark>([['good', ['✓', 'good']], ['doubt', ['?', 'doubt']], ['bad', ['✕', 'bad']], ['note', ['·', 'note']]]);
/** A text can be long; the rest of one that never ends is cut off. */
const MOST_TEXT = 1500;

export function verdict(it: Verdict): HTMLElement {
  const [sign, word] = STATES.get(it.state) ?? ['·', it.state.slice(0, 20) || 'No verdict'];
  const root = element('section', { class: `verdict ${STATES.has(it.state) ? it.state : 'unknown'}`, id: 'verdict', 'aria-label': 'Verdict' },
    element('p', { class: 'headline' }, element('span', { class: 'badge' }, element('span', { 'aria-hidden': 'true' }, sign), ` ${word}`), ' ', it.headline.slice(0, MOST_TEXT)));
  if (it.points.length > 0) {
    root.append(element('ul', {}, ...it.points.slice(0, 200).map((point) => {
      const [mark, name] = LEVELS.get(point.level) ?? LEVELS.get('note')!;
      return element('li', { class: LEVELS.has(point.level) ? point.level : 'note' },
        element('span', { class: 'level' }, element('span', { class: 'sign', 'aria-hidden': 'true' }, mark), element('span', { class: 'word' }, name)),
        element('span', {}, point.text.slice(0, MOST_TEXT)));
    })));
  }
  return root;
}
