// Binary blocks of the page: base64 of zlib-deflate of byte-shuffled columns.
//
// A block holds the times as 8 planes of n bytes (plane k has byte k of every value, little endian), then each column as 4 planes of
// f32 to which the column's offset is added. Columns are put together when they are asked for.

/** The bytes of a block, inflated; throws if the block is missing or damaged. */
async function inflate(id: number): Promise<Uint8Array> {
  const element = document.getElementById(`block-${id}`);
  if (!element) throw new Error(`block ${id} is missing`);
  const letters = atob((element.textContent ?? '').trim());
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
  // The text is not needed any more, and it is as long as the data.
  element.textContent = '';
  if (packed.length === 0) return packed;
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Puts the planes of `n` values with `width` bytes each together again. */
function unshuffle(bytes: Uint8Array, start: number, n: number, width: number): ArrayBuffer {
  const out = new Uint8Array(n * width);
  for (let plane = 0; plane < width; plane++) {
    const from = start + plane * n;
    for (let i = 0, j = plane; i < n; i++, j += width) out[j] = bytes[from + i];
  }
  return out.buffer;
}

/** Columns over common times. */
export class Columns {
  private constructor(private readonly bytes: Uint8Array, readonly n: number, readonly count: number) {}

  static empty(count: number): Columns {
    return new Columns(new Uint8Array(0), 0, count);
  }

  static async open(block: number, n: number, count: number): Promise<Columns> {
    const bytes = await inflate(block);
    if (bytes.length < n * (8 + 4 * count)) throw new Error(`block ${block} is too short`);
    return new Columns(bytes, n, count);
  }

  times(): Float64Array {
    return new Float64Array(unshuffle(this.bytes, 0, this.n, 8));
  }

  /** Column `k` without its offset. */
  differences(k: number): Float32Array {
    return new Float32Array(unshuffle(this.bytes, this.n * (8 + 4 * k), this.n, 4));
  }

  column(k: number, offset: number): Float64Array {
    const differences = this.differences(k);
    const values = new Float64Array(this.n);
    for (let i = 0; i < this.n; i++) values[i] = differences[i] + offset;
    return values;
  }
}
