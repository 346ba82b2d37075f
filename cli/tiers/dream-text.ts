/** What came of a dream, in sentences. Pure. */
import type { DreamAnswer, DreamBrief } from '#api/shown-dream.ts';
import type { DreamOutcome } from '#core/records/dream-outcome.ts';
import type { GuardFinding } from '#core/records/proposal.ts';
import { bold, count, dim, wrapped } from '../demo/text.ts';
import { markedLines } from './line-list.ts';

const STAYS = 'MEMORY.md stays as it is';

/** Why MEMORY.md was written or not, where a sentence needs no figures. */
const OUTCOMES: Readonly<Record<Exclude<DreamOutcome, 'Dreamed' | 'Waiting'>, string>> = {
  Unchanged: `It says all that counts already: ${STAYS}.`,
  NothingNew: `No daily file of the look-back has anything that was not dreamed: ${STAYS}.`,
  SameContent: `The daily files say what the last dream has read: ${STAYS}.`,
  GivenUp:
    `Three dreams came to nothing: ${STAYS}. A block of which the model makes nothing is set ` +
    'aside, as the diary says; where the model failed, dreams wait for the next block.',
  LowGrounding: `Too little of what the model said stands in its sources: ${STAYS}.`,
  Outdated: 'MEMORY.md was written by another meanwhile; the next dream reads it anew.',
  BudgetExhausted: `The budget does not allow the call: ${STAYS}. See varve budget show.`,
  Failed: `The dream failed to its end: ${STAYS}. What is new waits for the next one.`,
};

const FINDINGS: Readonly<Record<GuardFinding, string>> = {
  ApprovalRequired: 'its DeepDream asks for approval',
  TooManyRemoved: 'it takes away more lines than a dream may by itself',
  TooManyAdded: 'it adds more lines than a dream may by itself',
};

/** @param dream what it proposed; null where it proposed nothing */
export function outcomeText(outcome: DreamOutcome, dream: DreamAnswer | null): string {
  if (outcome !== 'Dreamed' && outcome !== 'Waiting') return OUTCOMES[outcome];
  if (dream === null) return 'MEMORY.md was written anew.';
  const rows = differenceRows(dream);
  if (outcome === 'Dreamed') return [`${changesText(dream)}.`, ...rows].join('\n');
  const waits = `${changesText(dream)}: it waits for a person${whyText(dream)}.`;
  return [waits, ...rows, decisionHint(dream)].join('\n');
}

/** Everything of one proposal. */
export function dreamText(dream: DreamAnswer): string {
  const { id, state, at, baseVersion, schedule, diary } = dream;
  const from = baseVersion === 0 ? 'no MEMORY.md' : `version ${String(baseVersion)} of MEMORY.md`;
  const asked = schedule === null ? 'somebody asked for it' : `by the DeepDream ${schedule}`;
  return [
    `${bold(id)}  ${state}${state === 'Waiting' ? whyText(dream) : ''}`,
    dim(`made at ${new Date(at).toISOString()} from ${from}; ${asked}`),
    ...decisionRows(dream),
    `${changesText(dream)}.`,
    ...differenceRows(dream),
    ...(diary.length === 0 ? [] : ['diary', ...diary.map((line) => wrapped(line, '  '))]),
    ...(state === 'Waiting' ? [decisionHint(dream)] : []),
  ].join('\n');
}

export function dreamRow({ id, subject, state, at, added, removed }: DreamBrief): string[] {
  return [
    id,
    subject === null ? '' : `${subject.kind}/${subject.id}`,
    state,
    new Date(at).toISOString(),
    `+${String(added)} -${String(removed)}`,
  ];
}

function changesText({ difference, kept }: DreamAnswer): string {
  const { added, removed, replaced, archived } = difference;
  const gone = removed.length + replaced.length;
  const moved = archived.length === 0 ? '' : `, ${String(archived.length)} moved to the archive`;
  const lines = count(added.length, 'line');
  return `${lines} added, ${String(gone)} removed, ${String(kept)} kept${moved}`;
}

function differenceRows({ difference, leftBlocks }: DreamAnswer): readonly string[] {
  const { added, removed, replaced, archived, dropped } = difference;
  return [
    ...markedLines('+', added),
    ...markedLines('-', [...removed, ...replaced]),
    ...markedLines('>', archived),
    ...(dropped.length === 0
      ? []
      : [`${count(dropped.length, 'line')} of the model left out, not supported by its sources`]),
    ...dropped.flatMap(({ text, reason }) => markedLines('x', [{ text: `${reason}: ${text}` }])),
    ...(leftBlocks === 0 ? [] : [`${count(leftBlocks, 'block')} had no room: the next dream's`]),
  ];
}

function decisionRows({ decision }: DreamAnswer): readonly string[] {
  if (decision === null) return [];
  const { at, principal, reason } = decision;
  const why = reason === '' ? '' : `: ${reason}`;
  return [dim(`decided at ${new Date(at).toISOString()} by ${principal}${why}`)];
}

function whyText({ findings }: DreamAnswer): string {
  if (findings.length === 0) return '';
  return `, since ${findings.map((finding) => FINDINGS[finding]).join(', and ')}`;
}

function decisionHint({ id }: DreamAnswer): string {
  return `varve dream approve ${id}\nvarve dream reject ${id} --reason WHY`;
}
