// Reports that the program wrote: every model's page opens, moves and has curves. `cargo xtask test` writes them into test/out/pages.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';
import { launch, open } from './browser.mjs';

const folder = fileURLToPath(new URL('./out/pages/', import.meta.url));
const pages = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.html')) : [];
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

test('there are pages of the program', { skip: pages.length ? false : 'no pages in test/out/pages: `cargo xtask test` writes them' }, () => assert.ok(pages.length >= 4));

for (const name of pages) {
  for (const [width, height] of [[360, 740], [1440, 900]]) {
    test(`${name} at ${width} by ${height}`, async () => {
      const view = await open(browser, name, { width, height, address: pathToFileURL(folder + name).href });
      assert.deepEqual(view.heard, []);
      assert.deepEqual(view.requests, []);
      const wide = await view.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide[0] <= wide[1], `scrolls sideways: ${wide}`);
      const canvas = view.page.locator('canvas').first();
      await canvas.scrollIntoViewIfNeeded();
      const before = await canvas.screenshot();
      const times = await view.page.evaluate(() => { const a = window.alembert; const from = a.time; a.time = from + 0.37; return [from, a.time]; });
      assert.ok(times[1] > times[0]);
      await view.page.waitForTimeout(150);
      const later = await canvas.screenshot();
      assert.notDeepEqual(before, later, 'nothing moves');
      assert.match(await view.page.locator('body').innerText(), /Solved from t = 0/);
      await view.close();
    });
  }
}
