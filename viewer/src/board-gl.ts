// Drawing with WebGL: every layer of strokes is one call, and so is every kind of solid, however many bodies there are.
import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, ColorManagement, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide, DynamicDrawUsage, InstancedBufferAttribute,
  InstancedInterleavedBuffer, InstancedMesh, InterleavedBufferAttribute, LineBasicMaterial, LinearSRGBColorSpace, LineSegments, MeshBasicMaterial, MeshLambertMaterial, Scene, SphereGeometry,
  WebGLRenderer,
} from 'three';
import type { Material, OrthographicCamera } from 'three';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import type { Board } from './board.ts';
import { mix } from './color.ts';
import { FADE, LAYERS, SOLIDS, WIDTH } from './sketch.ts';
import type { Layer, Sketch, Solid } from './sketch.ts';

// Colours are those of the page as they are: nothing is converted.
ColorManagement.enabled = false;

/** Red, green and blue between 0 and 1 of packed colours, `copies` times each, faded towards a background. */
function unpack(colors: Uint32Array, count: number, copies: number, out: Float32Array, fade = 0, background = 0): void {
  for (let i = 0, j = 0; i < count; i++) {
    const c = fade > 0 ? mix(colors[i], background, fade) : colors[i];
    for (let k = 0; k < copies; k++) {
      out[j++] = ((c >> 16) & 255) / 255;
      out[j++] = ((c >> 8) & 255) / 255;
      out[j++] = (c & 255) / 255;
    }
  }
}

/** Beyond so many strokes they are one pixel wide: wide ones cost four times as much, which is felt without a graphics card. */
const MOST_WIDE = 20_000;

/** One layer of strokes. */
class Strokes {
  readonly mesh: LineSegments2;
  readonly thin: LineSegments;
  private capacity = 0;
  private thinCapacity = 0;
  private points!: InstancedInterleavedBuffer;
  private colors!: InstancedInterleavedBuffer;

  constructor(private readonly layer: Layer, order: number) {
    const material = new LineMaterial({ linewidth: WIDTH[layer], vertexColors: true });
    const thin = new LineBasicMaterial({ vertexColors: true });
    for (const it of [material, thin]) {
      // A strong stroke at the same place covers a weak one.
      if (FADE[layer] > 0) it.depthWrite = false;
      // Arrows are seen through bodies: most of them begin inside of one.
      if (layer === 'bold') Object.assign(it, { transparent: true, depthTest: false });
    }
    this.thin = new LineSegments(new BufferGeometry(), thin);
    this.thin.frustumCulled = false;
    this.thin.renderOrder = order;
    this.mesh = new LineSegments2(new LineSegmentsGeometry(), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = order;
  }

  set(points: Float32Array, colors: Uint32Array, count: number, background: number): void {
    this.mesh.visible = count > 0 && count <= MOST_WIDE;
    this.thin.visible = count > MOST_WIDE;
    if (this.thin.visible) this.setThin(points, colors, count, background);
    if (!this.mesh.visible) return;
    if (count > this.capacity) {
      this.capacity = Math.max(64, count + (count >> 1));
      this.mesh.geometry.dispose();
      const geometry = new LineSegmentsGeometry();
      this.points = new InstancedInterleavedBuffer(new Float32Array(6 * this.capacity), 6, 1).setUsage(DynamicDrawUsage) as InstancedInterleavedBuffer;
      this.colors = new InstancedInterleavedBuffer(new Float32Array(6 * this.capacity), 6, 1).setUsage(DynamicDrawUsage) as InstancedInterleavedBuffer;
      geometry.setAttribute('instanceStart', new InterleavedBufferAttribute(this.points, 3, 0));
      geometry.setAttribute('instanceEnd', new InterleavedBufferAttribute(this.points, 3, 3));
      geometry.setAttribute('instanceColorStart', new InterleavedBufferAttribute(this.colors, 3, 0));
      geometry.setAttribute('instanceColorEnd', new InterleavedBufferAttribute(this.colors, 3, 3));
      this.mesh.geometry = geometry;
    }
    (this.points.array as Float32Array).set(points.subarray(0, 6 * count));
    unpack(colors, count, 2, this.colors.array as Float32Array, FADE[this.layer], background);
    for (const buffer of [this.points, this.colors]) {
      buffer.clearUpdateRanges();
      buffer.addUpdateRange(0, 6 * count);
      buffer.needsUpdate = true;
    }
    this.mesh.geometry.instanceCount = count;
  }

  private setThin(points: Float32Array, colors: Uint32Array, count: number, background: number): void {
    const { geometry } = this.thin;
    if (count > this.thinCapacity) {
      this.thinCapacity = count + (count >> 1);
      geometry.dispose();
      for (const name of ['position', 'color']) geometry.setAttribute(name, new BufferAttribute(new Float32Array(6 * this.thinCapacity), 3).setUsage(DynamicDrawUsage));
    }
    (geometry.attributes.position.array as Float32Array).set(points.subarray(0, 6 * count));
    unpack(colors, count, 2, geometry.attributes.color.array as Float32Array, FADE[this.layer], background);
    geometry.attributes.position.needsUpdate = true;
    geometry.attributes.color.needsUpdate = true;
    geometry.setDrawRange(0, 2 * count);
  }
}

/** All solids of one kind. */
class Solids {
  mesh: InstancedMesh;
  private capacity = 0;

