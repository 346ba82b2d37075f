/**
 * Makes the proposal of a dream: the next MEMORY.md, and whether it needs an approval. Pure:
 * the same answer over the same material gives the same proposal, except for new ids.
 */
import type { TokenCounter } from '../ports/token-counter.ts';
import type { DocumentLine } from '../records/document.ts';
import type { GuardFinding, Proposal } from '../records/proposal.ts';
import type { SubjectRecord } from '../records/subject-record.ts';
import { groupedByHeading } from '../memory-files/daily-and-diary-text.ts';
import { readDreamAnswer, type DreamAnswer } from './dream-answer.ts';
import { diaryLines, type DreamReport } from './dream-diary.ts';
import {
  judgedDream,
  supportedNotes,
  type DreamMaterial,
  type JudgedDream,
  type JudgeTools,
} from './dream-grounding.ts';
import { approvalFindings, type DreamGuards } from './approval-guards.ts';
import { fittedMemory } from './memory-md-size.ts';
import { stillUnread } from './passed-over-blocks.ts';
import { isContained, isRepeated, comparableLine, isUnchanged } from './compare-lines.ts';

export interface ProposalParts extends DreamMaterial {
  /** The answer of the model. */
  readonly answer: string;
  readonly guards: DreamGuards;
  /** What was not read (`FittedDream`), for the diary. */
  readonly leftBlocks: number;
  readonly unreadLines: number;
  /** For the diary: whether the text is a fallback, since the model failed on what it read. */
  readonly isFallback?: boolean | undefined;
  /** Blocks that earlier dreams read without keeping anything from them. */
  readonly passedOver?: SubjectRecord['passedOver'];
}

interface ProposalTools extends JudgeTools {
  readonly tokens: TokenCounter;
  /** The time of the dream, in milliseconds since the epoch. */
  readonly at: number;
}

export interface ProposalDraft extends Pick<
  Proposal,
  'lines' | 'added' | 'removed' | 'archived' | 'dropped' | 'findings' | 'diary'
> {
  readonly outcome: 'Dreamed' | 'Unchanged' | 'Waiting' | 'LowGrounding';
  /** Ids of blocks that stay unread because nothing was kept from them. */
  readonly unread: readonly string[];
}

/** @throws VarveError MODEL_OUTPUT_INVALID if the answer has no section `[MEMORY]` */
export function makeProposal(parts: ProposalParts, tools: ProposalTools): ProposalDraft {
  const { base, guards } = parts;
  const answer = readDreamAnswer(parts.answer);
  const judged = judgedDream(answer.lines, parts, tools);
  const dropped = judged.dropped.map(({ text, reason }) => ({ text, reason }));
  const refusal = refusalOf(answer, judged);
  if (refusal !== null) {
    const report = {
      ...NOTHING,
      ...parts,
      passedOver: [],
      unread: [],
      said: [],
      dropped: judged.dropped,
      refusal,
    };
    return {
      ...NOTHING,
      outcome: 'LowGrounding',
      unread: [],
      lines: [...base],
      dropped,
      diary: diaryLines(report, tools),
    };
  }
  // An answer without any line is taken as forgotten, not as a request to remove all lines.
  const isForgotten = answer.lines.length === 0;
  const removed = isForgotten ? [] : judged.missing;
  const staying = isForgotten ? [...judged.spared, ...judged.missing] : judged.spared;
  const fresh = new Set(judged.added.map(({ id }) => id));
  const whole = withStaying(judged.lines, staying, base);
  const fitted = fittedMemory(whole, {
    isNew: ({ id }) => fresh.has(id),
    tokens: tools.tokens,
    tokensMax: parts.question.tokensMax,
  });
  const { archived } = fitted;
  const lines = groupedByHeading(fitted.lines);
  const added = judged.added.filter((line) => lines.includes(line));
  const gone = removed.length + judged.joined;
  const was = new Set(base.map(({ id }) => id));
  const moved = archived.filter(({ id }) => was.has(id)).length;
  const findings = approvalFindings({ added: added.length, gone, moved, of: base.length }, guards);
  const isChanged = !isUnchanged({ lines }, { lines: base });
  const unread = unreadOf(parts, judged);
  const report = {
    ...parts,
    added,
    removed,
    archived,
    replaced: judged.replaced,
    dropped: judged.dropped,
    passedOver: judged.passedOver,
    unread,
    // Without a model, the notes come from counting.
    said: parts.isWithoutModel === true ? answer.diary : supportedNotes(answer.diary, parts),
    refusal: null,
  };
  return {
    outcome: outcomeOf(isChanged, findings),
    unread,
    lines: isChanged ? [...lines] : [...base],
    added: added.map(({ id }) => id),
    removed: removed.map(({ id }) => id),
    archived: [...archived, ...outdatedOf(parts, judged)],
    dropped,
    findings: isChanged ? findings : [],
    diary: diaryLines(report, tools),
  };
}

const NOTHING = {
  lines: [],
  added: [],
  removed: [],
  archived: [],
  findings: [],
  replaced: new Map<string, readonly DocumentLine[]>(),
};

/**
 * Returns why an answer is refused, or null. One that broke off may not have reached everything
 * that was read, and no later dream would read that again.
 */
function refusalOf(answer: DreamAnswer, judged: JudgedDream): DreamReport['refusal'] {
  if (!answer.isWhole) return 'BrokeOff';
  return judged.isSufficient ? null : 'Unsupported';
}

/** Returns the old values that a dream without a model replaced by patterns, for the archive. */
function outdatedOf(
  { isWithoutModel }: ProposalParts,
  judged: JudgedDream,
): readonly DocumentLine[] {
  if (isWithoutModel !== true) return [];
  return judged.added.flatMap(({ id, text }) => {
    const by = comparableLine(text);
    const olds = judged.replaced.get(id) ?? [];
    return olds.filter((old) => {
      const read = comparableLine(old.text);
      return !isContained(read, by) && !isRepeated(read, by);
    });
  });
}

/** Returns the blocks to read again: none without a model, and none that must not be kept. */
function unreadOf(
  { blocks, isWithoutModel, passedOver }: ProposalParts,
  judged: JudgedDream,
): readonly string[] {
  if (isWithoutModel === true) return [];
  const open = new Set(judged.passedOver.filter(({ id }) => !judged.unwanted.has(id)).map(idOf));
  const left = blocks.filter(({ id }) => open.has(id));
  return stillUnread({ passedOver }, left).map(idOf);
}

function idOf({ id }: { readonly id: string }): string {
  return id;
}

function outcomeOf(
  isChanged: boolean,
  findings: readonly GuardFinding[],
): ProposalDraft['outcome'] {
  if (!isChanged) return 'Unchanged';
  return findings.length > 0 ? 'Waiting' : 'Dreamed';
}

/** Puts lines that stay after the same line as before. */
function withStaying(
  lines: readonly DocumentLine[],
  staying: readonly DocumentLine[],
  base: readonly DocumentLine[],
): readonly DocumentLine[] {
  if (staying.length === 0) return lines;
  const stays = new Set(staying.map(({ id }) => id));
  const there = new Set(lines.map(({ id }) => id));
  const behind = new Map<string | null, DocumentLine[]>();
  let last: string | null = null;
  for (const line of base) {
    if (there.has(line.id)) last = line.id;
    else if (stays.has(line.id)) behind.set(last, [...(behind.get(last) ?? []), line]);
  }
  const first = behind.get(null) ?? [];
  return [...first, ...lines.flatMap((line) => [line, ...(behind.get(line.id) ?? [])])];
}
