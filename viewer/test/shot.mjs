// One window as it is seen, for a close look: node test/shot.mjs FIXTURE WIDTH HEIGHT light|dark [SCROLL] [TIME]
import { launch, open, outFolder } from './browser.mjs';
const [name, width = '1440', height = '900', theme = 'light', scroll = '0', time] = process.argv.slice(2);
const browser = await launch();
const view = await open(browser, name, { width: Number(width), height: Number(height), dark: theme === 'dark' });
if (time) await view.page.evaluate((t) => { window.alembert.time = t; }, Number(time));
await view.page.evaluate((y) => scrollTo(0, y), Number(scroll));
await view.page.waitForTimeout(500);
await view.page.screenshot({ path: `${outFolder}shot.png` });
console.log(view.ready.toFixed(0), 'ms', view.heard, view.requests, await view.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]));
await browser.close();
