/** The order of test files in a run without measured times, as on a fresh clone. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take long for their size, longest first, of half a minute and more on two cores. By
 * its size alone, vitest would start some of them last, with one core idle until they end.
 */
export const LONGEST: readonly string[] = [
  'conformance/mongodb.test.ts',
  'kubernetes/operator-scenarios.test.ts',
  'kubernetes/operator-outage.test.ts',
  'kubernetes/operator-deaths.test.ts',
  'package/package.test.ts',
  'e2e/read-your-writes.test.ts',
  'e2e/embeddings.test.ts',
  'e2e/markdown-tiers.test.ts',
  'e2e/kill-worker.test.ts',
  'e2e/demo.test.ts',
  'conformance/late-work.test.ts',
  'kubernetes/chart-image.test.ts',
  'e2e/start.test.ts',
  'workflows/refresh-scenarios.test.ts',
  'conformance/sqlite.test.ts',
  'workflows/reembed.test.ts',
  'e2e/bad-input.test.ts',
  'workflows/flush.test.ts',
  'conformance/mongodb-connection.test.ts',
  'e2e/language-model.test.ts',
  'package/mem0-clients.test.ts',
  'conformance/mongodb-atlas.test.ts',
  'e2e/mongodb.test.ts',
  'e2e/metrics.test.ts',
  'workflows/dream-death.test.ts',
  'conformance/mongodb-writers.test.ts',
];

/**
 * Puts long files first within a group. The others follow by project, slower projects first, since
 * only files of one project that run after each other share a process; within a project, vitest's
 * own order, by times once measured.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the runner's, and no array's
    const sorted = await super.sort(files);
    const speedOf = ({ project }: TestSpecification): number => this.ctx.projects.indexOf(project);
    return sorted.toSorted(
      (a, b) => groupOf(a) - groupOf(b) || placeOf(a) - placeOf(b) || speedOf(b) - speedOf(a),
    );
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}`));
  return place === -1 ? LONGEST.length : place;
}
