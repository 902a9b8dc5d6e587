// Reports that are hostile, damaged, empty or large.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { launch, open, outFolder } from './browser.mjs';
import { ALL } from './fixtures.mjs';
import { Draft, grid } from './writer.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const place = (page, name) => page.evaluate((n) => window.alembert.position(n), name);
/** Scrolls through the page, so that everything has been drawn. */
const scrollThrough = (page) => page.evaluate(async () => {
  for (let y = 0; y < document.body.scrollHeight; y += 400) {
    scrollTo(0, y);
    await new Promise((done) => setTimeout(done, 50));
  }
  scrollTo(0, 0);
});

test('hostile names are words, no more', async () => {
  const { page, heard, requests, close: end } = await open(browser, 'hostile');
  await scrollThrough(page);
  await page.locator('#plot-coordinates summary').click();
  assert.deepEqual(heard, []);
  assert.deepEqual(requests, []);
  assert.equal(await page.locator('img').count(), 0);
  assert.ok((await page.locator('h1').textContent()).startsWith('</script><img'));
  const longest = await page.evaluate(() => Math.max(...[...document.querySelectorAll('#report *')].filter((e) => e.children.length === 0 && e.tagName !== 'PRE').map((e) => e.textContent.length)));
  assert.ok(longest <= 2000, `a text of ${longest} characters`);
  const titles = await page.evaluate(() => Math.max(...[...document.querySelectorAll('[title],[aria-label]')].map((e) => Math.max((e.title ?? '').length, (e.getAttribute('aria-label') ?? '').length))));
  assert.ok(titles <= 400, `a title of ${titles} characters`);
  await end();
});

test('a damaged report says so', async () => {
  const html = await ALL.pendulum().html();
  const cases = {
    cut: html.replace(/(id="block-1">[^<]{40})[^<]*/, '$1'),
    missing: html.replace('id="block-0"', 'id="block-9"'),
    json: html.replace('{"format":1', '{"format":1,,'),
    newer: html.replace('"format":1', '"format":7'),
  };
  for (const [name, text] of Object.entries(cases)) {
    await writeFile(`${outFolder}damaged-${name}.html`, text);
    const view = await open(browser, name, { address: `file://${outFolder}damaged-${name}.html` });
    assert.equal(await view.page.locator('[role=alert]').count(), 1, name);
    assert.deepEqual(view.heard, [], name);
    if (name !== 'json') assert.ok((await view.page.locator('.headline').textContent()).includes('pendulum'), name);
    await view.close();
  }
});

test('the file without a report says that it is empty', async () => {
  const view = await open(browser, 'raw', { address: new URL('../dist/page.html', import.meta.url).href });
  assert.match(await view.page.locator('#report').textContent(), /contains no report/);
  assert.deepEqual(view.heard, []);
  await view.close();
});

test('a large report opens soon', async () => {
  const { page, ready, close: end } = await open(browser, 'large');
  const bytes = (await readFile(new URL('./out/large.html', import.meta.url))).length;
  console.log(`    100000 rows x 10 signals: ready after ${ready.toFixed(0)} ms, ${(bytes / 1e6).toFixed(1)} MB`);
  assert.ok(ready < 10_000, `${ready} ms`);
  assert.equal(await page.evaluate(() => window.alembert.plots[0].rows), 100_000);
  await end();
});

test('three thousand bodies are drawn and stay responsive', async () => {
  const { page, ready, close: end } = await open(browser, 'crowd');
  const cost = await page.evaluate(() => {
    const begin = performance.now();
    for (let k = 1; k <= 5; k++) {
      window.alembert.time = 0.1 * k;
      window.alembert.position('body 7');
    }
    return (performance.now() - begin) / 5;
  });
  console.log(`    3000 bodies: ready after ${ready.toFixed(0)} ms, ${cost.toFixed(0)} ms of script for a picture`);
  assert.ok(ready < 20_000 && cost < 1000);
  const [a, b] = [await place(page, 'body 0'), await place(page, 'body 2999')];
  assert.ok(Math.hypot(a.x - b.x, a.y - b.y) > 300);
  await end();
});

test('hundreds of signals are chosen from a list that is filtered', async () => {
  const draft = new Draft('Many signals');
  const t = grid(50, 0, 1);
  draft.track(t, Array.from({ length: 400 }, (_, k) => ({ name: `body ${k}.x`, unit: 'm', group: 'coordinates', values: t.map((s) => k + s) })));
  await writeFile(`${outFolder}many.html`, await draft.html());
  const { page, heard, close: end } = await open(browser, 'many', { address: `file://${outFolder}many.html` });
  const plot = page.locator('#plot-coordinates');
  assert.equal(await plot.locator('.plot-legend li').count(), 6, 'six at first');
  await plot.locator('summary').click();
  await plot.locator('.choices label').first().waitFor();
  assert.equal(await plot.locator('.choices label').count(), 150);
  assert.match(await plot.locator('.choices').textContent(), /and 250 more/);
  await plot.getByRole('searchbox').fill('body 399');
  await plot.locator('.choices input').check();
  assert.equal(await plot.locator('.plot-legend li').count(), 7);
  await plot.getByRole('button', { name: 'None' }).click();
  assert.match(await plot.locator('.plot-legend').textContent(), /No signal is chosen/);
  assert.deepEqual(heard, []);
  await end();
});

test('ticks of neighbours differ however small the range is', async () => {
  const draft = new Draft('Nearly constant');
  const t = grid(50, 0, 1);
  draft.track(t, [{ name: 'x', unit: 'm', group: 'coordinates', values: t.map((s) => 1000 + 2e-4 * s) }]);
  draft.document.sections = [{ kind: 'chart', id: 'c', title: 'c', note: '', x: { label: 'x', unit: '', log: false }, y: { label: 'y', unit: '', log: false }, series: [{ name: 'a', x: t, y: t.map((s) => 1000 + 2e-4 * s), style: 'line' }] }];
  await writeFile(`${outFolder}narrow.html`, await draft.html());
  const { page, close: end } = await open(browser, 'narrow', { address: `file://${outFolder}narrow.html` });
  await scrollThrough(page);
  const texts = (await page.locator('#section-c svg text[text-anchor=end]').allTextContents());
  assert.ok(texts.length >= 3, texts.join());
  assert.equal(new Set(texts).size, texts.length, texts.join());
  await end();
});
