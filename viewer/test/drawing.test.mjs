// What is drawn: a golden picture, arrows, residuals, snapshots, the way without WebGL, paper, and files that are saved.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { launch, open } from './browser.mjs';
import { decode } from './png.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const close = (actual, expected, tolerance, what) => assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} instead of ${expected}`);
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const setTime = (page, t) => page.evaluate((v) => { window.alembert.time = v; }, t);
async function picture(page) {
  const address = await page.evaluate(() => window.alembert.image());
  return decode(Buffer.from(address.split(',')[1], 'base64'));
}

/** The share of pixels that differ by more than an eighth of the range. */
function difference(a, b) {
  assert.deepEqual([a.width, a.height], [b.width, b.height]);
  let count = 0;
  for (let i = 0; i < a.width * a.height; i++) if ([0, 1, 2].some((k) => Math.abs(a.data[4 * i + k] - b.data[4 * i + k]) > 32)) count++;
  return count / (a.width * a.height);
}

/** The box around the pixels that a test of colours accepts, and how many there are. */
function find(image, accepts) {
  const box = { left: Infinity, right: -1, top: Infinity, bottom: -1, count: 0 };
  for (let y = 0; y < image.height; y++) {
    for (let x = 0; x < image.width; x++) {
      const i = 4 * (y * image.width + x);
      if (!accepts(image.data[i], image.data[i + 1], image.data[i + 2])) continue;
      Object.assign(box, { left: Math.min(box.left, x), right: Math.max(box.right, x), top: Math.min(box.top, y), bottom: Math.max(box.bottom, y), count: box.count + 1 });
    }
  }
  return box;
}
const near = (r, g, b) => (x, y, z) => Math.abs(x - r) + Math.abs(y - g) + Math.abs(z - b) < 24;
const FORCE = near(0xb3, 0x26, 0x1e);

for (const [name, t] of [['pendulum', 0.4], ['top', 2.2]]) {
  test(`the picture of the ${name} is the golden one`, async () => {
    const { page, close: end } = await open(browser, name, { width: 900, height: 700 });
    await setTime(page, t);
    const address = await page.evaluate(() => window.alembert.image());
    const bytes = Buffer.from(address.split(',')[1], 'base64');
    const golden = new URL(`./golden/${name}.png`, import.meta.url);
    if (process.env.UPDATE_GOLDEN || !existsSync(golden)) {
      assert.ok(process.env.UPDATE_GOLDEN, `there is no golden picture of ${name}; UPDATE_GOLDEN=1 makes one`);
      await writeFile(golden, bytes);
    }
    const share = difference(decode(bytes), decode(await readFile(golden)));
    assert.ok(share < 0.004, `${(100 * share).toFixed(2)} % of the pixels differ`);
    // Another moment must not pass for it.
    await setTime(page, t + 0.3);
    assert.ok(difference(await picture(page), decode(await readFile(golden))) > 0.008, 'the moment matters');
    await end();
  });
}

test('arrows are as long as their channels and the slider say', async () => {
  const { page, close: end } = await open(browser, 'pendulum', { width: 900, height: 900 });
  await page.locator('[data-choice=traces] input').uncheck();
  await page.locator('[data-choice=grid] input').uncheck();
  // The force is largest at the lowest point, where it points straight up; its length is taken from the picture.
  const force = (t) => 9.81 * Math.cos(0.8 * Math.cos(3 * t)) + (2.4 * Math.sin(3 * t)) ** 2;
  const lengthAt = async (t) => {
    await setTime(page, t);
    const box = find(await picture(page), FORCE);
    assert.ok(box.count > 40, 'the arrow is seen');
    return Math.hypot(box.bottom - box.top, box.right - box.left);
  };
  const lowest = Math.PI / 6;
  const slider = page.getByLabel('Length of arrows').last();
  const set = (v) => slider.evaluate((node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }, v);
  // At full length the arrow leaves the picture, which is fitted to bodies; so it is measured at smaller scales.
  await set(-0.5);
  const full = await lengthAt(lowest);
  const high = await lengthAt(0.02);
  close(high / full, force(0.02) / force(lowest), 0.06, 'ratio of lengths');
  // The largest arrow is a fifth of the scene, which is 2.2 m wide from spring to damper.
  const scale = await page.evaluate(() => { window.alembert.time = 0; const [a, b] = ['pivot', 'bob'].map((n) => window.alembert.position(n)); return Math.hypot(a.x - b.x, a.y - b.y); });
  close(full / scale, 0.2 * 2.2 * 10 ** -0.5, 0.015, 'length of the largest');
  await set(-0.8);
  const half = await lengthAt(lowest);
  close(half / full, 10 ** -0.3, 0.06, 'slider');
  await page.locator('[data-choice=arrows] input').uncheck();
  await setTime(page, lowest);
  assert.equal(find(await picture(page), FORCE).count, 0, 'no arrow');
  await end();
});

