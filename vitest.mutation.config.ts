import { defineConfig } from 'vitest/config';

/** The tests of the pure core alone, for `npm run mutation`. */
export default defineConfig({
  test: {
    include: ['test/unit/core/**/*.test.ts'],
    setupFiles: ['test/property-seed.ts'],
    testTimeout: 20_000,
    // The tests are of pure functions, so files may share a process, which spares loading them.
    isolate: false,
  },
});
