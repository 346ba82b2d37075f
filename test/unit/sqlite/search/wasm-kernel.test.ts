import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCALAR_KERNEL } from '#core/search/vector-kernel.ts';
import { createWasmKernel } from '#providers/sqlite/search/wasm-kernel.ts';

const kernel = createWasmKernel();

function productsOf(of: typeof kernel, rows: Float32Array, vector: Float64Array): number[] {
  const into = new Float64Array(rows.length / vector.length);
  of.dots(rows, vector, into);
  return [...into];
}

describe('the kernel of WebAssembly', () => {
  test('MEM-04: runs here, so that what follows compares two programs', () => {
    expect(kernel).not.toBe(SCALAR_KERNEL);
  });

  test('MEM-04: gives exactly the products of the plain one, for any size and number', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    const sizes = fc.record({
      dimensions: fc.constantFrom(1, 2, 3, 4, 7, 8, 12, 384, 385, 768),
      count: fc.constantFrom(0, 1, 2, 5, 300),
      seeds: fc.array(finite, { minLength: 1, maxLength: 40 }),
    });
    fc.assert(
      fc.property(sizes, ({ dimensions, count, seeds }) => {
        const of = (at: number) => seeds[at % seeds.length] ?? 0;
        const rows = Float32Array.from({ length: dimensions * count }, (_, at) => of(at * 7 + 3));
        const vector = Float64Array.from({ length: dimensions }, (_, at) => of(at * 5 + 1));
        expect(productsOf(kernel, rows, vector)).toEqual(productsOf(SCALAR_KERNEL, rows, vector));
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['more rows than a block takes', 4, 5_000],
    ['rows so long that few make a block', 8_192, 40],
    ['rows beyond its room', 8_196, 3],
  ])('MEM-04: and for %s', (_, dimensions, count) => {
    const rows = Float32Array.from({ length: dimensions * count }, (__, at) => Math.sin(at));
    const vector = Float64Array.from({ length: dimensions }, (__, at) => Math.cos(at));
    expect(productsOf(kernel, rows, vector)).toEqual(productsOf(SCALAR_KERNEL, rows, vector));
  });
});
