// Reports for tests: motions that are known exactly, and contents that are hostile, large or missing.
import { Draft, c, frame, grid, place } from './writer.mjs';

const world = frame('world');

/** A pendulum of length one in the plane: its angle is 0.8 cos(3 t), exactly, whatever mechanics says. */
export const pendulumAngle = (t) => 0.8 * Math.cos(3 * t);
export function pendulum() {
  const draft = new Draft('Pendulum with spring and damper');
  const t = grid(241, 0, 6);
  const angle = t.map(pendulumAngle);
  const rate = t.map((s) => -2.4 * Math.sin(3 * s));
  const x = angle.map(Math.sin);
  const y = angle.map((a) => -Math.cos(a));
  const force = t.map((s) => 9.81 * Math.cos(pendulumAngle(s)) + (2.4 * Math.sin(3 * s)) ** 2);
  const residual = t.map((s) => 10 ** (-10 + 3 * Math.sin(2 * s)));
  // Channels: angle, bob x, bob y, force x, force y, residual, velocity x, velocity y.
  draft.motion(t, [angle, x, y, force.map((f, i) => -f * x[i]), force.map((f, i) => -f * y[i]), residual, rate.map((w, i) => -w * y[i]), rate.map((w, i) => w * x[i])]);
  draft.document.scene = {
    planar: true, up: [0, 1, 0], unit: 'm', channels: 8,
    frames: [world, frame('rod', [0, 0, 0], { angle: c(0) }), frame('bob', [c(1), c(2), 0], { angle: c(0) })],
    items: [
      { name: 'ceiling', color: null, kind: 'plane', at: place(0, 0, 0.12, 0), normal: [0, -1, 0] },
      { name: 'path', color: null, kind: 'trace', at: place(2) },
      { name: 'spring', color: null, kind: 'spring', from: place(0, -1.1, -0.55, 0), to: place(1, 0, -0.55, 0), coils: 8, radius: 0 },
      { name: 'damper', color: null, kind: 'damper', from: place(0, 1.1, -0.55, 0), to: place(1, 0, -0.55, 0), radius: 0 },
      { name: 'rod', color: null, kind: 'cylinder', from: place(1, 0, 0, 0), to: place(1, 0, -1, 0), radius: 0.04, rounded: true },
      { name: 'bob', color: null, kind: 'sphere', at: place(2), radius: 0.13 },
      { name: 'pivot', color: null, kind: 'joint', at: place(0), axis: [0, 0, 1], sign: 'pin', residual: c(5) },
      { name: 'pivot.force', color: null, kind: 'arrow', at: place(0), vector: [c(3), c(4), 0], of: 'force' },
      { name: 'bob.velocity', color: null, kind: 'arrow', at: place(2), vector: [c(6), c(7), 0], of: 'velocity' },
      { name: 'mass', color: null, kind: 'label', at: place(2, 0, -0.15, 0), text: 'bob, 1 kg' },
    ],
  };
  draft.track(t, [
    { name: 'bob.x', unit: 'm', group: 'coordinates', values: x }, { name: 'bob.y', unit: 'm', group: 'coordinates', values: y },
    { name: 'rod.angle', unit: 'rad', group: 'coordinates', values: angle }, { name: 'rod.rate', unit: 'rad/s', group: 'velocities', values: rate },
    { name: 'pivot.force', unit: 'N', group: 'reactions', values: force },
  ]);
  draft.track(t, [
    { name: 'kinetic', unit: 'J', group: 'energy', values: rate.map((w) => (w * w) / 2) }, { name: 'potential', unit: 'J', group: 'energy', values: y.map((v) => 9.81 * v) },
    { name: 'position', unit: '', group: 'residuals', values: residual }, { name: 'velocity', unit: '', group: 'residuals', values: residual.map((r) => 20 * r) },
    { name: 'h', unit: 's', group: 'steps', values: t.map((s) => 1e-3 * 10 ** Math.sin(s)) },
  ], { name: 'steps', title: 'Steps' });
  draft.document.events = [{ t: 0.5236, name: 'lowest point', kind: 'passage' }, { t: 2.618, name: 'lowest point', kind: 'passage' }, { t: 4, name: 'motor off', kind: 'switch' }];
  draft.document.verdict = {
    state: 'good', headline: 'The pendulum was followed for 6 s; its angle is accurate to about 2·10⁻⁷ rad.',
    points: [
      { level: 'good', text: 'The constraint is kept: the largest violation is 10⁻⁷ m.' },
      { level: 'doubt', text: 'The energy drifts by 0.02 J; a smaller tolerance would show whether that is real.' },
      { level: 'note', text: '241 rows, 1204 steps, 3 rejected.' },
    ],
  };
  draft.document.sections = [
    { kind: 'table', id: 'statistics', title: 'Statistics', note: '', columns: [{ name: 'quantity', unit: '' }, { name: 'value', unit: '' }], rows: [['steps', 1204], ['rejected', 3], ['largest residual', 1e-7], ['time', null]] },
    { kind: 'table', id: 'parameters', title: 'Parameters', note: '', columns: [{ name: 'name', unit: '' }, { name: 'value', unit: '' }, { name: 'unit', unit: '' }], rows: [['length', 1, 'm'], ['mass', 1, 'kg'], ['stiffness', 12.5, 'N/m'], ['damping', 0.35, 'N s/m']] },
    { kind: 'text', id: 'diagnosis', title: 'Diagnosis', note: 'What the program found in the equations.', text: 'coordinates   2\nconstraints   1 (holonomic, scleronomic)\ndegrees of freedom   1', mono: true },
    { kind: 'text', id: 'cite', title: 'How to cite', note: '', text: 'M. Arnold, O. Brüls: Convergence of the generalized-α scheme for constrained mechanical systems. Multibody System Dynamics 18 (2007), 185–202.', mono: false },
  ];
  return draft;
}