test('values of arrows are shown when asked for', async () => {
  const { page, close: end } = await open(browser, 'pendulum');
  await setTime(page, Math.PI / 6);
  assert.equal(await page.locator('.tag.value:visible').count(), 0);
  await page.locator('[data-choice=values] input').check();
  await settle(page);
  const texts = await page.locator('.tag.value:visible').allTextContents();
  close(parseFloat(texts[0]), 9.81 + 2.4 ** 2, 0.01, 'force');
  close(parseFloat(texts[1]), 2.4, 0.001, 'velocity');
  await end();
});

test('joints are coloured by residuals on a logarithmic scale, with a legend', async () => {
  const { page, close: end } = await open(browser, 'pendulum');
  await page.locator('[data-choice=residuals] input').check();
  await page.locator('[data-choice=arrows] input').uncheck();
  await settle(page);
  assert.match(await page.locator('.residual-key').textContent(), /residual.*10⁻¹³.*10⁻⁷/);
  const colorAt = async (t) => {
    await setTime(page, t);
    const image = await picture(page);
    const stage = await page.locator('.stage').boundingBox();
    const pivot = await page.evaluate(() => window.alembert.position('pivot'));
    const i = 4 * (Math.round(pivot.y - stage.y) * image.width + Math.round(pivot.x - stage.x));
    return [...image.data.subarray(i, i + 3)];
  };
  const [most, least] = [await colorAt(Math.PI / 4), await colorAt((3 * Math.PI) / 4)];
  assert.ok(most[0] > 220 && most[1] > 200, `largest is yellow: ${most}`);
  assert.ok(least[0] < 70 && least[2] > 70, `smallest is dark blue: ${least}`);
  await end();
});

test('the path so far is strong, the rest of it weak', async () => {
  const { page, close: end } = await open(browser, 'pendulum');
  await page.locator('[data-choice=grid] input').uncheck();
  const stage = await page.locator('.stage').boundingBox();
  const [pivot, bob] = await page.evaluate(() => ['pivot', 'bob'].map((name) => window.alembert.position(name)));
  const scale = Math.hypot(bob.x - pivot.x, bob.y - pivot.y);
  // The least green near the place on the path at an angle of -0.6, which the bob passes first at 0.81 s.
  const darkest = async (t) => {
    await setTime(page, t);
    const image = await picture(page);
    const [x, y] = [pivot.x - stage.x - scale * Math.sin(0.6), pivot.y - stage.y + scale * Math.cos(0.6)].map(Math.round);
    let least = 255;
    for (let i = -3; i <= 3; i++) for (let j = -3; j <= 3; j++) least = Math.min(least, image.data[4 * ((y + j) * image.width + x + i) + 1]);
    return least;
  };
  const [before, after] = [await darkest(0.2), await darkest(1.9)];
  assert.ok(before < 245, `the rest is drawn: ${before}`);
  assert.ok(before > after + 40, `weak ${before}, strong ${after}`);
  await end();
});

test('snapshots and names are drawn over the motion', async () => {
  const { page, close: end } = await open(browser, 'pendulum');
  const plain = await picture(page);
  await page.getByLabel('Number of snapshots').evaluate((node) => { node.value = 5; node.dispatchEvent(new Event('input')); });
  await settle(page);
  assert.ok(difference(plain, await picture(page)) > 0.002, 'ghosts are seen');
  assert.equal(await page.locator('.tag.name:visible').count(), 0);
  await page.locator('[data-choice=names] input').check();
  await settle(page);
  assert.deepEqual((await page.locator('.tag.name:visible').allTextContents()).sort(), ['bob', 'pivot', 'rod']);
  await page.locator('[data-choice=labels] input').uncheck();
  await settle(page);
  assert.equal(await page.locator('.tag.label:visible').count(), 0);
  await end();
});

test('without WebGL the scene is drawn on a canvas', async () => {
  const plain = await launch('--disable-gpu', '--disable-3d-apis');
  try {
    const { page, heard, close: end } = await open(plain, 'pendulum', { width: 900, height: 700 });
    assert.equal(await page.evaluate(() => window.alembert.webgl), false);
    await setTime(page, 0.4);
    const golden = decode(await readFile(new URL('./golden/pendulum.png', import.meta.url)));
    const share = difference(await picture(page), golden);
    assert.ok(share < 0.03, `nearly the same picture: ${(100 * share).toFixed(2)} % differ`);
    assert.match(await page.locator('#motion').textContent(), /no WebGL/);
    assert.deepEqual(heard, []);
    await end();
    const space = await open(plain, 'top');
    assert.ok(find(await picture(space.page), (r, g, b) => r + g + b < 500).count > 500, 'lines of the top');
    assert.deepEqual(space.heard, []);
    await space.close();
  } finally {
    await plain.close();
  }
});

