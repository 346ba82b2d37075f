import { defineConfig } from 'vitest/config';

/** Projects from the quickest to the slowest; `npm run test:unit` runs the first alone. */
export default defineConfig({
  test: {
    // Temporal's native bridge does not survive worker threads.
    pool: 'forks',
    passWithNoTests: false,
    projects: [
      project('unit', ['test/unit/**/*.test.ts', 'test/tidy{,/**/*}.test.ts'], 20_000),
      project('conformance', ['test/conformance/**/*.test.ts'], 60_000),
      project('replay', ['test/replay/**/*.test.ts'], 120_000),
      project('workflows', ['test/workflows/**/*.test.ts'], 180_000),
      project('e2e', ['test/e2e/**/*.test.ts'], 300_000),
    ],
  },
});

function project(name: string, include: string[], testTimeout: number) {
  return { extends: true as const, test: { name, include, testTimeout, hookTimeout: testTimeout } };
}