/** A top: precession and spin are uniform, the quaternion is known exactly. */
export const TILT = 0.5;
export function topQuaternion(t) {
  // The axis is tilted by a rotation about y, carried around z at rate 1.5, and the body spins at rate 9 about its own axis.
  const mul = (a, b) => [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
  const about = (k, angle) => { const q = [Math.cos(angle / 2), 0, 0, 0]; q[1 + k] = Math.sin(angle / 2); return q; };
  return mul(mul(about(2, 1.5 * t), about(1, TILT)), about(2, 9 * t));
}
export function top() {
  const draft = new Draft('Heavy top in uniform precession');
  const t = grid(601, 0, 10);
  // Every second quaternion has the other sign: the viewer has to take the shorter way.
  const q = t.map((s, i) => topQuaternion(s).map((v) => (i % 2 ? -v : v)));
  const tip = t.map((s) => [Math.sin(TILT) * Math.cos(1.5 * s), Math.sin(TILT) * Math.sin(1.5 * s), Math.cos(TILT)]);
  draft.motion(t, [0, 1, 2, 3].map((k) => q.map((v) => v[k])).concat([0, 1, 2].map((k) => tip.map((v) => v[k])), [t.map((s) => 1e-12 * (1 + s))], [t.map((s) => 3 * Math.sin(s))]));
  draft.document.scene = {
    planar: false, up: [0, 0, 1], unit: 'm', channels: 9,
    frames: [world, frame('top', [0, 0, 0], { quaternion: [c(0), c(1), c(2), c(3)] })],
    items: [
      { name: 'stem', color: null, kind: 'cylinder', from: place(1, 0, 0, 0), to: place(1, 0, 0, 1), radius: 0.03, rounded: true },
      { name: 'disc', color: '#c46a10', kind: 'cylinder', from: place(1, 0, 0, 0.62), to: place(1, 0, 0, 0.7), radius: 0.42, rounded: false },
      { name: 'mark', color: null, kind: 'box', at: place(1, 0.36, 0, 0.72), edges: [0.1, 0.1, 0.06], turn: 'none' },
      { name: 'tip', color: null, kind: 'point', at: place(0, c(4), c(5), c(6)) },
      { name: 'tip path', color: null, kind: 'trace', at: place(0, c(4), c(5), c(6)) },
      { name: 'rim', color: null, kind: 'circle', at: place(0, 0, 0, 0), radius: 0.5, axis: [0, 0, 1] },
      { name: 'spring', color: null, kind: 'spring', from: place(0, 0.9, 0, 0), to: place(1, 0, 0, 0.9), coils: 9, radius: 0 },
      { name: 'damper', color: null, kind: 'damper', from: place(0, -0.9, 0, 0), to: place(1, 0, 0, 0.9), radius: 0 },
      { name: 'foot', color: null, kind: 'joint', at: place(0), axis: [0, 0, 1], sign: 'ball', residual: c(7) },
      { name: 'floor', color: null, kind: 'plane', at: place(0, 0, 0, -0.03), normal: [0, 0, 1] },
      { name: 'weight', color: null, kind: 'arrow', at: place(1, 0, 0, 0.66), vector: [0, 0, -9.81], of: 'force' },
      { name: 'torque', color: null, kind: 'arrow', at: place(0), vector: [0, 0, c(8)], of: 'torque' },
    ],
  };
  draft.track(t, ['w', 'x', 'y', 'z'].map((name, k) => ({ name: `top.q${name}`, group: 'coordinates', values: q.map((v, i) => (i % 2 ? -v[k] : v[k])) }))
    .concat(['x', 'y', 'z'].map((name, k) => ({ name: `tip.${name}`, unit: 'm', group: 'outputs', values: tip.map((v) => v[k]) }))));
  draft.document.verdict = { state: 'good', headline: 'The top was followed for 10 s.', points: [{ level: 'good', text: 'Quaternions keep their length to 10⁻¹².' }] };
  return draft;
}

/** A ball that loses a quarter of its speed at each impact. */
export function ball() {
  const draft = new Draft('Bouncing ball');
  const [t, y, v] = [[], [], []];
  const events = [];
  let [at, speed] = [0, 6];
  for (let k = 0; k < 9; k++) {
    const flight = (2 * speed) / 9.81;
    for (const s of grid(40, 0, flight)) {
      t.push(at + s);
      y.push(speed * s - 4.905 * s * s);
      v.push(speed - 9.81 * s);
    }
    at += flight;
    events.push({ t: at, name: `impact ${k + 1}`, kind: 'impact' });
    speed *= 0.75;
  }
  draft.motion(t, [y]);
  draft.document.scene = {
    planar: true, up: [0, 1, 0], unit: 'm', channels: 1, frames: [world, frame('ball', [0, c(0), 0])],
    items: [{ name: 'ground', color: null, kind: 'plane', at: place(0, 0, -0.1, 0), normal: [0, 1, 0] }, { name: 'ball', color: null, kind: 'sphere', at: place(1), radius: 0.1 }],
  };
  draft.track(t, [{ name: 'ball.y', unit: 'm', group: 'coordinates', values: y }, { name: 'ball.vy', unit: 'm/s', group: 'velocities', values: v }]);
  draft.document.events = events;
  draft.document.verdict = {
    state: 'partial', headline: 'The run ended at t = 4.29 s: impacts accumulate there.',
    points: [{ level: 'bad', text: 'Nine impacts came ever faster; the end of the sequence lies at t = 4.89 s.' }, { level: 'note', text: 'What was computed until then is shown.' }],
  };
  return draft;
}

export const EVIL = '</script><img src=x onerror=alert(1)><!--';
/** Names that try to be markup, a name of a megabyte, values that are no numbers. */
export function hostile() {
  const draft = new Draft(`${EVIL} ${'long '.repeat(200_000)}`);
  const long = 'n'.repeat(1_000_000);
  const t = [0, 0.5, 1, 1.5, 2, NaN, 3];
  const values = [NaN, 1, Infinity, -Infinity, 2, 3, NaN];
  draft.track(t, [
    { name: EVIL, unit: EVIL, group: 'coordinates', values, label: EVIL }, { name: long, unit: long, group: 'coordinates', values: values.map((v) => -v) },
    { name: 'nothing', group: 'outputs', values: values.map(() => NaN) }, { name: 'same', group: 'outputs', values: values.map(() => 5) },
    { name: 'zero h', group: 'steps', values: values.map(() => 0) }, { name: 'odd', group: EVIL, values },
    { name: '__proto__', group: 'constructor', values: values.map(() => 1) },
  ], { unit: EVIL, run: EVIL });
  draft.motion([0, 1, 2], [[0, NaN, 1], [1e300, 0, 1], [0, 0, 0]]);
  draft.document.scene = {
    planar: false, up: [0, 0, 0], unit: long, channels: 3, frames: [world, frame(EVIL, [c(0), 0, 0], { quaternion: [0, 0, 0, 0] })],
    items: [
      { name: EVIL, color: 'url(https://example.invalid/x)', kind: 'sphere', at: place(0, c(0), 0, 0), radius: 1 }, { name: long, color: 'red;}', kind: 'label', at: place(0), text: EVIL },
      { name: 'label', color: null, kind: 'label', at: place(0, 1, 0, 0), text: long }, { name: 'far', color: null, kind: 'point', at: place(0, c(1), 0, 0) },
      { name: 'none', color: null, kind: 'box', at: place(7), edges: [null, 1, 1], turn: 'none' }, { name: 'new kind', color: null, kind: 'hyperboloid' },
      { name: 'turned', color: null, kind: 'box', at: place(1), edges: [1, 1, 1], turn: { angle: c(99) } },
    ],
  };
  draft.document.events = [{ t: 0.5, name: EVIL, kind: EVIL }, { t: 1, name: long, kind: 'event' }, { t: null, name: 'never', kind: 'event' }];
  draft.document.verdict = { state: EVIL, headline: EVIL, points: [{ level: EVIL, text: EVIL }, { level: 'bad', text: long }] };
  draft.document.sections = [
    { kind: 'table', id: EVIL, title: EVIL, note: EVIL, columns: [{ name: EVIL, unit: EVIL }], rows: [[EVIL], [long], [null], [1e308], ['=1+1', EVIL]] },
    { kind: 'text', id: 'text', title: long, text: EVIL + long, mono: true },
    { kind: 'chart', id: 'chart', title: EVIL, note: '', x: { label: EVIL, unit: '', log: true }, y: { label: long, unit: '', log: true }, series: [{ name: EVIL, x: [0, -1, null, 1e300], y: [1, 2, 3, 1e-300], style: 'line' }, { name: '', x: [], y: [], style: '' }] },
    { kind: 'chart', id: 'huge', title: 'Huge', note: '', x: { label: 'x', unit: '', log: false }, y: { label: 'y', unit: '', log: false }, series: [{ name: 'huge', x: [0, 1, 2], y: [-1e308, 0, 1e308], style: 'line-points' }] },
    { kind: 'heat', id: 'heat', title: EVIL, note: '', x: { label: EVIL, unit: '', values: [1, 2] }, y: { label: 'y', unit: '', values: [1] }, z: { label: EVIL, unit: '', values: [null] } },
    { kind: 'parallel', id: 'parallel', title: EVIL, note: '', axes: [{ label: EVIL, unit: '', values: [1, null, 3] }, { label: 'b', unit: '', values: [] }], color: 9 },
    { kind: EVIL, id: 'other', title: 'Unknown kind', text: 'shown as text' },
  ];
  return draft;
}

/** Ten signals with a hundred thousand rows. */
export function large() {
  const draft = new Draft('A hundred thousand rows');
  const t = grid(100_000, 0, 100);
  draft.track(t, Array.from({ length: 10 }, (_, k) => ({ name: `signal ${k}`, unit: 'V', group: k < 5 ? 'outputs' : 'states', values: t.map((s, i) => Math.sin((k + 1) * s) + 0.05 * Math.sin(i * 12.9898 * (k + 1))) })));
  draft.document.verdict = { state: 'good', headline: 'A long run.', points: [] };
  return draft;
}

/** Three thousand boxes on circles. */
export function crowd() {
  const draft = new Draft('Three thousand bodies');
  const t = grid(60, 0, 3);
  const channels = [];
  const [frames, items] = [[world], []];
  for (let k = 0; k < 3000; k++) {
    const [i, j] = [k % 60, Math.floor(k / 60)];
    channels.push(t.map((s) => 0.4 * Math.sin(2 * s + 0.2 * i + 0.1 * j)));
    frames.push(frame(`body ${k}`, [i, j, c(k)]));
    items.push({ name: `body ${k}`, color: null, kind: k % 3 ? 'box' : 'sphere', at: place(k + 1), radius: 0.35, edges: [0.6, 0.6, 0.6], turn: 'none' });
  }
  draft.motion(t, channels);
  draft.document.scene = { planar: false, up: [0, 0, 1], unit: 'm', channels: 3000, frames, items };
  draft.document.verdict = { state: 'doubt', headline: 'Many bodies.', points: [] };
  return draft;
}

/** Three runs of one model, and a work-precision diagram. */
export function comparison() {
  const draft = new Draft('Comparison of methods');
  const methods = [['generalized alpha', 2, 3], ['Radau IIA', 5, 0.1], ['half-explicit', 3, 1]];
  methods.forEach(([run, order, size], m) => {
    const t = grid(200 + 37 * m, 0, 6);
    draft.track(t, [
      { name: 'x', unit: 'm', group: 'coordinates', values: t.map((s) => Math.cos(s) + 0.02 * size * Math.sin(5 * s)) }, { name: 'y', unit: 'm', group: 'coordinates', values: t.map((s) => Math.sin(s)) },
      { name: 'defect', unit: 'J', group: 'energy', values: t.map((s) => size * 1e-6 * s) },
    ], { run, title: run });
    void order;
  });
  const hs = [0.1, 0.05, 0.025, 0.0125, 0.00625];
  draft.document.verdict = { state: 'doubt', headline: 'Two of three methods have the order they promise.', points: [{ level: 'good', text: 'generalized alpha: order 2.00' }, { level: 'doubt', text: 'half-explicit: order 2.4 instead of 3' }] };
  draft.document.sections = [
    { kind: 'chart', id: 'convergence', title: 'Convergence', note: 'Error at the end over the step size. The slope is the order.', x: { label: 'h', unit: 's', log: true }, y: { label: 'error', unit: '', log: true },
      series: methods.map(([name, order, size]) => ({ name, x: hs, y: hs.map((h) => size * h ** order), style: 'line-points' })).concat([{ name: 'order 2', x: hs, y: hs.map((h) => 0.3 * h * h), style: 'dashed' }]) },
    { kind: 'chart', id: 'work', title: 'Work and precision', note: '', x: { label: 'evaluations', unit: '', log: true }, y: { label: 'error', unit: '', log: true }, series: methods.map(([name, order, size]) => ({ name, x: hs.map((h) => 100 / h), y: hs.map((h) => size * h ** order), style: 'points' })) },
  ];
  return draft;
}

/** A sweep over two parameters. */
export function sweep() {
  const draft = new Draft('Sweep over stiffness and damping');
  const [xs, ys] = [grid(12, 100, 1200), grid(8, 0, 7)];
  const z = ys.flatMap((d, j) => xs.map((k, i) => (i === 3 && j === 5 ? null : Math.exp(-d / 4) * Math.sqrt(k))));
  const runs = ys.flatMap((d) => xs.map((k) => [k, d, Math.exp(-d / 4) * Math.sqrt(k), Math.sqrt(k) / (1 + d)]));
  draft.document.verdict = { state: 'good', headline: '96 runs, 95 of them to the end.', points: [{ level: 'doubt', text: 'One run did not finish: stiffness 400 N/m, damping 5 N s/m.' }] };
  draft.document.sections = [
    { kind: 'heat', id: 'heat', title: 'Largest force', note: 'Over stiffness and damping.', x: { label: 'stiffness', unit: 'N/m', values: xs }, y: { label: 'damping', unit: 'N s/m', values: ys }, z: { label: 'force', unit: 'N', values: z } },
    { kind: 'parallel', id: 'parallel', title: 'All runs', note: '', axes: ['stiffness', 'damping', 'force', 'frequency'].map((label, k) => ({ label, unit: ['N/m', 'N s/m', 'N', 'Hz'][k], values: runs.map((r) => r[k]) })), color: 2 },
    { kind: 'table', id: 'runs', title: 'Runs', note: '', columns: ['stiffness', 'damping', 'force', 'frequency'].map((name) => ({ name, unit: '' })), rows: runs },
  ];
  return draft;
}

/** A run that failed at once: no frames, no rows, one row. */
export function empty() {
  const draft = new Draft('A run that failed at the start');
  draft.document.verdict = { state: 'failed', headline: 'The start values contradict the constraints.', points: [{ level: 'bad', text: 'Nothing was integrated.' }] };
  draft.track([], [{ name: 'x', unit: 'm', group: 'coordinates', values: [] }]);
  draft.track([0], [{ name: 'energy', unit: 'J', group: 'energy', values: [1] }], { name: 'steps' });
  draft.motion([], []);
  draft.document.scene = {
    planar: true, up: [0, 1, 0], unit: '', channels: 1, frames: [world, frame('body', [c(0), 0, 0])],
    items: [{ name: 'body', color: null, kind: 'box', at: place(1), edges: [1, 1, 1], turn: 'none' }, { name: 'wall', color: null, kind: 'line', points: [place(0, 0, 0, 0), place(0, 0, 1, 0)], closed: false }],
  };
  return draft;
}

export const ALL = { pendulum, top, ball, hostile, large, crowd, comparison, sweep, empty };
