import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { temporaryFoldersInMemory } from './test/memory-folder.ts';

/**
 * Where tests start servers and processes, a machine that is busy for a minute can fail one. The
 * run ends with a list of the tests that needed their second try.
 */
const ONE_MORE_TRY = { retry: 1 };

/** Projects from the quickest to the slowest; `npm run test:unit` runs the first alone. */
export default defineConfig({
  test: {
    // Temporal's native bridge does not survive worker threads.
    pool: 'forks',
    setupFiles: ['test/property-seed.ts'],
    passWithNoTests: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Nothing is mocked, so files may share a process, which spares loading the tree for each.
      project('unit', ['test/unit/**/*.test.ts'], {
        ...within(20_000),
        isolate: false,
        env: temporaryFoldersInMemory(),
        ...parallel(0),
      }),
      // Many inputs, large ones, and memory that is measured: what takes seconds each.
      project('thorough', ['test/thorough/**/*.test.ts'], { ...within(60_000), ...parallel(0) }),
      // What the tree looks like, and whether the examples of the README run.
      project('tidy', ['test/tidy{,/**/*}.test.ts'], { ...within(20_000), ...parallel(0) }),
      // They start programs of their own, and what they test is how those begin and end.
      project('processes', ['test/processes/**/*.test.ts'], {
        ...within(20_000),
        ...ONE_MORE_TRY,
        ...parallel(0),
      }),
      project('conformance', ['test/conformance/**/*.test.ts'], {
        ...within(60_000),
        ...parallel(0),
      }),
      // One build, one pack and one installation, by npm, for all of its tests.
      project('package', ['test/package/**/*.test.ts'], {
        ...within(180_000),
        ...ONE_MORE_TRY,
        ...parallel(0),
      }),
      project('replay', ['test/replay/**/*.test.ts'], { ...within(120_000), ...parallel(0) }),
      project('kubernetes', ['test/kubernetes/**/*.test.ts'], {
        ...within(180_000),
        ...ONE_MORE_TRY,
        ...parallel(0),
      }),
      // These run servers and whole stacks, and mostly wait: two at a time, after everything else.
      project('workflows', ['test/workflows/**/*.test.ts'], {
        ...within(180_000),
        ...ONE_MORE_TRY,
        ...parallel(1),
      }),
      project('e2e', ['test/e2e/**/*.test.ts'], {
        ...within(600_000),
        ...ONE_MORE_TRY,
        ...parallel(2),
      }),
    ],
  },
});

function project(name: string, include: string[], settings: object) {
  return { extends: true as const, test: { name, include, ...settings } };
}

function within(testTimeout: number) {
  return { testTimeout, hookTimeout: testTimeout };
}

/** Both cores of a small machine; the default leaves one to a person. */
function parallel(groupOrder: number) {
  return { maxWorkers: 2, sequence: { groupOrder } };
}
