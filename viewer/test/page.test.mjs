// The page in a real browser: opens, moves, and plots, animation and keys are linked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open } from './browser.mjs';
import { ALL, TILT, pendulumAngle } from './fixtures.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const close = (actual, expected, tolerance, what) => assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} instead of ${expected}`);
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const setTime = (page, t) => page.evaluate((v) => { window.alembert.time = v; }, t);
const place = (page, name) => page.evaluate((n) => window.alembert.position(n), name);
/** Scrolls through the page, so that everything has been drawn. */
const scrollThrough = (page) => page.evaluate(async () => {
  for (let y = 0; y < document.body.scrollHeight; y += 400) {
    scrollTo(0, y);
    await new Promise((done) => setTimeout(done, 50));
  }
  scrollTo(0, 0);
});

for (const name of Object.keys(ALL)) {
  test(`${name} opens without complaint and without a request`, async () => {
    const view = await open(browser, name, { reduced: false });
    await scrollThrough(view.page);
    await view.page.waitForTimeout(200);
    assert.deepEqual(view.heard, []);
    assert.deepEqual(view.requests, []);
    assert.equal(await view.page.locator('[role=alert]').count(), 0);
    assert.equal(await view.page.locator('img, iframe, object, embed, link').count(), 0);
    await view.close();
  });

  test(`${name} fits a phone`, async () => {
    const view = await open(browser, name, { width: 360, height: 740, touch: true });
    await scrollThrough(view.page);
    const [content, window] = await view.page.evaluate(() => [Math.max(document.documentElement.scrollWidth, document.body.scrollWidth), innerWidth]);
    assert.ok(content <= 360 && window <= 360, `${content} in ${window}`);
    assert.deepEqual(view.heard, []);
    await view.close();
  });
}

test('the pendulum is where its angle says', async () => {
  const { page, close: end } = await open(browser, 'pendulum');
  await setTime(page, 0);
  const pivot = await place(page, 'pivot');
  const start = await place(page, 'bob');
  // The length of the rod in pixels gives the scale; then every other moment is predicted.
  const scale = Math.hypot(start.x - pivot.x, start.y - pivot.y);
  assert.ok(scale > 60, `scale ${scale}`);
  for (const t of [0, 0.7, 1.9, 3.2, 6]) {
    await setTime(page, t);
    const bob = await place(page, 'bob');
    close(bob.x - pivot.x, scale * Math.sin(pendulumAngle(t)), 0.05, `x at ${t}`);
    close(bob.y - pivot.y, scale * Math.cos(pendulumAngle(t)), 0.05, `y at ${t}`);
  }
  // Between two frames, 0.0125 s apart from both, the way is a straight line.
  await setTime(page, 0.5125);
  const mid = await place(page, 'bob');
  const mean = (Math.sin(pendulumAngle(0.5)) + Math.sin(pendulumAngle(0.525))) / 2;
  close(mid.x - pivot.x, scale * mean, 0.02, 'between frames');
  await end();
});

test('the scale bar is as long as it says', async () => {
  const { page, close: end } = await open(browser, 'pendulum');
  await setTime(page, 0);
  const [pivot, bob] = [await place(page, 'pivot'), await place(page, 'bob')];
  const perMetre = Math.hypot(bob.x - pivot.x, bob.y - pivot.y);
  const [text, width] = await page.evaluate(() => [document.querySelector('.scale-bar span').textContent, document.querySelector('.scale-bar i').getBoundingClientRect().width]);
  assert.match(text, /^[\d.]+ m$/);
  close(width, perMetre * parseFloat(text), 0.2, 'bar');
  await end();
});

