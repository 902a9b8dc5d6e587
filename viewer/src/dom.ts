// Elements made by hand. Texts only ever enter the page as text nodes, never as markup.

type Attributes = Record<string, string | number | boolean | ((event: any) => void) | undefined>;
type Child = Node | string | null | undefined | false;

/** Makes an element; keys that begin with `on` are listeners, `false` and `undefined` leave an attribute out. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== undefined) node.setAttribute(key, String(value));
  }
  append(node, ...children);
  return node;
}

export function append(node: Element, ...children: Child[]): void {
  for (const child of children) if (child !== null && child !== undefined && child !== false) node.append(child);
}

export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Child[]): SVGElement {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  append(node, ...children);
  return node;
}

/** An icon of strokes on a field of 16 by 16. */
export function icon(path: string, filled = false): SVGElement {
  return svg('svg', { viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': 'true', class: filled ? 'icon filled' : 'icon' }, svg('path', { d: path }));
}

/** A check box with its words. */
export function checkbox(words: string, checked: boolean, change: (on: boolean) => void, title?: string): HTMLLabelElement {
  const input = element('input', { type: 'checkbox', onchange: () => change(input.checked) });
  input.checked = checked;
  return element('label', { class: 'check', title }, input, element('span', {}, words));
}

/** A section of the page with a heading, which the list of contents can point at. */
export function part(id: string, title: string, ...children: Child[]): HTMLElement {
  const heading = element('h2', { id: `${id}-title` }, title);
  return element('section', { id, class: 'part', 'aria-labelledby': `${id}-title` }, heading, ...children);
}
