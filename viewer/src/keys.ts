// The keyboard, and the dialog that explains it.
import type { Clock } from './clock.ts';
import { element } from './dom.ts';
import type { Stage } from './stage.ts';

const HELP: [string, string][] = [
  ['Space', 'play or pause'], ['← →', 'one frame back or on; with Shift ten'], ['Home End', 'to the start or the end'], ['+ −', 'faster or slower'],
  ['r', 'arrows on or off'], ['f', 'fit the view'], ['?', 'this list'],
];
const MOUSE: [string, string][] = [
  ['In the scene', 'drag to turn (in space) or to move; wheel or two fingers to zoom, after a click into the scene or with Ctrl'],
  ['In a plot', 'point or click to see that moment; drag to zoom; click twice to reset'],
  ['In the list of events', 'click a time to see that moment'],
];

export function helpDialog(): HTMLDialogElement {
  const list = (entries: [string, string][], tag: 'kbd' | 'b') => element('dl', {}, ...entries.flatMap(([key, words]) => [element('dt', {}, element(tag, {}, key)), element('dd', {}, words)]));
  const dialog = element('dialog', { class: 'help', 'aria-label': 'Keys' }, element('h2', { tabindex: -1 }, 'Keys'), list(HELP, 'kbd'), element('h2', {}, 'Pointer'), list(MOUSE, 'b'),
    element('button', { type: 'button', onclick: () => dialog.close() }, 'Close'));
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  return dialog;
}

/** Shows the dialog from its beginning: by itself the browser would go to the button at its end. */
export function showHelp(dialog: HTMLDialogElement): void {
  dialog.showModal();
  dialog.querySelector('h2')?.focus();
}

export function listenToKeys(clock: Clock, stage: Stage | null, dialog: HTMLDialogElement): void {
  const act = (event: KeyboardEvent): boolean => {
    const by = event.shiftKey ? 10 : 1;
    switch (event.key) {
      case ' ': clock.toggle(); return true;
      case 'ArrowLeft': clock.step(-by); return true;
      case 'ArrowRight': clock.step(by); return true;
      case 'Home': clock.pause(); clock.seek(clock.start); return true;
      case 'End': clock.pause(); clock.seek(clock.end); return true;
      case '+': case '=': clock.shift(1); return true;
      case '-': case '−': clock.shift(-1); return true;
      case '?': showHelp(dialog); return true;
      case 'f': stage?.view('fit'); return stage !== null;
      case 'r': {
        const box = document.querySelector<HTMLInputElement>('[data-choice=arrows] input');
        box?.click();
        return box !== null;
      }
      default: return false;
    }
  };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    // What has the focus keeps its own keys: texts all of them, lists and sliders the arrows, buttons the space bar.
    if (target.matches('input[type=search], input[type=text], textarea')) return;
    const own = target.matches('select, input[type=range]:not(.scrub)') || (target.matches('.table-box, pre') && event.key !== ' ');
    if (own && /^(Arrow|Home|End)/.test(event.key)) return;
    if (event.key === ' ' && target.matches('button, summary, input[type=checkbox], select')) return;
    if (act(event)) event.preventDefault();
  });
}
