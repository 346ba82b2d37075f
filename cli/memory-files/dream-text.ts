/** Describes the result of a dream in sentences. Pure. */
import type { DreamAnswer, DreamBrief } from '#api/schemas/dream.ts';
import type { DreamOutcome } from '#core/records/dream-outcome.ts';
import type { GuardFinding } from '#core/records/proposal.ts';
import { EXTRACTIVE_NAME } from '#core/refresh/model-choice.ts';
import { bold, count, dim, wrapped, visible, lineWidth, shortenToWidth } from '../terminal-text.ts';
import { commandLine, type CommandPlace } from './memory-file-options.ts';

const STAYS = 'MEMORY.md stays as it is';

/** Why MEMORY.md was written or not, for outcomes whose sentence needs no numbers. */
const OUTCOMES: Readonly<Record<Exclude<DreamOutcome, 'Dreamed' | 'Waiting'>, string>> = {
  Unchanged: 'MEMORY.md already says everything that matters, so it stays as it is.',
  NothingNew: `The daily files of the look-back contain nothing new: ${STAYS}.`,
  SameContent: `The daily files say only what the last dream already read: ${STAYS}.`,
  DeadLettered:
    `Three dreams produced nothing: ${STAYS}. If the model gets nothing out of a block, Varve ` +
    'sets it aside, and the diary says so. If the model failed, dreams wait for the next block.',
  LowGrounding: `Too little of what the model said is in its sources: ${STAYS}.`,
  Outdated: 'MEMORY.md changed in the meantime; the next dream reads it again.',
  BudgetExhausted: `The budget does not allow the call: ${STAYS}.`,
  Failed: `The dream failed for good: ${STAYS}. The next dream reads what is new.`,
};

const FINDINGS: Readonly<Record<GuardFinding, string>> = {
  ApprovalRequired: 'its DeepDream asks for approval',
  TooManyRemoved: 'it removes more lines than a dream may without approval',
  TooManyAdded: 'it adds more lines than a dream may without approval',
  TooManyArchived: 'it archives more lines than a dream may without approval',
};

/** What happened to a proposal that waited when its dream ended. */
const DECIDED: Readonly<Record<Exclude<DreamAnswer['state'], 'Waiting'>, string>> = {
  Approved: 'it was approved, and is written as soon as a worker runs',
  Applied: 'it was approved, and is written',
  Rejected: `it was rejected, and ${STAYS}`,
  Outdated: `it is outdated, and ${STAYS}`,
};

/**
 * Describes an outcome.
 * @param dream its proposal; null if it proposed nothing
 * @param place of the commands in the text
 */
export function outcomeText(
  outcome: DreamOutcome,
  dream: DreamAnswer | null,
  place: CommandPlace,
): string {
  if (outcome === 'BudgetExhausted') {
    return `${OUTCOMES[outcome]} See ${commandLine(['budget', 'show'], place)}.`;
  }
  if (outcome === 'Unchanged' && dream !== null) return unchangedText(dream);
  if (outcome !== 'Dreamed' && outcome !== 'Waiting') return OUTCOMES[outcome];
  if (dream === null) return 'MEMORY.md was rewritten.';
  const rows = differenceRows(dream);
  if (outcome === 'Dreamed') return [`${changesText(dream)}.`, ...rows].join('\n');
  const { state } = dream;
  if (state !== 'Waiting') return [`${changesText(dream)}: ${DECIDED[state]}.`, ...rows].join('\n');
  const waits = `${changesText(dream)}: it waits for a person${whyText(dream)}.`;
  return [waits, ...rows, decisionHint(dream, place)].join('\n');
}

/** Without a model nothing judges what counts, so what was read may not have been worth keeping. */
function unchangedText({ readLines, model }: DreamAnswer): string {
  const read = count(readLines, 'line');
  if (model !== EXTRACTIVE_NAME) return `${OUTCOMES.Unchanged} ${read} read.`;
  return `${read} read, none added to MEMORY.md: already in it, or not lasting.`;
}

/** Says that a proposal of an earlier dream waits for a decision, and how to view it. */
export function waitingText({ id }: Pick<DreamBrief, 'id'>, place: CommandPlace): string {
  return `A proposal waits for a person: ${commandLine(['dream', 'show', id], place)}`;
}

