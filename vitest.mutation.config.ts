import { defineConfig } from 'vitest/config';

/** Through these core/running-summary is compared with its reference; they need no store. */
const CONVERSATION = [
  'better',
  'graph',
  'middleware',
  'random-chats',
  'reference-cases',
  'token-counters',
];

/** The tests of the pure core, for `npm run mutation`. */
export default defineConfig({
  test: {
    include: [
      'test/unit/core/**/*.test.ts',
      ...CONVERSATION.map((name) => `test/unit/langgraph/${name}.test.ts`),
    ],
    setupFiles: ['test/property-seed.ts'],
    testTimeout: 20_000,
    // The tests are of pure functions, so files may share a process, which spares loading them.
    isolate: false,
  },
});