test('the top turns as its quaternion says, along the shorter way', async () => {
  const { page, close: end } = await open(browser, 'top');
  await page.getByRole('button', { name: 'Top', exact: true }).click();
  const axis = (t) => [Math.sin(TILT) * Math.cos(1.5 * t), Math.sin(TILT) * Math.sin(1.5 * t)];
  await setTime(page, 0);
  const foot = await place(page, 'foot');
  const tip = await place(page, 'tip');
  const scale = (tip.x - foot.x) / Math.sin(TILT);
  assert.ok(scale > 60, `scale ${scale}`);
  // The weight acts at 0.66 of the stem; its point is a place in the turned frame. 0.008 is half way between two frames of opposite sign.
  for (const t of [0, 0.3, 1, 2.5, 0.3 + 0.5 / 60]) {
    await setTime(page, t);
    const [weight, point] = [await place(page, 'weight'), await place(page, 'tip')];
    const [x, y] = axis(t);
    close(point.x - foot.x, scale * x, 0.1, `tip x at ${t}`);
    close(point.y - foot.y, -scale * y, 0.1, `tip y at ${t}`);
    close(weight.x - foot.x, scale * 0.66 * x, 0.4, `weight x at ${t}`);
    close(weight.y - foot.y, -scale * 0.66 * y, 0.4, `weight y at ${t}`);
  }
  // From the front, what is up is up.
  await page.getByRole('button', { name: 'Front', exact: true }).click();
  await setTime(page, 0);
  const [low, high] = [await place(page, 'foot'), await place(page, 'tip')];
  close((low.y - high.y) / (high.x - low.x), 1 / Math.tan(TILT), 0.01, 'tilt seen from the front');
  await end();
});

test('the whole motion is in the picture', async () => {
  for (const name of ['pendulum', 'top', 'ball']) {
    const { page, close: end } = await open(browser, name);
    const inside = await page.evaluate(() => {
      const box = document.querySelector('.stage').getBoundingClientRect();
      const [a, b] = window.alembert.range;
      const out = [];
      for (let k = 0; k <= 40; k++) {
        window.alembert.time = a + ((b - a) * k) / 40;
        for (const item of window.alembert.items) {
          const p = window.alembert.position(item);
          if (p && (p.x < box.left || p.x > box.right || p.y < box.top || p.y > box.bottom)) out.push([item, k]);
        }
      }
      return out;
    });
    assert.deepEqual(inside, []);
    await end();
  }
});

test('plots have data', async () => {
  const { page, close: end } = await open(browser, 'pendulum');
  await scrollThrough(page);
  const plots = await page.evaluate(() => window.alembert.plots);
  assert.deepEqual(plots.map((p) => p.group), ['coordinates', 'velocities', 'reactions', 'energy', 'residuals', 'steps']);
  for (const plot of plots) assert.equal(plot.rows, 241);
  const inked = await page.evaluate(() => [...document.querySelectorAll('.plot canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return seen.has(0x0f62a8);
  }));
  assert.deepEqual(inked, inked.map(() => true), 'every plot has ink of the first series');
  assert.equal(inked.length, 7);
  await end();
});

test('the readings are the values', async () => {
  const { page, close: end } = await open(browser, 'pendulum');
  await setTime(page, 2);
  await settle(page);
  const reading = await page.locator('#plot-coordinates .reading').first().textContent();
  close(parseFloat(reading.replace('−', '-')), Math.sin(pendulumAngle(2)), 1e-4, 'bob.x');
  await end();
});

test('cursor and animation are linked both ways', async () => {
  const { page, close: end } = await open(browser, 'pendulum', { width: 1440, height: 900 });
  const over = page.locator('#plot-coordinates .u-over');
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + box.height / 2);
  close(await page.evaluate(() => window.alembert.time), 1.5, 0.02, 'pointing at a quarter');
  const before = await place(page, 'bob');
  await page.mouse.click(box.x + box.width * 0.5, box.y + box.height / 2);
  close(await page.evaluate(() => window.alembert.time), 3, 0.02, 'click at a half');
  const after = await place(page, 'bob');
  assert.ok(Math.hypot(after.x - before.x, after.y - before.y) > 20, 'the bob moved');
  // The other way: the line of the plots follows the time.
  await page.mouse.move(5, 5);
  for (const t of [0.6, 4.5]) {
    await setTime(page, t);
    const line = await page.locator('#plot-coordinates .now').boundingBox();
    close(line.x + line.width / 2 - box.x, (box.width * t) / 6, 1.5, `line at ${t}`);
  }
  await end();
});