test('plots are saved as SVG, PNG and CSV', async () => {
  const { page, close: end } = await open(browser, 'pendulum');
  const save = async (label) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#plot-coordinates').getByRole('button', { name: label }).click()]);
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  };
  const table = await save('as CSV');
  assert.equal(table.name, 'Coordinates.csv');
  const lines = table.bytes.toString().trim().split('\n');
  assert.equal(lines[0], 't [s],bob.x [m],bob.y [m]');
  assert.equal(lines.length, 242);
  close(Number(lines[41].split(',')[1]), Math.sin(0.8 * Math.cos(3)), 1e-6, 'x at t = 1');
  const drawing = (await save('as SVG')).bytes.toString();
  const paths = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    return { bad: parsed.querySelectorAll('parsererror').length, long: [...parsed.querySelectorAll('path')].filter((p) => p.getAttribute('d').length > 800).length, words: parsed.documentElement.textContent };
  }, drawing);
  assert.equal(paths.bad, 0);
  assert.equal(paths.long, 2);
  for (const word of ['bob.x [m]', 'bob.y [m]', 't [s]', 'motor off']) assert.ok(paths.words.includes(word), word);
  const image = decode((await save('as PNG')).bytes);
  assert.deepEqual([image.width, image.height], [1800, 1040]);
  assert.ok(find(image, near(0x0f, 0x62, 0xa8)).count > 1000, 'the first series is drawn');
  await end();
});

test('on paper there are picture, plots and tables, and no controls', async () => {
  const { page, heard, close: end } = await open(browser, 'pendulum', { dark: true, width: 900, height: 700 });
  await page.emulateMedia({ media: 'print' });
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
  const state = await page.evaluate(() => {
    const seen = (query) => [...document.querySelectorAll(query)].filter((e) => e.checkVisibility({ opacityProperty: true })).length;
    return {
      image: document.querySelector('.stage-print').getContext('2d').getImageData(0, 0, 800, 300).data.filter((v, i) => i % 4 < 3 && v < 128).length, picture: seen('.stage-print'), plots: seen('.plot canvas'), tables: seen('table'),
      controls: seen('button, select, input, summary'), theme: document.documentElement.dataset.theme,
      inked: [...document.querySelectorAll('.plot canvas')].filter((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.some((v, i) => i % 4 === 0 && v === 0x0f && data[i + 1] === 0x62 && data[i + 2] === 0xa8);
      }).length,
    };
  });
  assert.ok(state.image > 2000, 'the scene is a picture, with ink');
  assert.deepEqual([state.picture, state.plots, state.inked, state.theme], [1, 7, 7, 'light']);
  assert.ok(state.tables === 3);
  assert.equal(state.controls, 3, 'only the times of the events, which are buttons that look like text');
  const pdf = await page.pdf({ format: 'A4' });
  assert.ok(pdf.length > 30_000);
  assert.deepEqual(heard, []);
  await page.emulateMedia({ media: 'screen' });
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  await end();
});

test('the line under the pointer stands out in parallel coordinates', async () => {
  const { page, close: end } = await open(browser, 'sweep', { width: 1440, height: 1000 });
  const chart = page.locator('#section-parallel svg').last();
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + box.width - 70, box.y + 46);
  await page.waitForTimeout(50);
  assert.match(await page.locator('.parallel-reading').textContent(), /stiffness \d+, damping \d+, force/);
  assert.ok((await page.locator('.highlight').getAttribute('d')).length > 20);
  assert.equal(await page.locator('#section-heat rect').count(), 96 + 40, 'cells and the steps of the legend');
  await end();
});

test('slopes are said on logarithmic axes, and runs are told apart', async () => {
  const { page, close: end } = await open(browser, 'comparison');
  const names = await page.locator('#section-convergence .plot-legend .name').allTextContents();
  assert.deepEqual(names, ['generalized alpha, slope 2', 'Radau IIA, slope 5', 'half-explicit, slope 3', 'order 2, slope 2']);
  assert.equal(await page.locator('#plot-coordinates .plot-legend li').count(), 6);
  await page.locator('.runs input').first().uncheck();
  assert.equal(await page.locator('#plot-coordinates .plot-legend li').count(), 4);
  // Dashes and markers differ too, not only colours.
  const looks = await page.locator('#plot-coordinates .sample').evaluateAll((all) => all.map((s) => s.innerHTML));
  assert.equal(new Set(looks).size, looks.length);
  await end();
});
