/** `varve import`: imports files as memories and turns, then summarizes them. */
import { SILENT_LOG } from '#core/ports/platform.ts';
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { Identifiers } from '#core/identifiers.ts';
import { VarveError } from '#core/errors.ts';
import { count } from '../terminal-text.ts';
import { detectInput } from '../import/detect-format.ts';
import { readInput } from '../import/read-input.ts';
import { inputPathOf } from '../import/standard-input.ts';
import { writeImportedItems, type ImportReport } from '../import/write-imported-items.ts';
import { withAuditAndCallLimits } from '../composition-root.ts';
import { openVarve } from '../open-varve.ts';
import { createProgress, inputStep } from '../progress-bar.ts';
import { endWithin, shutdownSignal } from '../shutdown.ts';
import { readAddresses, stackPaths } from '../installation-files.ts';
import type { Config } from '../config.ts';

/** After a signal, a summary that is being made has this long to be stored. */
const SUMMARIZING_GRACE_MS = 5_000;

/** The project of what is nobody's else. */
const PROJECT = 'default';

export interface ImportOptions {
  readonly tenant: string;
  readonly project?: string;
  readonly user?: string;
  /** The name of the only input. */
  readonly name?: string;
  readonly skipInvalid?: boolean;
}

/** A stack that runs on the folder is notified and refreshes; otherwise this process does. */
export async function importCommand(
  config: Config,
  paths: readonly string[],
  { tenant, project, user, name, skipInvalid = false }: ImportOptions,
): Promise<void> {
  if (name !== undefined && paths.length > 1) {
    throw new VarveError(
      'INVALID_INPUT',
      `--name ${name} names a single input, but there are ${String(paths.length)} paths. Import ` +
        'that input by itself.',
    );
  }
  const twice = paths.find((path, place) => paths.indexOf(path) !== place);
  if (twice !== undefined) {
    throw new VarveError('INVALID_INPUT', `${twice} is named twice. Name each path once.`);
  }
  const identifiers = identifiersForImport(user, project);
  // Fails before anything is stored, and once instead of for every file.
  checkedInput(OPERATIONS.summary.list, { tenant, identifiers });
  const report = createProgress({ stream: process.stderr });
  const signal = shutdownSignal();
  const running = await readAddresses(stackPaths(config.dataDir).addresses);
  const temporal =
    running === null
      ? {}
      : { temporal: { address: running.temporalAddress, namespace: running.temporalNamespace } };
  await using varve = await openVarve({
    log: SILENT_LOG,
    dataDir: config.dataDir,
    settings: withAuditAndCallLimits(config.settings),
    ...temporal,
  });
  for (const path of paths) {
    await using input = await inputPathOf(path, process.stdin, { name, signal });
    try {
      const detected = await detectInput(input.path, input.name);
      let skipped = 0;
      const items = readInput(detected, {
        // Undated turns end now, so that they are newer than what the store has.
        endTime: Date.now(),
        identifiers,
        owner: ownerOf(user, project),
        signal,
        skipInvalid,
        onSkip: ({ kind, problem }) => {
          if (kind === 'invalid') skipped += 1;
          report.line(input.told(problem).message);
        },
        onProgress: (read) => {
          report.step(inputStep(`reading ${path}`, read));
        },
      });
      const done = await writeImportedItems(items, varve, { tenant, identifiers });
      process.stdout.write(`${path}: ${reportText({ ...done, skipped })}\n`);
      if (done.withoutVector > 0) {
        const without = `${count(done.withoutVector, 'memory')} without a vector`;
        report.line(
          `${without}: the embedder did not answer, so for now only their words find them`,
        );
      }
      if (done.differingIds.length > 0) report.line(`${path}: ${knownIds(done.differingIds)}`);
    } catch (error) {
      throw error instanceof VarveError ? input.told(error) : error;
    }
  }
  if (running !== null) {
    process.stdout.write(
      `The running varve summarizes what changed; see ${running.uiUrl ?? 'Temporal'}.\n`,
    );
    return;
  }
  report.line('summarizing');
  // What was imported is stored: a signal leaves only summaries to the next run.
  endWithin(signal, SUMMARIZING_GRACE_MS);
  const { generated, unchanged, failures } = await varve.refresh({ tenant });
  process.stdout.write(`${count(generated, 'summary')} made, ${String(unchanged)} unchanged.\n`);
  for (const { code, batches, message } of failures) {
    process.stdout.write(
      `${batches === 0 ? 'Waiting' : `${count(batches, 'batch')} failed`}: ${code}: ${message}\n`,
    );
  }
}

/** A user's data belongs to a project only if one is named. */
export function identifiersForImport(user?: string, project?: string): Identifiers {
  if (user === undefined) return { projectId: project ?? PROJECT };
  return { userId: user, ...(project === undefined ? {} : { projectId: project }) };
}

/** A user and a project may have one name. */
function ownerOf(user?: string, project?: string): readonly string[] {
  if (user !== undefined) return [user];
  return project === undefined || project === PROJECT ? [] : ['project', project];
}

const IDS_SHOWN_MAX = 5;

/** Says which messages came again under their ids with other words. */
function knownIds(ids: readonly string[]): string {
  const shown = ids.slice(0, IDS_SHOWN_MAX).map((id) => JSON.stringify(id));
  const more = ids.length > shown.length ? ', …' : '';
  return (
    `${count(ids.length, 'turn')} not changed: the id already has another text, which stays. ` +
    `To store both, give new ids: ${shown.join(', ')}${more}`
  );
}

function reportText({
  added,
  updated,
  unchanged,
  turns,
  scopes,
  skipped,
  deleted,
  differingIds,
}: ImportReport & { readonly skipped: number }): string {
  const counts = [
    [added, `${count(added, 'memory')} added`],
    [updated, `${String(updated)} updated`],
    [turns, `${count(turns, 'turn')} appended`],
    [unchanged, `${String(unchanged)} unchanged`],
    [deleted, `${String(deleted)} deleted before`],
    [differingIds.length, `${String(differingIds.length)} with a known id and another text`],
    [skipped, `${String(skipped)} skipped`],
  ] as const;
  const some = counts.filter(([number]) => number > 0).map(([, what]) => what);
  const [only] = scopes.values();
  const isOne = scopes.size === 1 && only?.layer === 'session';
  const where = isOne ? `session ${only.identifiers.sessionId ?? ''}` : count(scopes.size, 'scope');
  return `${some.length === 0 ? 'nothing new' : some.join(', ')} in ${where}`;
}
