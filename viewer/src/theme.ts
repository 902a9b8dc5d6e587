// Light and dark. The colours stand in the style sheet; here they are read for what is drawn on canvases.

export interface Palette {
  background: string; surface: string; text: string; muted: string; line: string; grid: string; accent: string;
  /** Colours of series and bodies. */
  series: string[];
}

type Listener = () => void;
const listeners: Listener[] = [];
let palette: Palette | undefined;
let chosen: 'light' | 'dark' | undefined;
let printing = false;

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

export function isDark(): boolean {
  return !printing && (chosen ? chosen === 'dark' : prefersDark.matches);
}

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  palette = undefined;
  for (const listener of listeners) listener();
}

/** The colours in use. */
export function colors(): Palette {
  if (palette) return palette;
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  palette = {
    background: read('background'), surface: read('surface'), text: read('text'), muted: read('muted'), line: read('line'), grid: read('grid'),
    accent: read('accent'), series: [0, 1, 2, 3, 4, 5, 6, 7].map((k) => read(`series-${k}`)),
  };
  return palette;
}

export function onTheme(listener: Listener): void {
  listeners.push(listener);
}

/** The choice lives as long as the page: storage is refused in sandboxed frames and for files. */
export function toggleTheme(): void {
  chosen = isDark() ? 'light' : 'dark';
  apply();
}

/** Paper is light. `before` runs once the colours are those of paper, `after` when the screen is back. */
export function startTheme(before: () => void, after: () => void): void {
  const print = (on: boolean) => {
    if (printing === on) return;
    printing = on;
    apply();
    if (on) before();
    else after();
  };
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));
  matchMedia('print').addEventListener('change', (event) => print(event.matches));
  prefersDark.addEventListener('change', apply);
  apply();
}
