// Renders every fixture at three window sizes, light and dark, to PNG files in test/out/look, for people to look at.
import { mkdir } from 'node:fs/promises';
import { launch, open, outFolder } from './browser.mjs';
import { ALL } from './fixtures.mjs';

const only = process.argv.slice(2);
await mkdir(`${outFolder}look`, { recursive: true });
const browser = await launch();
for (const name of only.length ? only : Object.keys(ALL)) {
  for (const [width, height] of [[360, 740], [900, 700], [1440, 900]]) {
    for (const dark of [false, true]) {
      const view = await open(browser, name, { width, height, dark });
      await view.page.evaluate(() => { window.alembert.time = window.alembert.range?.[0] + 0.3 * (window.alembert.range?.[1] - window.alembert.range?.[0]); });
      // Plots are drawn when they come into sight.
      await view.page.evaluate(async () => { for (let y = 0; y < document.body.scrollHeight; y += 500) { scrollTo(0, y); await new Promise((r) => setTimeout(r, 90)); } scrollTo(0, 0); });
      await view.page.waitForFunction(() => (window.alembert.plots ?? []).every((p) => p.window !== null), null, { timeout: 5000 }).catch(() => undefined);
      await view.page.waitForTimeout(250);
      await view.page.screenshot({ path: `${outFolder}look/${name}-${width}-${dark ? 'dark' : 'light'}.png`, fullPage: true });
      if (view.heard.length || view.requests.length) console.log(name, width, dark, view.heard, view.requests);
      await view.close();
    }
  }
}
await browser.close();
