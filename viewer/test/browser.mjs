// The browser of the tests: headless Chromium that renders in software and has no network.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { ALL } from './fixtures.mjs';

const FLAGS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic', '--force-color-profile=srgb', '--lang=en-US'];

export function executable() {
  const found = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) => p && existsSync(p));
  if (!found) throw new Error('no Chromium found; install Debian\'s package chromium or set CHROMIUM to a path');
  return found;
}

export const launch = (...more) => chromium.launch({ executablePath: executable(), args: [...FLAGS, ...more] });

const out = new URL('./out/', import.meta.url);
const written = new Map();

/** Writes the page of a fixture and gives its address. */
export async function address(name) {
  if (!written.has(name)) {
    await mkdir(out, { recursive: true });
    const file = new URL(`${name}.html`, out);
    await writeFile(file, await ALL[name]().html());
    written.set(name, pathToFileURL(fileURLToPath(file)).href);
  }
  return written.get(name);
}

/** Opens a report. Whatever the console says and whatever is requested is kept. */
export async function open(browser, name, { width = 1200, height = 800, dark = false, reduced = true, touch = false, address: given } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, locale: 'en-US', colorScheme: dark ? 'dark' : 'light', reducedMotion: reduced ? 'reduce' : 'no-preference', deviceScaleFactor: 1, hasTouch: touch, isMobile: touch, acceptDownloads: true,
  });
  const page = await context.newPage();
  const at = given ?? (await address(name));
  const heard = [];
  const requests = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && heard.push(message.text()));
  page.on('pageerror', (error) => heard.push(String(error)));
  page.on('dialog', (dialog) => { heard.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on('request', (request) => request.url() !== at && !request.url().startsWith('blob:') && !request.url().startsWith('data:') && requests.push(request.url()));
  await page.goto(at);
  const ready = await page.evaluate(() => window.alembert.ready);
  return { page, context, heard, requests, ready, close: () => context.close() };
}

export const outFolder = fileURLToPath(out);
