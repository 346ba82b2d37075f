/** Recorded histories of earlier workers, which every later one must replay. */
import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

export const REPLAY_FOLDER = import.meta.dirname;
/** One line per fixture, in the words of `sha256sum`: the hash, two spaces, the file. */
export const FIXTURES_FILE = path.join(REPLAY_FOLDER, 'fixtures.sha256');

/** Those of which a history must be there. */
export const WORKFLOW_TYPES: readonly string[] = [
  'tenantRefresh',
  'refreshTick',
  'reembed',
  'compact',
  'retentionTick',
  'dream',
  'dreamTick',
  'applyDream',
  'flushSession',
  'flushTick',
  'erase',
];

export interface Fixture {
  /** Version and name, `0.1.0/plain.json`. */
  readonly file: string;
  readonly sha256: string;
}

const History = z.object({
  events: z.tuple(
    [
      z.looseObject({
        workflowExecutionStartedEventAttributes: z.looseObject({
          workflowType: z.object({ name: z.string() }),
        }),
      }),
    ],
    z.looseObject({ eventType: z.string() }),
  ),
});

export interface RecordedHistory extends Fixture {
  readonly workflowType: string;
  readonly eventTypes: readonly string[];
  readonly history: unknown;
}

/** The fixtures that are there, by version and name. */
export async function listFixtures(): Promise<readonly Fixture[]> {
  const files = await Array.fromAsync(glob('*.*.*/*.json', { cwd: REPLAY_FOLDER }));
  return Promise.all(
    files.toSorted().map(async (file) => {
      const bytes = await readFile(path.join(REPLAY_FOLDER, file));
      return { file, sha256: createHash('sha256').update(bytes).digest('hex') };
    }),
  );
}

/** The fixtures that must be there, unchanged, for ever. */
export async function listedFixtures(): Promise<readonly Fixture[]> {
  const lines = (await readFile(FIXTURES_FILE, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [sha256 = '', file = ''] = line.split('  ');
    return { file, sha256 };
  });
}

/** The fixtures that are there with what they say, by version and name. */
export async function readFixtures(): Promise<readonly RecordedHistory[]> {
  return Promise.all((await listFixtures()).map(readFixture));
}

async function readFixture(fixture: Fixture): Promise<RecordedHistory> {
  const { file } = fixture;
  const history: unknown = JSON.parse(await readFile(path.join(REPLAY_FOLDER, file), 'utf8'));
  const [started, ...rest] = History.parse(history).events;
  return {
    ...fixture,
    workflowType: started.workflowExecutionStartedEventAttributes.workflowType.name,
    eventTypes: rest.map(({ eventType }) => eventType),
    history,
  };
}
