/** `varve erase` and `varve erasures`: erases for good, and lists the receipts of erasures. */
import { chunked } from '#core/chunks-and-pages.ts';
import { open } from 'node:fs/promises';
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { ErasedAnswer, Reapplied } from '#api/schemas/erasure.ts';
import { VarveError } from '#core/errors.ts';
import { paged, printJsonLines } from '../json-lines.ts';
import { openLibraryForCommand, type Ordering } from '../open-library-for-command.ts';
import type { Config } from '../config.ts';
import { renderTable } from '../terminal-text.ts';
import { print, type TenantOptions } from '../memory-files/memory-file-options.ts';
import { inputFromOptions } from '../operation-input.ts';

interface EraseOptions extends TenantOptions {
  readonly memory?: string;
  readonly session?: string;
  readonly turn?: string;
  readonly user?: string;
  readonly everything?: boolean;
  readonly receipts?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** @throws VarveError INVALID_INPUT naming the wrong option */
export async function eraseCommand(config: Config, options: EraseOptions): Promise<void> {
  const { tenant, dryRun = false, yes = false, json = false, receipts } = options;
  const target = receipts === undefined ? targetOf(options) : null;
  if (!dryRun && !yes) {
    const message = 'Erased data cannot be restored: preview with --dry-run, then add --yes.';
    throw new VarveError('INVALID_INPUT', message);
  }
  if (receipts !== undefined) return eraseAgain(config, { ...options, file: receipts });
  if (target === null && dryRun) {
    const message = '--dry-run takes --memory, --session, --user or --receipts.';
    throw new VarveError('INVALID_INPUT', message);
  }
  if (target !== null) checkedInput(OPERATIONS.memory.erase, { tenant, target, dryRun });
  await using ordering = await openLibraryForCommand(config);
  const { varve } = ordering;
  const answer =
    target === null
      ? await varve.tenant.erase({ tenant, confirm: tenant })
      : await varve.memory.erase({ tenant, target, dryRun });
  const isNothing = answer.state === 'Nothing';
  if (json || !isNothing) print(answer, json ? null : erasureText(answer));
  if (isNothing) throw nothingErased(tenant, target);
}

/** Returns the error if nothing was found, which is also the case if it was erased before. */
export function nothingErased(tenant: string, target: ReturnType<typeof targetOf>): VarveError {
  const place = target?.kind === 'Turn' ? ` in session ${target.sessionId}` : '';
  const what = target === null ? 'nothing' : `no ${target.kind.toLowerCase()} ${target.id}${place}`;
  const why =
    target === null
      ? 'Is the name of the tenant misspelled?'
      : 'Is the id misspelled or cut off, or was it erased before? varve erasures lists what was.';
  return new VarveError(
    'NOT_FOUND',
    `The tenant ${tenant} has ${what}; nothing was erased. ${why}`,
  );
}

/** Receipts of one call, which stays short. */
const RECEIPTS_AT_ONCE = 20;

/** Repeats the erasures of a file of receipts, as `varve erasures --json-lines` prints them. */
async function eraseAgain(
  config: Config,
  { tenant, file, dryRun = false, json = false }: EraseOptions & { readonly file: string },
): Promise<void> {
  const receipts = await receiptsIn(file);
  await using ordering = await openLibraryForCommand(config);
  const outcomes: Reapplied['outcomes'][number][] = [];
  for (const some of chunked(receipts, RECEIPTS_AT_ONCE)) {
    const asked = checkedInput(OPERATIONS.erasure.reapply, {
      tenant,
      receipts: [...(some as AskedReceipts)],
      dryRun,
    });
    outcomes.push(...(await ordering.varve.erasure.reapply(asked)).outcomes);
  }
  const counts = [...Map.groupBy(outcomes, ({ outcome }) => outcome)];
  const rows = counts.map(([outcome, each]) => [String(each.length), AGAIN_WORDS[outcome]]);
  const none = 'The file has no receipt.';
  const text = rows.length === 0 ? none : renderTable(['receipts', 'of what'], rows);
  print({ outcomes }, json ? null : text);
}

type AskedReceipts = Parameters<Ordering['varve']['erasure']['reapply']>[0]['receipts'];

const AGAIN_WORDS: Readonly<Record<Reapplied['outcomes'][number]['outcome'], string>> = {
  Known: 'was erased here before',
  Absent: 'is not here',
  Present: 'is here again, and would go',
  Erased: 'was here again, and is erased',
};

/** @throws VarveError INVALID_INPUT naming the line that is not a receipt */
async function receiptsIn(file: string): Promise<unknown[]> {
  const receipts: unknown[] = [];
  let number = 0;
  try {
    for await (const line of (await open(file)).readLines()) {
      number += 1;
      if (line.trim() !== '') receipts.push(JSON.parse(line));
    }
  } catch (cause) {
    const what = number === 0 ? 'it cannot be read' : `line ${String(number)} is not JSON`;
    const message = `--receipts takes a file of varve erasures --json-lines; ${what}.`;
    throw new VarveError('INVALID_INPUT', message, { cause });
  }
  return receipts;
}

export async function erasuresCommand(
  config: Config,
  options: TenantOptions & { readonly jsonLines?: boolean },
): Promise<void> {
  const { tenant, json = false } = options;
  const asked = inputFromOptions(OPERATIONS.erasure.list, options);
  await using ordering = await openLibraryForCommand(config);
  if (options.jsonLines === true) {
    await printAll(ordering, tenant);
    return;
  }
  const answer = await ordering.varve.erasure.list(asked);
  const rows = answer.receipts.map(({ sequence, erasedAt, of, by, erased, id }) => {
    const count = erased.reduce((sum, each) => sum + each.count, 0);
    return [sequence, new Date(erasedAt).toISOString(), of.kind, count, by, id].map(String);
  });
  const head = ['number', 'erased at', 'of', 'records', 'by', 'receipt'];
  const { brokenAt, pending, nextAfter } = answer;
  const chain =
    brokenAt === null
      ? 'The chain of receipts is whole.'
      : `Receipt ${String(brokenAt)} was changed or is missing.`;
  const lines = [
    rows.length === 0 ? 'Nothing was erased.' : renderTable(head, rows),
    ...(rows.length === 0 && brokenAt === null ? [] : [chain]),
    ...pending.map(
      ({ id, of }) => `Not done: ${of.kind} (${id}). To continue, run the same erasure again.`,
    ),
    ...(nextAfter === null ? [] : [`There are more: the same with --after ${String(nextAfter)}`]),
  ];
  print(answer, json ? null : lines.join('\n'));
}

/** Prints every receipt, oldest first, to be kept outside of backups. */
async function printAll({ varve }: Ordering, tenant: string): Promise<void> {
  const receipts = paged(async (after?: number) => {
    const { receipts: items, nextAfter: next } = await varve.erasure.list({ tenant, after });
    return { items, next };
  });
  await printJsonLines(receipts);
}

/** Returns null for everything of the tenant. */
function targetOf({ memory, session, turn, user, everything = false }: EraseOptions) {
  if (turn !== undefined && session === undefined) {
    const message = '--turn takes --session too: its id is unique only within its session.';
    throw new VarveError('INVALID_INPUT', message);
  }
  const named = [
    ...(memory === undefined ? [] : [{ kind: 'Memory', id: memory } as const]),
    ...(session === undefined ? [] : [ofSession(session, turn)]),
    ...(user === undefined ? [] : [{ kind: 'User', id: user } as const]),
    ...(everything ? [null] : []),
  ];
  const [target] = named;
  if (named.length === 1 && target !== undefined) return target;
  const message = 'Name one of --memory, --session, --user, --everything and --receipts.';
  throw new VarveError('INVALID_INPUT', message);
}

function ofSession(sessionId: string, turn: string | undefined) {
  if (turn === undefined) return { kind: 'Session', id: sessionId } as const;
  return { kind: 'Turn', sessionId, id: turn } as const;
}

/** Plural words for the kinds. */
const WORDS: Readonly<Record<ErasedAnswer['erased'][number]['kind'], string>> = {
  Memory: 'memories, with their history and vectors',
  Turn: 'turns',
  Session: 'sessions',
  User: 'users',
  Document: 'blocks and versions of Markdown files',
  Line: 'lines in Markdown files of others',
  Proposal: 'proposals of dreams',
  ApiKey: 'API keys',
  Call: 'kept answers of calls',
  AuditEntry: 'audit entries, which stay without these ids',
  Record: 'other records: summaries, facts, variants, keys',
};

function erasureText({ erased, receipt }: ErasedAnswer): string {
  const rows = erased.map(({ kind, count }) => [String(count), WORDS[kind]]);
  const table = rows.length === 0 ? 'nothing' : renderTable(['count', 'of'], rows);
  if (receipt === null) return `${table}\nThis would go; nothing was written.`;
  const { sequence, id, hash, files } = receipt;
  return [
    table,
    `Erased for good. Receipt ${String(sequence)}: ${id}`,
    `hash ${hash}`,
    ...(files.rewritten ? [] : ['The database did not free the space of the erased data.']),
    ...(files.remains.length === 0
      ? []
      : [`Its server may keep traces for a while: ${files.remains.join(', ')}.`]),
  ].join('\n');
}
