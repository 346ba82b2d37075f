/**
 * Changing the embedding model of a running installation, from hashed vectors to a real model,
 * while others write and search; with the commands that a person uses.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type EmbeddingServer,
  missingForEmbeddingServer,
  startEmbeddingServer,
} from '#bench/embedding-server.ts';
import { describeUnless } from '../cluster/needs.ts';
import { startStackOn, TENANT, type RunningStack } from './running-stack.ts';
import { untilGone } from './processes.ts';
import { until } from './until.ts';
import { runVarve, temporaryFolder, type Ended } from './varve-process.ts';
import { nodePlatform, type Platform } from '#providers/temporal/server-platform.ts';

const MEMORIES = 120;
/** Number of the first note that is written during a change. */
const LATE = 10_000;
const OTHER_TENANT = 'other';
const PROJECT = { projectId: 'harbour' };
/** The answer has none of the question's words. */
const BY_MEANING = {
  said: 'The physician told him to rest.',
  asked: 'What did the doctor advise?',
};

const missing = await missingForEmbeddings();
const held: { server: EmbeddingServer | null } = { server: null };

beforeAll(async () => {
  if (missing === null) held.server = await startTestEmbeddings();
});
afterAll(async () => {
  await held.server?.[Symbol.asyncDispose]();
});

function environment(): Readonly<Record<string, string>> {
  if (held.server === null) throw new Error('The embedding server is not there.');
  return {
    VARVE_EMBEDDING_URL: held.server.baseUrl,
    VARVE_EMBEDDING_MODEL: held.server.model,
    VARVE_EMBEDDING_QUERY_PREFIX: held.server.prefixes.query,
    VARVE_EMBEDDING_PASSAGE_PREFIX: held.server.prefixes.passage,
    VARVE_EMBEDDING_DIMENSIONS: String(held.server.dimensions),
    VARVE_EMBEDDING_TEXTS_MAX: '16',
    VARVE_EMBEDDING_PRICE: '0.02',
  };
}

const WHO = ['baker', 'pilot', 'nurse', 'gardener', 'judge', 'miner', 'violinist', 'shepherd'];
const WHAT = ['kite', 'ladder', 'compass', 'teapot', 'saddle', 'telescope', 'anvil'];
const WHERE = ['attic', 'harbour', 'orchard', 'tunnel', 'museum'];

/** Each is of another person, thing and place, and has a number of its own. */
function note(n: number): string {
  const of = (words: readonly string[]): string => words[n % words.length] ?? '';
  return `The ${of(WHO)} left ${of(WHAT)} number ${String(n)} in the ${of(WHERE)}.`;
}

/** One command on a data folder, as a person types it. */
function embeddings(dataDir: string, ...args: readonly string[]): Promise<Ended> {
  const [subcommand = '', ...rest] = args;
  return runVarve(['embeddings', subcommand, '--data-dir', dataDir, ...rest], {
    env: environment(),
  });
}

type Api = RunningStack['api'];

async function writeAll(api: Api, tenant: string, contents: readonly string[]): Promise<void> {
  const memories = contents.map((content) => {
    return { layer: 'project' as const, identifiers: PROJECT, content };
  });
  const { failed } = await api.memory.bulkAdd({ tenant, memories });
  expect(failed).toBe(0);
}

interface Question {
  readonly query: string;
  readonly mode: 'hybrid' | 'semantic';
  readonly threshold?: number;
}

async function answersTo(api: Api, question: Question): Promise<readonly string[]> {
  const { hits } = await api.memory.search({
    tenant: TENANT,
    identifiers: PROJECT,
    layers: ['project'],
    limit: 10,
    order: 'relevance',
    ...question,
  });
  return hits.map(({ text }) => text);
}

/** Short enough for many calls in each step of a change, which need the same cores. */
const PAUSE_MS = 100;

/** Searches and writes until told to end; answers what a search did not find. */
function load(api: Api, first = LATE) {
  const state = { running: true, searches: 0, written: [] as string[], lost: [] as string[] };
  const find = async (content: string, mode: 'hybrid' | 'semantic'): Promise<void> => {
    state.searches += 1;
    const found = await answersTo(api, { query: content, mode });
    if (!found.includes(content)) state.lost.push(`${mode}: ${content}`);
  };
  const search = async (mode: 'hybrid' | 'semantic'): Promise<void> => {
    for (let n = 0; state.running; n += 1) {
      await find(note((n * 7) % MEMORIES), mode);
      await sleep(PAUSE_MS);
    }
  };
  const write = async (): Promise<void> => {
    for (let n = 0; state.running; n += 1) {
      const content = note(first + n);
      const memory = { layer: 'project' as const, identifiers: PROJECT, content };
      await api.memory.add({ tenant: TENANT, ...memory });
      state.written.push(content);
      await find(content, 'semantic');
      await sleep(PAUSE_MS);
    }
  };
  const ended = Promise.all([search('hybrid'), search('semantic'), write()]);
  // Whoever ends it hears of a failure.
  ended.catch(() => undefined);
  return async (): Promise<Omit<typeof state, 'running'>> => {
    state.running = false;
    await ended;
    return state;
  };
}