  constructor(private readonly scene: Scene, private readonly geometry: BufferGeometry, private readonly material: Material) {
    this.mesh = this.make(1);
  }

  private make(capacity: number): InstancedMesh {
    const mesh = new InstancedMesh(this.geometry, this.material, capacity);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3).setUsage(DynamicDrawUsage) as InstancedBufferAttribute;
    mesh.frustumCulled = false;
    mesh.renderOrder = this.material.depthTest ? 0 : 50;
    this.capacity = capacity;
    this.scene.add(mesh);
    return mesh;
  }

  set(matrices: Float32Array, colors: Uint32Array, count: number): void {
    if (count > this.capacity) {
      this.scene.remove(this.mesh);
      this.mesh.dispose();
      this.mesh = this.make(count + (count >> 1));
    }
    this.mesh.count = count;
    this.mesh.visible = count > 0;
    if (count === 0) return;
    (this.mesh.instanceMatrix.array as Float32Array).set(matrices.subarray(0, 16 * count));
    unpack(colors, count, 1, this.mesh.instanceColor!.array as Float32Array);
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor!.needsUpdate = true;
  }
}

export class GlBoard implements Board {
  readonly canvas: HTMLCanvasElement;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly sets: { strokes: Record<Layer, Strokes>; solids: Record<Solid, Solids> }[] = [];
  private readonly light = new DirectionalLight(0xffffff, 1.3);

  /** A board, or nothing if the browser has no WebGL. Where there are many bodies, each of them is small and made of fewer faces. */
  static make(planar: boolean, many: boolean): GlBoard | null {
    const canvas = document.createElement('canvas');
    try {
      const context = canvas.getContext('webgl2', { antialias: !many, alpha: false });
      return context ? new GlBoard(canvas, context, planar, many) : null;
    } catch {
      return null;
    }
  }

  private constructor(canvas: HTMLCanvasElement, context: WebGL2RenderingContext, planar: boolean, many: boolean) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    const material = planar ? new MeshBasicMaterial() : new MeshLambertMaterial();
    // What is flat may be seen from behind.
    if (planar) material.side = DoubleSide;
    // Faces step back a little, so that the edges on them are seen whole.
    Object.assign(material, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2 });
    const above = material.clone();
    Object.assign(above, { transparent: true, depthTest: false });
    const shapes: Record<Solid, BufferGeometry> = {
      box: new BoxGeometry(1, 1, 1),
      ball: planar ? new SphereGeometry(1, many ? 16 : 48, 2) : new SphereGeometry(1, many ? 10 : 32, many ? 6 : 20),
      tube: new CylinderGeometry(1, 1, 1, many ? 10 : 32),
      cone: new ConeGeometry(1, 1, 20),
    };
    // The rim of the flat ball must lie in the plane.
    if (planar) shapes.ball.rotateX(Math.PI / 2);
    this.scene.add(new AmbientLight(0xffffff, 2), this.light);
    for (let k = 0; k < 2; k++) {
      const strokes = {} as Record<Layer, Strokes>;
      LAYERS.forEach((layer, i) => {
        strokes[layer] = new Strokes(layer, 1 + i + 10 * k);
        this.scene.add(strokes[layer].mesh, strokes[layer].thin);
      });
      const solids = {} as Record<Solid, Solids>;
      for (const solid of SOLIDS) solids[solid] = new Solids(this.scene, shapes[solid], solid === 'cone' ? above : material);
      this.sets.push({ strokes, solids });
    }
  }

  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
  }

  draw(sketches: Sketch[], fresh: boolean[], camera: OrthographicCamera, background: number): void {
    sketches.forEach((sketch, k) => {
      if (!fresh[k]) return;
      const { strokes, solids } = this.sets[k];
      for (const layer of LAYERS) {
        const { points, colors } = sketch.strokes[layer];
        strokes[layer].set(points.data, colors.data, colors.length, background);
      }
      for (const solid of SOLIDS) {
        const { matrices, colors } = sketch.solids[solid];
        solids[solid].set(matrices.data, colors.data, colors.length);
      }
    });
    // The light stands above the left shoulder of whoever looks.
    this.light.position.set(-0.5, 0.8, 1).applyQuaternion(camera.quaternion);
    this.renderer.setClearColor(background, 1);
    this.renderer.render(this.scene, camera);
  }
}
