// The controls of the animation: play, step, scrub, speed and loop; views; what is drawn.
import { Clock, SPEEDS } from './clock.ts';
import { checkbox, element, icon } from './dom.ts';
import type { Stage, View } from './stage.ts';
import { number, steady } from './text.ts';

const PLAY = 'M4 2.5 L13 8 L4 13.5 Z';
const PAUSE = 'M3.5 2.5 H6.5 V13.5 H3.5 Z M9.5 2.5 H12.5 V13.5 H9.5 Z';
const BACK = 'M11 3 L6 8 L11 13 M4 3 V13';
const ON = 'M5 3 L10 8 L5 13 M12 3 V13';
/** Steps of the slider; more than a wide screen has pixels. */
const FINE = 4000;

/** Play, step, scrub, speed and loop. */
export function transport(clock: Clock, unit: string): HTMLElement {
  const play = element('button', { type: 'button', class: 'play', 'aria-label': 'Play', onclick: () => clock.toggle() });
  const slider = element('input', { type: 'range', class: 'scrub', min: 0, max: FINE, step: 1, value: 0, 'aria-label': 'Time' });
  const time = element('output', { class: 'time', 'aria-live': 'off' });
  const speed = element('select', { 'aria-label': 'Speed', onchange: () => clock.setSpeed(Number(speed.value)) },
    ...SPEEDS.map((s) => element('option', { value: s }, s === 0 ? 'fit 8 s' : `${number(s)}×`)));
  const loop = checkbox('loop', clock.loop, (on) => clock.setLoop(on), 'Begin again at the end');
  slider.addEventListener('input', () => {
    clock.pause();
    clock.seek(clock.start + (clock.span * Number(slider.value)) / FINE);
  });
  const showTime = () => {
    const text = steady(clock.time, clock.span);
    time.textContent = `t = ${text}${unit ? ` ${unit}` : ''}`;
    slider.value = String(clock.span > 0 ? Math.round((FINE * (clock.time - clock.start)) / clock.span) : 0);
    slider.setAttribute('aria-valuetext', time.textContent);
    slider.style.setProperty('--share', String(Number(slider.value) / FINE));
  };
  const showState = () => {
    play.replaceChildren(icon(clock.playing ? PAUSE : PLAY, true));
    play.setAttribute('aria-label', clock.playing ? 'Pause' : 'Play');
    speed.value = String(clock.speed);
    loop.querySelector('input')!.checked = clock.loop;
  };
  clock.onChange((what) => (what === 'time' ? showTime() : showState()));
  showTime();
  showState();
  const step = (by: number, path: string, label: string) => element('button', { type: 'button', 'aria-label': label, title: label, onclick: () => clock.step(by) }, icon(path));
  return element('div', { class: 'transport', role: 'group', 'aria-label': 'Animation' },
    element('div', { class: 'row' }, step(-1, BACK, 'One frame back'), play, step(1, ON, 'One frame on'), slider),
    element('div', { class: 'row' }, time, element('span', { class: 'gap' }), element('label', { class: 'pick' }, 'speed', speed), loop));
}

/** From where it is looked at. */
function views(stage: Stage): HTMLElement {
  const button = (view: View, words: string, title: string) => element('button', { type: 'button', class: 'plain', title, onclick: () => stage.view(view) }, words);
  const root = element('span', { class: 'views', role: 'group', 'aria-label': 'View' }, button('fit', 'Fit', 'Show the whole motion (f)'));
  if (!stage.scene.planar) root.append(button('top', 'Top', 'From above'), button('front', 'Front', 'From the front'), button('side', 'Side', 'From the right'));
  return root;
}

/** What is drawn. Only what the scene has can be chosen. */
export function drawingChoices(stage: Stage, moves: boolean): HTMLElement {
  const { choices, scene, drawing } = stage;
  const has = (kind: string) => scene.items.some((item) => item.kind === kind);
  const toggle = (words: string, key: 'arrows' | 'values' | 'residuals' | 'labels' | 'names' | 'grid' | 'traces', title: string) => {
    const box = checkbox(words, choices[key], (on) => {
      choices[key] = on;
      stage.redraw();
    }, title);
    box.dataset.choice = key;
    return box;
  };
  const root = element('div', { class: 'drawing-choices' }, views(stage));
  if (has('arrow')) {
    const scale = element('input', { type: 'range', min: -1, max: 1, step: 0.05, value: 0, 'aria-label': 'Length of arrows', class: 'arrow-scale' });
    scale.addEventListener('input', () => {
      choices.arrowScale = 10 ** Number(scale.value);
      stage.redraw();
    });
    root.append(toggle('arrows', 'arrows', 'Arrows of forces, torques and velocities (r)'), element('label', { class: 'pick', title: 'Length of arrows' }, 'length', scale), toggle('values', 'values', 'The sizes of arrows in numbers'));
  }
  if (drawing.extent.residual) root.append(toggle('residuals', 'residuals', 'Joints coloured by how far their constraints are violated'));
  if (has('trace')) root.append(toggle('traces', 'traces', 'Paths of points'));
  if (has('label')) root.append(toggle('labels', 'labels', 'Words in the scene'));
  if (scene.frames.length > 1 || has('joint')) root.append(toggle('names', 'names', 'Names of bodies and joints'));
  root.append(toggle('grid', 'grid', 'Lines at round numbers'));
  if (moves) {
    const ghosts = element('input', { type: 'range', min: 0, max: 12, step: 1, value: 0, 'aria-label': 'Number of snapshots', class: 'ghosts' });
    ghosts.addEventListener('input', () => {
      choices.ghosts = Number(ghosts.value);
      stage.redraw();
    });
    root.append(element('label', { class: 'pick', title: 'Positions at equal distances of time' }, 'snapshots', ghosts));
  }
  return root;
}