/** Describes one proposal in full. */
export function dreamText(dream: DreamAnswer, place: CommandPlace): string {
  const { id, state, at, baseVersion, schedule } = dream;
  const diary = unreportedDiary(dream);
  const from = baseVersion === 0 ? 'no MEMORY.md' : `version ${String(baseVersion)} of MEMORY.md`;
  const rules =
    schedule === null ? 'no DeepDream covers its subject' : `under the rules of ${schedule}`;
  return [
    `${bold(id)}  ${state}${state === 'Waiting' ? whyText(dream) : ''}`,
    dim(`made at ${new Date(at).toISOString()} from ${from}; ${rules}`),
    ...decisionRows(dream),
    `${changesText(dream)}.`,
    ...differenceRows(dream),
    ...(diary.length === 0 ? [] : ['diary', ...diary.map((line) => wrapped(line, '  '))]),
    ...(state === 'Waiting' ? [decisionHint(dream, place)] : []),
  ].join('\n');
}

export function dreamRow(dream: DreamBrief): string[] {
  const { id, subject, state, at, added, removed, readLines } = dream;
  return [
    id,
    subject === null ? '' : `${subject.kind}/${subject.id}`,
    state,
    new Date(at).toISOString(),
    `+${String(added)} -${String(removed)}`,
    String(readLines),
  ];
}

function changesText({ difference, kept, readLines }: DreamAnswer): string {
  const { added, removed, replaced, archived } = difference;
  const gone = removed.length + replaced.length;
  const moved = archived.length === 0 ? '' : `, ${String(archived.length)} moved to the archive`;
  const lines = count(added.length, 'line');
  const read = `${lines} added of ${String(readLines)} read`;
  return `${read}, ${String(gone)} removed, ${String(kept)} kept${moved}`;
}

/** Shown only without a model: no later dream reads what was left, and a model reports it. */
const LEFT_WITHOUT_MODEL =
  'Without a model, a dream keeps what fits, and only a few lines of a conversation; the rest ' +
  'stays in the daily files, and no later dream reads it.';

function differenceRows(dream: DreamAnswer): readonly string[] {
  const { difference, leftBlocks, model, readLines } = dream;
  const { added, removed, replaced, archived, dropped } = difference;
  return [
    ...markedLines('+', added),
    ...markedLines('-', [...removed, ...replaced]),
    ...markedLines('>', archived),
    ...(dropped.length === 0 ? [] : [`${count(dropped.length, 'line')} left out:`]),
    ...dropped.flatMap(({ text, reason }) => markedLines('x', [{ text: `${reason}: ${text}` }])),
    ...(model === EXTRACTIVE_NAME && added.length < readLines ? [LEFT_WITHOUT_MODEL] : []),
    ...(leftBlocks === 0
      ? []
      : [`${count(leftBlocks, 'block')} did not fit; left for the next dream`]),
  ];
}

function decisionRows({ decision }: DreamAnswer): readonly string[] {
  if (decision === null) return [];
  const { at, principal, reason } = decision;
  const why = reason === '' ? '' : `: ${reason}`;
  return [dim(visible(`decided at ${new Date(at).toISOString()} by ${principal}${why}`))];
}

function whyText({ findings }: DreamAnswer): string {
  if (findings.length === 0) return '';
  return `, since ${findings.map((finding) => FINDINGS[finding]).join(', and ')}`;
}

/** Returns the diary lines that the text above does not already contain. */
function unreportedDiary({ diary, difference }: DreamAnswer): readonly string[] {
  const { added, removed, archived, dropped } = difference;
  const reported = new Set([...added, ...removed, ...archived].map(({ text }) => text));
  const isLeftOut = (line: string): boolean =>
    dropped.some(({ text, reason }) => line.startsWith(text) && line.endsWith(`: ${reason})`));
  return diary.filter((line) => !reported.has(line) && !isLeftOut(line));
}

function decisionHint({ id }: DreamAnswer, place: CommandPlace): string {
  const approve = commandLine(['dream', 'approve', id], place);
  return `${approve}\n${commandLine(['dream', 'reject', id, '--reason', 'WHY'], place)}`;
}

const INDENT = '  ';

/** Lines after a mark such as `+`, one row each; shortened only on a terminal. */
function markedLines(mark: string, lines: readonly { readonly text: string }[]): string[] {
  const { isTTY } = process.stdout;
  const room = isTTY ? lineWidth() - INDENT.length - mark.length - 1 : Infinity;
  return lines.map(({ text }) => `${INDENT}${mark} ${shortenToWidth(text, room)}`);
}
