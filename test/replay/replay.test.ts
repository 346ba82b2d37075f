/** Every recorded history replays on the workflows as they are now. */
import { fileURLToPath } from 'node:url';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker, type ReplayResult } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { SILENT_LOG } from '#core/ports/platform.ts';
import {
  bundleWorkflows,
  installRuntime,
  type WorkflowBundle,
} from '#providers/temporal/worker.ts';
import {
  listedFixtures,
  listFixtures,
  readFixtures,
  WORKFLOW_TYPES,
  type RecordedHistory,
} from './fixtures.ts';

const WORKFLOWS = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
const CHANGED = fileURLToPath(new URL('changed/index.ts', import.meta.url));

const recorded = await readFixtures();

async function* histories(of: readonly RecordedHistory[]) {
  for (const { file, history } of of) yield { workflowId: file, history };
}

async function replay(
  workflowBundle: WorkflowBundle,
  of: readonly RecordedHistory[],
): Promise<Map<string, ReplayResult['error']>> {
  const results = await Array.fromAsync(
    Worker.runReplayHistories({ workflowBundle }, histories(of)),
  );
  return new Map(results.map(({ workflowId, error }) => [workflowId, error]));
}

beforeAll(() => {
  installRuntime(SILENT_LOG);
});

describe('recorded histories', () => {
  it('match their list of files, so that none is changed or removed', async () => {
    expect(await listFixtures()).toEqual(await listedFixtures());
  });

  it('TMP-04: cover every workflow type, a flush, and a run that continues as new', () => {
    expect(new Set(recorded.map(({ workflowType }) => workflowType))).toEqual(
      new Set(WORKFLOW_TYPES),
    );
    const eventTypes = new Set(recorded.flatMap((each) => each.eventTypes));
    expect(eventTypes).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED');
    expect(eventTypes).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW');
    expect(eventTypes).toContain('EVENT_TYPE_ACTIVITY_TASK_FAILED');
  });

  it('TMP-04: replay on the current workflows', async () => {
    const errors = await replay(await bundleWorkflows(WORKFLOWS, SILENT_LOG), recorded);
    expect(Object.fromEntries(errors)).toEqual(
      Object.fromEntries(recorded.map(({ file }) => [file, undefined])),
    );
  });

  it('do not replay on workflows that behave differently', async () => {
    const refreshes = recorded.filter(({ workflowType }) => workflowType === 'tenantRefresh');
    const errors = await replay(await bundleWorkflows(CHANGED, SILENT_LOG), refreshes);
    const followed = refreshes.filter(
      ({ file }) => !(errors.get(file) instanceof DeterminismViolationError),
    );
    expect(followed.map(({ file }) => file)).toEqual([]);
    expect(refreshes).not.toEqual([]);
  });
});
