import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/test-file-order.ts';
import { temporaryFoldersInMemory } from './test/memory-folder.ts';

/**
 * Where tests start servers and processes, a machine that is busy for a minute can fail one. The
 * run ends with a list of the tests that needed their second try.
 */
const ONE_MORE_TRY = { retry: 1 };

/**
 * How many files run at a time, for two cores. One that computes takes a core; those that run
 * servers and whole stacks mostly wait. Files of one group start in one order, the longest first.
 */
const COMPUTING = { maxWorkers: 2, sequence: { groupOrder: 0 } };
const KUBERNETES = { maxWorkers: 4, sequence: { groupOrder: 1 } };
const SERVERS = { maxWorkers: 4, sequence: { groupOrder: 2 } };

/** Nothing is mocked, so files may share a process, which spares loading the tree for each. */
const SHARING = { isolate: false };

/** Projects from the quickest to the slowest; `npm run test:unit` runs the first alone. */
export default defineConfig({
  test: {
    // Temporal's native bridge does not survive worker threads.
    pool: 'forks',
    setupFiles: ['test/property-seed.ts'],
    passWithNoTests: false,
    sequence: { sequencer: LongestFirst },
    // Node loads the tree itself, as it does outside of tests, in half the time. Nothing is mocked.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      project('unit', ['test/unit/**/*.test.ts'], {
        ...within(20_000),
        ...SHARING,
        env: temporaryFoldersInMemory(),
        ...COMPUTING,
      }),
      // What is kept in memory is measured, so each file has a process of its own.
      project('heap', ['test/heap/**/*.test.ts'], {
        ...within(60_000),
        env: temporaryFoldersInMemory(),
        ...COMPUTING,
      }),
      // Many inputs and large ones: what takes seconds each.
      project('thorough', ['test/thorough/**/*.test.ts'], {
        ...within(60_000),
        ...SHARING,
        env: temporaryFoldersInMemory(),
        ...COMPUTING,
      }),
      // What the tree looks like, and whether the examples of the README run.
      project('tidy', ['test/tidy{,/**/*}.test.ts'], {
        ...within(60_000),
        ...SHARING,
        ...COMPUTING,
      }),
      // They start programs of their own, and what they test is how those begin and end.
      project('processes', ['test/processes/**/*.test.ts'], {
        ...within(20_000),
        ...SHARING,
        ...ONE_MORE_TRY,
        ...COMPUTING,
      }),
      // A whole run gives them only what tests with servers leave of the cores.
      project('conformance', ['test/conformance/**/*.test.ts'], {
        ...within(180_000),
        ...SHARING,
        env: temporaryFoldersInMemory(),
        ...COMPUTING,
      }),
      // One build, one pack and one installation, by npm, for all of its tests.
      project('package', ['test/package/**/*.test.ts'], {
        ...within(180_000),
        ...ONE_MORE_TRY,
        ...SERVERS,
      }),
      project('replay', ['test/replay/**/*.test.ts'], { ...within(120_000), ...COMPUTING }),
      project('kubernetes', ['test/kubernetes/**/*.test.ts'], {
        ...within(180_000),
        ...SHARING,
        ...ONE_MORE_TRY,
        ...KUBERNETES,
      }),
      project('workflows', ['test/workflows/**/*.test.ts'], {
        setupFiles: ['test/property-seed.ts', 'test/workflows/new-file.ts'],
        ...within(180_000),
        ...SHARING,
        ...ONE_MORE_TRY,
        ...SERVERS,
      }),
      project('e2e', ['test/e2e/**/*.test.ts'], {
        ...within(600_000),
        ...SHARING,
        ...ONE_MORE_TRY,
        ...SERVERS,
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
