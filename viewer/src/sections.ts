// Sections of a report in the order in which it has them.
import { chartSection, heatSection } from './charts.ts';
import type { Section } from './document.ts';
import { element, part } from './dom.ts';
import { parallelSection } from './parallel.ts';
import { tableSection, textSection } from './tables.ts';
import { clip } from './text.ts';

function body(section: Section): HTMLElement {
  switch (section.kind) {
    case 'table': return tableSection(section);
    case 'chart': return chartSection(section);
    case 'heat': return heatSection(section);
    case 'parallel': return parallelSection(section);
    default: return textSection(section);
  }
}

export function sectionPart(section: Section, k: number): HTMLElement {
  const id = `section-${section.id.replace(/[^\w-]/g, '').slice(0, 40) || k}`;
  const root = part(id, clip(section.title, 120), section.note !== '' && element('p', { class: 'note' }, clip(section.note, 2000)), body(section));
  root.classList.add(`kind-${section.kind}`);
  return root;
}
