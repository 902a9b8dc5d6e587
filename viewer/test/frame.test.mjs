// Where the page lives: in a sandboxed frame, in the dark, under fingers, and as checked-in bytes.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { page as build } from '../build.mjs';
import { launch, open, outFolder } from './browser.mjs';
import { pendulum } from './fixtures.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test('the checked-in page is what the sources give', async () => {
  const [fresh, again] = [await build(), await build()];
  assert.equal(fresh, again, 'building twice gives the same');
  for (const name of ['../dist/page.html', '../../crates/picture/src/page.html']) {
    const stored = await readFile(new URL(name, import.meta.url), 'utf8');
    assert.ok(stored === fresh, `${name} is not current: npm run build`);
  }
  const size = Buffer.byteLength(fresh);
  console.log(`    page.html: ${(size / 1000).toFixed(0)} kB`);
  assert.ok(size < 700_000, `${size} bytes`);
});

test('the lock file names no addresses', async () => {
  assert.doesNotMatch(await readFile(new URL('../package-lock.json', import.meta.url), 'utf8'), /"resolved"|https?:\/\/(?!opencollective|github|paulmillr|tidelift)/);
});

test('the page works in a sandboxed frame', async () => {
  const html = await pendulum().html();
  await mkdir(outFolder, { recursive: true });
  const file = `${outFolder}framed.html`;
  await writeFile(file, `<!doctype html><meta charset="utf-8"><body><iframe id="f" sandbox="allow-scripts" style="width:1000px;height:800px;border:0"></iframe>
<script type="text/plain" id="source">${Buffer.from(html).toString('base64')}</script>
<script>f.srcdoc = new TextDecoder().decode(Uint8Array.from(atob(source.textContent), (c) => c.charCodeAt(0)));window.alembert={ready:Promise.resolve(0)}</script>`);
  const { page, heard, requests, close } = await open(browser, 'framed', { address: `file://${file}` });
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  await frame.waitForFunction(() => window.alembert?.frames === 241);
  await frame.evaluate(() => window.alembert.ready);
  const before = await frame.evaluate(() => window.alembert.position('bob'));
  await frame.evaluate(() => { window.alembert.time = 1; });
  const after = await frame.evaluate(() => window.alembert.position('bob'));
  assert.ok(Math.hypot(before.x - after.x, before.y - after.y) > 20);
  await frame.locator('.page-tools button').first().click();
  assert.equal(await frame.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await frame.locator('nav a').last().click();
  assert.deepEqual(heard, []);
  assert.deepEqual(requests.filter((r) => !r.startsWith('about:')), []);
  await close();
});

/** Contrast as WCAG 2.2 defines it, computed here again and not taken from the viewer. */
function contrast(a, b) {
  const luminance = (color) => {
    const [r, g, b2] = color.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b2;
  };
  const [p, q] = [luminance(a) + 0.05, luminance(b) + 0.05];
  return Math.max(p, q) / Math.min(p, q);
}
const rgb = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);
const hex = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16));