test('dragging zooms all plots, a double click resets them', async () => {
  const { page, close: end } = await open(browser, 'pendulum', { width: 1440, height: 1400 });
  await scrollThrough(page);
  const box = await page.locator('#plot-coordinates .u-over').boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + (box.width * 2) / 3, box.y + 60, { steps: 6 });
  await page.mouse.up();
  const windows = () => page.evaluate(() => window.alembert.plots.map((p) => p.window));
  for (const [low, high] of await windows()) {
    close(low, 2, 0.05, 'from');
    close(high, 4, 0.05, 'to');
  }
  await page.mouse.dblclick(box.x + box.width / 2, box.y + 50);
  await settle(page);
  for (const range of await windows()) assert.deepEqual(range, [0, 6]);
  await end();
});

test('signals are chosen and filtered', async () => {
  const { page, close: end } = await open(browser, 'pendulum');
  const plot = page.locator('#plot-coordinates');
  // A plot begins with signals of one unit; the angle can be added.
  assert.equal(await plot.locator('.plot-legend li').count(), 2);
  await plot.locator('summary').click();
  await plot.getByRole('searchbox').fill('angle');
  assert.equal(await plot.locator('.choices label').count(), 1);
  await plot.locator('.choices input').check();
  assert.equal(await plot.locator('.plot-legend li').count(), 3);
  await plot.locator('.choices input').uncheck();
  assert.equal(await plot.locator('.plot-legend li').count(), 2);
  await end();
});

test('the keyboard plays, steps and jumps', async () => {
  const { page, close: end } = await open(browser, 'pendulum');
  const time = () => page.evaluate(() => window.alembert.time);
  const press = (key) => page.keyboard.press(key);
  await press('ArrowRight');
  close(await time(), 0.025, 1e-9, 'one frame');
  await press('Shift+ArrowRight');
  close(await time(), 0.275, 1e-9, 'ten frames');
  await press('ArrowLeft');
  close(await time(), 0.25, 1e-9, 'back');
  await press('End');
  assert.equal(await time(), 6);
  await press('Home');
  assert.equal(await time(), 0);
  await press(' ');
  assert.equal(await page.evaluate(() => window.alembert.playing), true);
  await page.waitForFunction(() => window.alembert.time > 0.3);
  await press(' ');
  assert.equal(await page.evaluate(() => window.alembert.playing), false);
  const speed = () => page.getByLabel('Speed').inputValue();
  assert.equal(await speed(), '1');
  await press('+');
  assert.equal(await speed(), '2');
  await press('-');
  await press('-');
  assert.equal(await speed(), '0.5');
  await press('r');
  assert.equal(await page.locator('[data-choice=arrows] input').isChecked(), false);
  await press('?');
  assert.equal(await page.locator('dialog.help').evaluate((d) => d.open), true);
  await press('Escape');
  assert.equal(await page.locator('dialog.help').evaluate((d) => d.open), false);
  // f brings back a view that was moved away.
  const home = await place(page, 'pivot');
  const stage = await page.locator('.stage').boundingBox();
  await page.mouse.move(stage.x + 200, stage.y + 150);
  await page.mouse.down();
  await page.mouse.move(stage.x + 260, stage.y + 190, { steps: 4 });
  await page.mouse.up();
  const away = await place(page, 'pivot');
  close(away.x - home.x, 60, 1.5, 'dragged');
  close(away.y - home.y, 40, 1.5, 'dragged');
  await press('f');
  const back = await place(page, 'pivot');
  close(back.x, home.x, 0.01, 'fitted again');
  await end();
});

test('a click on an event shows that moment', async () => {
  const { page, close: end } = await open(browser, 'ball');
  await page.getByRole('button', { name: '2.1406728' }).click();
  close(await page.evaluate(() => window.alembert.time), 2.1406728, 1e-6, 'time');
  await end();
});

test('nothing moves by itself for those who do not want it, and once for others', async () => {
  const calm = await open(browser, 'ball');
  assert.equal(await calm.page.evaluate(() => window.alembert.playing), false);
  await calm.close();
  const lively = await open(browser, 'ball', { reduced: false });
  assert.equal(await lively.page.evaluate(() => window.alembert.playing), true);
  await lively.page.waitForFunction(() => !window.alembert.playing, null, { timeout: 30_000 });
  assert.equal(await lively.page.evaluate(() => window.alembert.time === window.alembert.range[1]), true);
  await lively.close();
});