/** As a machine that runs out of memory does it; the stack starts another. */
async function killWorker({ process: main }: RunningStack): Promise<void> {
  const worker = await until('the worker runs', async () =>
    (await main.family()).find(({ command }) => command.includes('main.ts worker')),
  );
  process.kill(worker.pid, 'SIGKILL');
  await untilGone([worker]);
}

/** Most of it are the minute before a cut-over and the start of a dozen commands. */
const TIMEOUT_MS = 600_000;

describeUnless(missing)('varve embeddings, with a real model', () => {
  test(
    'REEMBED-30: migrates to a model and back while no search loses a memory',
    async () => {
      await using folder = await temporaryFolder();
      const dataDir = folder.path;
      const contents = Array.from({ length: MEMORIES }, (_, n) => note(n));
      {
        await using before = await startStackOn(dataDir);
        await writeAll(before.api, TENANT, [...contents, BY_MEANING.said]);
        await writeAll(before.api, OTHER_TENANT, contents.slice(0, 20));
      }
      const alone = await embeddings(dataDir, 'migrate', '--yes');
      expect(alone.status).toBe(7);
      expect(alone.stderr).toContain('Run varve start');

      await using stack = await startStackOn(dataDir, { env: environment() });
      const { api } = stack;
      // A model that is configured changes nothing by itself.
      const known = { query: note(3), mode: 'semantic' } as const;
      expect(await answersTo(api, known)).toContain(note(3));
      const status = await embeddings(dataDir, 'status');
      expect(status.stdout).toContain('2 tenants have another model');
      const estimate = await embeddings(dataDir, 'estimate');
      expect(estimate.stdout).toContain('2 of 2 change');
      expect(estimate.stdout).toContain(
        `${String(MEMORIES + 21)} of ${String(MEMORIES + 21)} to embed`,
      );
      expect(estimate.stdout).toMatch(/about \$0\.\d{4}, at \$0\.0200 for a million tokens/u);
      const unasked = await embeddings(dataDir, 'migrate');
      expect(unasked).toMatchObject({ status: 2 });
      expect(unasked.stderr).toContain('--yes');

      const end = load(api);
      const detached = await embeddings(dataDir, 'migrate', '--yes', '--detach');
      expect(detached).toMatchObject({ status: 0 });
      expect(detached.stdout).toContain('It has begun');
      await killWorker(stack);
      const migrated = await embeddings(dataDir, 'migrate', '--yes');
      expect(migrated).toMatchObject({ status: 0 });
      expect(migrated.stdout).toContain('Every search uses the new model');
      const { searches, lost, written } = await end();
      expect(lost).toEqual([]);
      expect(searches).toBeGreaterThan(0);
      for (const content of [...contents.slice(0, 20), ...written.slice(-20)]) {
        expect(await answersTo(api, { query: content, mode: 'semantic' })).toContain(content);
      }
      const byMeaning = { query: BY_MEANING.asked, mode: 'semantic', threshold: 0 } as const;
      expect((await answersTo(api, byMeaning))[0]).toBe(BY_MEANING.said);
      const kept = await embeddings(dataDir, 'status');
      expect(kept.stdout).toMatch(/other {2}Dropping, .* kept until /u);

      const back = load(api, 2 * LATE);
      const rolledBack = await embeddings(dataDir, 'rollback');
      expect(rolledBack).toMatchObject({ status: 0 });
      expect((await back()).lost).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

/** What this machine lacks, in words for a person; null where it lacks nothing. */
function missingForEmbeddings(): Promise<string | null> {
  return missingForEmbeddingServer(platform());
}

/** Installs it once into the tool cache, and starts it on a free port. */
function startTestEmbeddings(): Promise<EmbeddingServer> {
  return startEmbeddingServer(platform());
}

function platform(): Platform {
  return nodePlatform(process.env);
}
