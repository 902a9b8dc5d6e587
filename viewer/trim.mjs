// Leaves out of three.js what the viewer never uses: shaders of materials it does not have, headsets, environment maps and shadows.
//
// esbuild cannot know that a shader is not asked for by name, so files are replaced while they are read: shaders by empty texts,
// classes by others with the members that the renderer touches. The versions are pinned; a test draws with all that is left.
import { readFile } from 'node:fs/promises';

/** Shaders of whole materials, and pieces of them that only these include. */
const SHADERS = new RegExp(`/(${[
  'ShaderLib/(background|backgroundCube|cube|depth|distance|equirect|linedashed|meshmatcap|meshnormal|meshphong|meshphysical|meshtoon|points|shadow|sprite|vsm)',
  'ShaderChunk/(lights_physical\\w*|lights_phong\\w*|lights_toon\\w*|transmission\\w*|iridescence\\w*|clearcoat\\w*|envmap\\w*|cube_uv\\w*|gradientmap\\w*|shadowmap\\w*|shadowmask\\w*)',
  'ShaderChunk/(tonemapping_pars\\w*|lightprobes\\w*|lights_fragment_maps|bumpmap\\w*|displacementmap\\w*|skin\\w*|morph\\w*|batching\\w*|alphahash\\w*|packing)',
].join('|')})\\.glsl\\.js$`);

const CLASSES = [
  [/\/WebXRManager\.js$/, `import { EventDispatcher } from '../../core/EventDispatcher.js';
export class WebXRManager extends EventDispatcher {
  enabled = false; isPresenting = false; setAnimationLoop() {} dispose() {} hasDepthSensing() { return false; } getEnvironmentBlendMode() {}
}`],
  [/\/extras\/PMREMGenerator\.js$/, 'export class PMREMGenerator { dispose() {} }'],
  [/\/WebGLShadowMap\.js$/, 'export class WebGLShadowMap { enabled = false; render() {} }'],
];

export const trim = {
  name: 'trim',
  setup(build) {
    // The modules of three.js, not its bundle, of which nothing could be left out.
    build.onResolve({ filter: /^three$/ }, ({ resolveDir }) => build.resolve('three/src/Three.js', { resolveDir, kind: 'import-statement' }));
    const emptied = (text) => [...text.matchAll(/export (default|const \w+ =)/g)].map(([, what]) => `export ${what} '';`).join('\n');
    // Comments and indentation of shaders would otherwise be carried along as texts.
    const bare = (shader) => shader.replace(/\/\/.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s+/gm, '').replace(/[ \t]+$/gm, '').replace(/\t/g, ' ');
    build.onLoad({ filter: /node_modules[\\/]three[\\/].*\.js$/ }, async (file) => {
      const path = file.path.replaceAll('\\', '/');
      const found = CLASSES.find(([pattern]) => pattern.test(path));
      if (found) return { contents: found[1], resolveDir: path.slice(0, path.lastIndexOf('/')) };
      const text = await readFile(path, 'utf8');
      if (SHADERS.test(path)) return { contents: emptied(text) };
      return { contents: text.replace(/(\/\* glsl \*\/\s*`)([^`]*)`/g, (_, start, shader) => `${start}${bare(shader)}\``), resolveDir: path.slice(0, path.lastIndexOf('/')) };
    });
  },
};
