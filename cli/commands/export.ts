/** `varve export`: prints everything held about a person, one JSON object per line. */
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import { VarveError } from '#core/errors.ts';
import { MEMORY_PATH } from '#core/memory-files/paths.ts';
import { paged, printJsonLines } from '../json-lines.ts';
import { openLibraryForCommand } from '../open-library-for-command.ts';
import type { Config } from '../config.ts';
import type { Varve } from '../open-varve.ts';

const PAGE = 100;
const VERSIONS_PAGE = 50;

export interface ExportOptions {
  readonly tenant: string;
  readonly user: string;
}

/** One line: a record as its operation returns it, and its kind. */
export interface Held {
  readonly held: 'Memory' | 'Change' | 'Session' | 'Turn' | 'Summary' | 'File' | 'Dream' | 'ApiKey';
}

interface Person {
  readonly tenant: string;
  readonly userId: string;
}

/** @throws VarveError NOT_FOUND if nothing is held */
export async function exportCommand(
  config: Config,
  { tenant, user }: ExportOptions,
): Promise<void> {
  checkedInput(OPERATIONS.conversation.list, { tenant, identifiers: { userId: user } });
  await using ordering = await openLibraryForCommand(config);
  const lines = await printJsonLines(heldOf(ordering.varve, { tenant, userId: user }));
  if (lines > 0) return;
  const message = `The tenant ${tenant} has no data about the user ${user}. Is the id misspelled?`;
  throw new VarveError('NOT_FOUND', message);
}

/** Yields what an erasure of the person would remove, as far as it has their words or name. */
export async function* heldOf(varve: Varve, { tenant, userId }: Person): AsyncGenerator<Held> {
  const identifiers = { userId };
  yield* memories(varve, { tenant, identifiers, layers: ['user'] });
  yield* summary(varve, 'user', { tenant, identifiers });
  const listed = paged(async (cursor?: string) => {
    const page = await varve.conversation.list({ tenant, identifiers, limit: PAGE, cursor });
    return { items: page.sessions, next: page.nextCursor };
  });
  for await (const session of listed) {
    yield { held: 'Session', ...session };
    yield* ofSession(varve, tenant, session);
  }
  yield* files(varve, { tenant, userId });
  for (const key of (await varve.key.list({ tenant })).keys) {
    if (key.identifiers.userId === userId) yield { held: 'ApiKey', ...key };
  }
}

type Session = Awaited<ReturnType<Varve['conversation']['list']>>['sessions'][number];

/** Yields the turns of a session, and the memories extracted from it in any layer. */
async function* ofSession(
  varve: Varve,
  tenant: string,
  { sessionId, identifiers: { agentId, projectId } }: Session,
): AsyncGenerator<Held> {
  const turns = paged(async (after?: number) => {
    const page = await varve.conversation.messages({ tenant, sessionId, limit: PAGE, after });
    return { items: page.messages, next: page.nextAfter };
  });
  for await (const turn of turns) yield { held: 'Turn', ...turn };
  const alone = { tenant, identifiers: { sessionId } };
  yield* memories(varve, { ...alone, layers: ['session'] });
  yield* summary(varve, 'session', alone);
  const shared = {
    ...(agentId === undefined ? {} : { agentId }),
    ...(projectId === undefined ? {} : { projectId }),
  };
  if (Object.keys(shared).length === 0) return;
  const filter = { field: 'session', eq: sessionId };
  yield* memories(varve, { tenant, identifiers: shared, filter });
}

/** Yields memories, superseded ones too, and the earlier versions of each. */
async function* memories(
  varve: Varve,
  asked: Parameters<Varve['memory']['list']>[0],
): AsyncGenerator<Held> {
  const listed = paged(async (cursor?: string) => {
    const page = await varve.memory.list({
      ...asked,
      latestOnly: false,
      markOutdated: false,
      limit: PAGE,
      cursor,
    });
    return { items: page.memories, next: page.nextCursor };
  });
  for await (const memory of listed) {
    yield { held: 'Memory', ...memory };
    const done = paged(async (beforeVersion?: number) => {
      const of = { tenant: asked.tenant, id: memory.id, limit: PAGE, beforeVersion };
      const { changes } = await varve.memory.history(of);
      return { items: changes, next: changes.length < PAGE ? null : changes.at(-1)?.version };
    });
    for await (const change of done) {
      if (change.action !== 'Added') yield { held: 'Change', ...change };
    }
  }
}

async function* summary(
  varve: Varve,
  layer: 'session' | 'user',
  of: Parameters<Varve['summary']['list']>[0],
): AsyncGenerator<Held> {
  for (const { scope, summary: made } of (await varve.summary.list(of)).summaries) {
    if (scope.layer === layer && made !== null) yield { held: 'Summary', ...made };
  }
}

/** Yields daily files, archives, diaries, every version of MEMORY.md, and proposals of dreams. */
async function* files(varve: Varve, { tenant, userId }: Person): AsyncGenerator<Held> {
  const of = { tenant, subject: { kind: 'user' as const, id: userId } };
  const paths = paged(async (after?: string) => {
    const { paths: items } = await varve.document.list({ ...of, limit: PAGE, after });
    return { items, next: items.length < PAGE ? null : items.at(-1) };
  });
  for await (const path of paths) {
    // Exported below by its versions, which are complete.
    if (path === MEMORY_PATH) continue;
    const parts = paged(async (after?: number) => {
      const part = await varve.document.get({ ...of, path, after });
      return { items: part === null ? [] : [part], next: part?.nextAfter };
    });
    for await (const part of parts) yield { held: 'File', ...part };
  }
  const versions = paged(async (before?: number) => {
    const page = await varve.document.versions({ ...of, limit: VERSIONS_PAGE, before });
    return { items: page.versions, next: page.nextBefore };
  });
  for await (const { version } of versions) {
    const file = await varve.document.get({ ...of, version });
    if (file !== null) yield { held: 'File', ...file };
  }
  const proposals = paged(async (before?: string) => {
    const { dreams: items } = await varve.dream.list({ ...of, limit: VERSIONS_PAGE, before });
    return { items, next: items.length < VERSIONS_PAGE ? null : items.at(-1)?.id };
  });
  for await (const { id } of proposals) {
    const dream = await varve.dream.get({ tenant, id });
    if (dream !== null) yield { held: 'Dream', ...dream };
  }
}
