/**
 * Dot products by WebAssembly with two lanes of 64-bit floats: the same sums in the same order as
 * the kernel in plain JavaScript (core/search/vector-kernel.ts), in a third of its time.
 */
import { SCALAR_KERNEL, type VectorKernel } from '#core/search/vector-kernel.ts';

/** Where in the memory of the program the vector, the products and the rows lie. */
const PRODUCTS_AT = 65_536;
const ROWS_AT = 131_072;
/** Rows are copied in blocks that stay in the cache of a core. */
const ROWS_BYTES = 524_288;
const ROWS_MAX = 1_024;
/** What the vector has room for, before the products. */
const DIMENSIONS_MAX = 8_192;
/** Four sums run beside each other; a vector that they do not part evenly goes the plain way. */
const SUMS = 4;

const FLOAT_BYTES = 4;
const DOUBLE_BYTES = 8;

/** Instructions of WebAssembly (core specification 2.0, 5.4) that the program is made of. */
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const add = (local: number, bytes: number) => [...get(local), 0x41, bytes, 0x6a, ...set(local)];
const loop = (...body: readonly number[][]) => [0x03, 0x40, ...body.flat(), 0x0b];
const againWhileBelow = (local: number, end: number) => [...get(local), ...get(end), 0x49, 0x0d, 0];
const ZERO = [0xfd, 0x0c, ...Array.from({ length: 16 }, () => 0)];
/** Two floats at an offset from an address, as 64 bits each. */
const twoFloats = (local: number, offset: number) => [
  ...get(local),
  0xfd,
  0x5d,
  2,
  offset,
  0xfd,
  0x5f,
];
const twoDoubles = (local: number, offset: number) => [...get(local), 0xfd, 0x00, 3, offset];
const MULTIPLY = [0xfd, 0xf2, 0x01];
const ADD_TWO = [0xfd, 0xf0, 0x01];
const lane = (local: number, at: number) => [...get(local), 0xfd, 0x21, at];
const ADD = [0xa0];
const STORE = [0x39, 3, 0];

/** The parameters of the program, and its own variables after them. */
const ROW = 0;
const ROWS_END = 1;
const VECTOR = 2;
const ROW_BYTES = 3;
const OUT = 4;
const ROW_END = 5;
const NUMBER = 6;
/** Sums of the first and second, and of the third and fourth of each four. */
const FIRST = 7;
const SECOND = 8;

/** Two groups of variables beside the parameters: two addresses of 32 bits, two pairs of sums. */
const VARIABLES = [2, 2, 0x7f, 2, 0x7b];

const BODY = [
  ...VARIABLES,
  ...loop(
    [...get(ROW), ...get(ROW_BYTES), 0x6a, ...set(ROW_END)],
    [...get(VECTOR), ...set(NUMBER)],
    [...ZERO, ...set(FIRST), ...ZERO, ...set(SECOND)],
    loop(
      [...get(FIRST), ...twoFloats(ROW, 0), ...twoDoubles(NUMBER, 0), ...MULTIPLY, ...ADD_TWO],
      set(FIRST),
      [...get(SECOND), ...twoFloats(ROW, 8), ...twoDoubles(NUMBER, 16), ...MULTIPLY, ...ADD_TWO],
      set(SECOND),
      add(NUMBER, SUMS * DOUBLE_BYTES),
      add(ROW, SUMS * FLOAT_BYTES),
      againWhileBelow(ROW, ROW_END),
    ),
    [...get(OUT), ...lane(FIRST, 0), ...lane(FIRST, 1), ...ADD],
    [...lane(SECOND, 0), ...lane(SECOND, 1), ...ADD, ...ADD, ...STORE],
    add(OUT, DOUBLE_BYTES),
    againWhileBelow(ROW, ROWS_END),
  ),
  0x0b,
];

const PAGE_BYTES = 65_536;
const PAGES = (ROWS_AT + ROWS_BYTES) / PAGE_BYTES;

/** Numbers of 7 bits each, the lowest first (LEB128). */
function leb128(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)];
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...leb128(content.length), ...content];
}

/** "asm" after a zero, and the version of the format. */
const PREAMBLE = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

const PROGRAM = Uint8Array.of(
  ...PREAMBLE,
  ...section(1, [1, 0x60, 5, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0]),
  ...section(3, [1, 0]),
  ...section(5, [1, 0, PAGES]),
  // Two exports: the memory is "m", the function "f".
  ...section(7, [2, 1, 0x6d, 2, 0, 1, 0x66, 0, 0]),
  ...section(10, [1, ...leb128(BODY.length), ...BODY]),
);

/** Of one thread; takes 640 KiB. Where there is no WebAssembly with lanes, the plain one. */
export function createWasmKernel(): VectorKernel {
  const program = started();
  if (program === null) return SCALAR_KERNEL;
  const { run, buffer } = program;
  const doubles = new Float64Array(buffer);
  const floats = new Float32Array(buffer);
  return {
    dots(rows, vector, into) {
      const { length: dimensions } = vector;
      if (dimensions % SUMS !== 0 || dimensions > DIMENSIONS_MAX || dimensions === 0) {
        SCALAR_KERNEL.dots(rows, vector, into);
        return;
      }
      doubles.set(vector);
      const rowBytes = dimensions * FLOAT_BYTES;
      const blockRows = Math.min(ROWS_MAX, Math.floor(ROWS_BYTES / rowBytes));
      const count = rows.length / dimensions;
      for (let from = 0; from < count; from += blockRows) {
        const end = Math.min(count, from + blockRows);
        floats.set(rows.subarray(from * dimensions, end * dimensions), ROWS_AT / FLOAT_BYTES);
        run(ROWS_AT, ROWS_AT + (end - from) * rowBytes, 0, rowBytes, PRODUCTS_AT);
        const products = PRODUCTS_AT / DOUBLE_BYTES;
        into.set(doubles.subarray(products, products + end - from), from);
      }
    },
  };
}

type Run = (...addresses: [number, number, number, number, number]) => void;

/** What is used of WebAssembly (its JavaScript interface, W3C); the types here know none of it. */
interface WebAssemblyInterface {
  validate(program: Uint8Array): boolean;
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (module: object) => {
    readonly exports: Readonly<Record<string, unknown>>;
  };
}

function started(): { readonly run: Run; readonly buffer: ArrayBuffer } | null {
  const { WebAssembly: wasm } = globalThis as { readonly WebAssembly?: WebAssemblyInterface };
  if (wasm?.validate(PROGRAM) !== true) return null;
  const { f: run, m: memory } = new wasm.Instance(new wasm.Module(PROGRAM)).exports;
  if (typeof run !== 'function' || typeof memory !== 'object' || memory === null) return null;
  if (!('buffer' in memory && memory.buffer instanceof ArrayBuffer)) return null;
  return { run: run as Run, buffer: memory.buffer };
}
