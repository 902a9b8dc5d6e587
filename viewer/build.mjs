// Bundles the viewer into one HTML file without requests, and writes the same bytes where the Rust crate embeds them.
//
// The page carries a content security policy that allows exactly this one script, by its hash, and no connection at all.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { trim } from './trim.mjs';

const here = new URL('./', import.meta.url);
const path = (name) => fileURLToPath(new URL(name, here));

/** The licences of what is bundled stand in the page, since it is passed on. */
async function notice() {
  const parts = await Promise.all(['three', 'uplot'].map(async (name) => `${name}\n\n${(await readFile(path(`node_modules/${name}/LICENSE`), 'utf8')).trim()}`));
  return `/*!\nThe viewer of alembert, MIT OR Apache-2.0. It contains these packages:\n\n${parts.join('\n\n')}\n*/`.replaceAll('\r', '');
}

/** Gives the page as a string; it depends on the sources and the locked packages only. */
export async function page() {
  const bundle = await build({
    entryPoints: [path('src/main.ts')],
    absWorkingDir: path('.'),
    bundle: true,
    plugins: [trim],
    write: false,
    minify: true,
    format: 'iife',
    target: ['chrome100', 'firefox113', 'safari16.4'],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  // The repository has neither tabs nor blanks at ends of lines, and this file is checked in; here they only stand in shaders.
  const tidy = (text) => text.replaceAll('\t', ' ').replace(/[ ]+$/gm, '').trim();
  // A closing tag or an opening comment within the script would end it early.
  const script = `${await notice()}\n${tidy(bundle.outputFiles[0].text)}`;
  if (/<\/script|<!--/i.test(script)) throw new Error('the bundle contains </script or <!--');
  const sheets = await Promise.all(
    ['node_modules/uplot/dist/uPlot.min.css', 'src/style/base.css', 'src/style/stage.css', 'src/style/plots.css', 'src/style/print.css']
      .map((name) => readFile(path(name), 'utf8')),
  );
  const style = tidy((await transform(sheets.join('\n'), { loader: 'css', minify: true, charset: 'utf8' })).code);
  const hash = createHash('sha256').update(script).digest('base64');
  const template = await readFile(path('src/page.html'), 'utf8');
  const text = template
    .replace('{{HASH}}', () => `sha256-${hash}`)
    .replace('{{STYLE}}', () => style)
    .replace('{{SCRIPT}}', () => script);
  for (const mark of ['<!--DATA-->', '<!--TITLE-->']) {
    if (text.split(mark).length !== 2) throw new Error(`the page must contain ${mark} once`);
  }
  return text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await page();
  await mkdir(path('dist'), { recursive: true });
  for (const name of ['dist/page.html', '../crates/picture/src/page.html']) await writeFile(path(name), text);
  console.log(`page.html: ${(Buffer.byteLength(text) / 1000).toFixed(0)} kB`);
}