for (const dark of [false, true]) {
  for (const name of ['pendulum', 'sweep', 'comparison', 'empty', 'ball']) {
    test(`${name} is legible in the ${dark ? 'dark' : 'light'}`, async () => {
      const { page, close } = await open(browser, name, { dark });
      const texts = await page.evaluate(() => {
        // The ground of an element is the nearest one behind it that is not transparent.
        const ground = (node) => {
          for (let at = node; at; at = at.parentElement) {
            const color = getComputedStyle(at).backgroundColor;
            if (!/^rgba\(.*, 0\)$/.test(color)) return color;
          }
          return 'rgb(255, 255, 255)';
        };
        return [...document.querySelectorAll('#report *')].filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) && e.checkVisibility() && !e.closest('.chart-field'))
          .map((e) => [e.tagName, e.className.toString(), getComputedStyle(e).color, ground(e), e.textContent.slice(0, 30)]);
      });
      assert.ok(texts.length > 8);
      for (const [tag, kind, ink, ground, text] of texts) {
        const value = contrast(rgb(ink), rgb(ground));
        assert.ok(value >= 4.5, `${tag}.${kind} "${text}": ${value.toFixed(2)} of ${ink} on ${ground}`);
      }
      const vars = await page.evaluate(() => {
        const style = getComputedStyle(document.documentElement);
        return Object.fromEntries(['surface', 'background', 'text', 'muted', 'line', ...[0, 1, 2, 3, 4, 5, 6, 7].map((k) => `series-${k}`), 'arrow-force', 'arrow-torque', 'arrow-velocity'].map((n) => [n, style.getPropertyValue(`--${n}`).trim()]));
      });
      for (const [key, value] of Object.entries(vars)) {
        if (key === 'surface' || key === 'background') continue;
        const least = key === 'text' || key === 'muted' ? 4.5 : 3;
        for (const ground of ['surface', 'background']) assert.ok(contrast(hex(value), hex(vars[ground])) >= least, `${key} on ${ground}: ${contrast(hex(value), hex(vars[ground])).toFixed(2)}`);
      }
      // Words in charts, except those in cells, whose ground is the cell.
      const words = await page.locator('.chart-field svg text').evaluateAll((all) => all.map((e) => e.getAttribute('fill')));
      for (const fill of words.filter((f) => f !== '#fff' && f !== '#000')) assert.ok(contrast(hex(fill), hex(vars.surface)) >= 4.5, `${fill} in a chart`);
      await close();
    });
  }
}

test('colours of models are made visible', async () => {
  const draft = pendulum();
  for (const item of draft.document.scene.items) item.color = 'white';
  await writeFile(`${outFolder}white.html`, await draft.html());
  const { page, close } = await open(browser, 'white', { address: `file://${outFolder}white.html` });
  const dark = await page.evaluate(async () => {
    const image = new Image();
    image.src = window.alembert.image();
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] < 480) count++;
    return count;
  });
  assert.ok(dark > 800, `${dark} dark pixels`);
  await close();
});

test('fingers move the scene and the time', async () => {
  const { page, context, close } = await open(browser, 'pendulum', { width: 360, height: 740, touch: true });
  const client = await context.newCDPSession(page);
  const swipe = async (from, to) => {
    await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [from] });
    for (let k = 1; k <= 5; k++) await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: from.x + ((to.x - from.x) * k) / 5, y: from.y + ((to.y - from.y) * k) / 5 }] });
    await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  };
  await page.locator('.stage').scrollIntoViewIfNeeded();
  const stage = await page.locator('.stage').boundingBox();
  const home = await page.evaluate(() => window.alembert.position('pivot'));
  await swipe({ x: stage.x + 100, y: stage.y + 150 }, { x: stage.x + 150, y: stage.y + 180 });
  const away = await page.evaluate(() => window.alembert.position('pivot'));
  assert.ok(away.x - home.x > 25, `moved by ${away.x - home.x}`);
  await page.locator('#plot-coordinates').scrollIntoViewIfNeeded();
  await page.locator('#plot-coordinates .u-over').scrollIntoViewIfNeeded();
  const plot = await page.locator('#plot-coordinates .u-over').boundingBox();
  await page.touchscreen.tap(plot.x + plot.width / 2, plot.y + plot.height / 2);
  const t = await page.evaluate(() => window.alembert.time);
  assert.ok(Math.abs(t - 3) < 0.1, `time ${t}`);
  // Two fingers move apart from the middle, to twice their distance: the middle half of the time fills the plot.
  const y = plot.y + plot.height / 2;
  const at = (share) => ({ x: plot.x + plot.width * share, y });
  const both = (a, b) => [{ ...at(a), id: 0 }, { ...at(b), id: 1 }];
  await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: both(0.375, 0.625) });
  for (const s of [0.05, 0.1, 0.125]) await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: both(0.375 - s, 0.625 + s) });
  await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  const [low, high] = await page.evaluate(() => window.alembert.plots[0].window);
  assert.ok(Math.abs(low - 1.5) < 0.1 && Math.abs(high - 4.5) < 0.1, `from ${low} to ${high}`);
  await close();
});
