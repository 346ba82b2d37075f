/** Writes the diary of a dream: what its model says about it, and what happened to MEMORY.md. */
import type { DreamQuestion } from '../ports/dream-model.ts';
import type { NewId } from '../ports/platform.ts';
import {
  LINE_LENGTH_MAX,
  LINE_SOURCES_MAX,
  type DocumentLine,
  type Document,
} from '../records/document.ts';
import { diaryPath } from '../memory-files/paths.ts';
import { leastTrust } from '../trust.ts';
import { DIARY_LINES_MAX } from '../records/proposal.ts';
import { withoutSourceDate, type Source } from '../sources/source.ts';
import { shortenToUnits } from '../storable-text.ts';
import { saidOf } from '../text/joined-sentences.ts';
import { oneLine } from '../text/lines.ts';
import { saysNothing } from '../text/small-talk.ts';
import { DIARY_HEADING } from './applied-dream.ts';
import { comparableLine } from './compare-lines.ts';
import type { DroppedLine } from './dream-grounding.ts';
import { privateKind } from './secrets-and-emails.ts';

export interface DreamReport {
  readonly question: DreamQuestion;
  /** The blocks of the question, and MEMORY.md before the dream. */
  readonly blocks: readonly Document[];
  readonly base: readonly DocumentLine[];
  readonly added: readonly DocumentLine[];
  /** New blocks that support no line of MEMORY.md. */
  readonly passedOver: readonly Source[];
  /** Ids of blocks that the next dream reads again. */
  readonly unread: readonly string[];
  readonly replaced: ReadonlyMap<string, readonly DocumentLine[]>;
  readonly removed: readonly DocumentLine[];
  readonly archived: readonly DocumentLine[];
  readonly dropped: readonly DroppedLine[];
  readonly leftBlocks: number;
  readonly unreadLines: number;
  /** The model's own words; they are kept apart, since nothing proves them. */
  readonly said: readonly string[];
  /** Whether `said` comes from counting, not from a model. */
  readonly isWithoutModel?: boolean | undefined;
  /** Whether the text is a fallback, since the model gave no answer. */
  readonly isFallback?: boolean | undefined;
  /** Why nothing of the answer was used; null if something may have been. */
  readonly refusal: 'Unsupported' | 'BrokeOff' | null;
}

/** Why a line was left out, in words; all reasons of grounding share one text. */
const REASONS: Readonly<Record<string, string>> = {
  DeletedBefore: 'somebody deleted it before',
  EmailAddress: 'MEMORY.md may not contain an email address',
  LineTooLong: 'it is too long',
  NoSource: 'it names no source',
  NothingNew: 'nothing that it rests on is new',
  Secret: 'MEMORY.md may not contain a secret',
  UnknownSource: 'it names a source that does not exist',
};
const UNSUPPORTED = 'its sources do not say it';

const REFUSALS = {
  Unsupported: 'MEMORY.md stays as it was: too little of the answer is in its sources.',
  BrokeOff: 'MEMORY.md stays as it was: the answer broke off before its end. It is all read again.',
} as const;

type Entry = Pick<DocumentLine, 'heading' | 'text' | 'sources' | 'trust'>;

/** The heading of lines that nothing proves. */
const SAID_HEADING = 'In the words of the model';

/**
 * Whether a line of a diary is in the model's own words. It may be about anything that was read, so
 * it is valid only as long as all of that is.
 */
export function isModelsWord({ heading }: Pick<DocumentLine, 'heading'>): boolean {
  return heading === SAID_HEADING;
}

/** Returns at most `DIARY_LINES_MAX` lines; if there are more, the last one says so. */
export function diaryLines(
  report: DreamReport,
  { newId, at }: { readonly newId: NewId; readonly at: number },
): DocumentLine[] {
  const entries = entriesOf(report);
  const shown = entries.length > DIARY_LINES_MAX ? entries.slice(0, DIARY_LINES_MAX - 1) : entries;
  const left = entries.length - shown.length;
  const more: Entry = {
    heading: 'More',
    text: `${String(left)} more lines of this dream are not shown here.`,
    sources: [],
    trust: 'verified',
  };
  return [...shown, ...(left > 0 ? [more] : [])].map(({ heading, text, sources, trust }) => ({
    id: newId(),
    heading,
    text: shortenToUnits(text, LINE_LENGTH_MAX),
    sources: [...sources],
    trust,
    at,
  }));
}

/**
 * Puts what is gone before what is new, since it is recorded nowhere else. Each entry names the
 * statements that its words come from, so that it disappears from answers when they do.
 */
function entriesOf(report: DreamReport): readonly Entry[] {
  const { question, added, passedOver, replaced, removed, archived, dropped, said } = report;
  const isCounted = report.isWithoutModel === true;
  const saying = isCounted ? 'Without a model' : SAID_HEADING;
  const again = new Set(report.unread);
  const linesOfBlock = new Map(report.blocks.map(({ id, lines }) => [id, lines]));
  const allRead = isCounted
    ? []
    : sourcesOf([...[...linesOfBlock.values()].flat(), ...report.base]);
  const trust = leastTrust([...question.memory, ...question.daily].map((source) => source.trust));
  const lineEntry = (heading: string, line: DocumentLine): Entry => ({ ...line, heading });
  const inPlaceOf = [...replaced].flatMap(([id, lines]) => {
    const by = added.find((line) => line.id === id);
    return lines.map((line) => ({
      ...lineEntry('Changed', line),
      sources: sourcesOf([line, ...(by === undefined ? [] : [by])]),
      text: by === undefined ? `${line.text} (said by another line)` : `${line.text} → ${by.text}`,
    }));
  });
  return [
    ...statusEntries(report),
    ...said.map((text) => ({ heading: saying, text, sources: allRead, trust })),
    ...removed.map((line) => lineEntry('Removed', line)),
    ...inPlaceOf,
    ...archived.map((line) => lineEntry('Moved to the archive', line)),
    ...dropped.map(({ text, reason, rests }): Entry => ({
      heading: 'Left out',
      text: `${text} (${REASONS[reason] ?? UNSUPPORTED}: ${reason})`,
      sources: [...rests],
      trust: 'untrusted',
    })),
    ...added.filter(({ id }) => !replaced.has(id)).map((line) => lineEntry('Added', line)),
    // If a dream is refused, all blocks are read again or set aside.
    ...(isCounted && report.refusal === null ? notKept(report) : []),
    ...(isCounted ? [] : passedOver).map(({ id, text, trust: own }): Entry => ({
      heading: again.has(id) ? 'Not kept: the next dream reads it again' : NOT_KEPT,
      text: privateKind(text) === null ? oneLine(text) : 'A block with private content.',
      sources: sourcesOf([{ sources: [id] }, ...(linesOfBlock.get(id) ?? [])]),
      trust: own,
    })),
  ];
}

const NOT_KEPT = 'Read and not kept';
/** Maximum lines that a dream without a model lists, and the units of each that it shows. */
const NOT_KEPT_MAX = 40;
const NOT_KEPT_UNITS_MAX = 120;

function notKept({ question, blocks, base, added, dropped }: DreamReport): readonly Entry[] {
  const kept = [...base, ...added, ...dropped].map(({ text }) => text);
  const left = blocks
    .filter(({ id }) => !question.readBefore.has(id))
    .flatMap(({ id, lines }) => linesNotKept(lines, kept).map((line) => ({ id, line })));
  const more = left.length - NOT_KEPT_MAX;
  return [
    ...left.slice(0, NOT_KEPT_MAX).map(({ id, line }): Entry => {
      const text = privateKind(line.text) === null ? oneLine(line.text) : PRIVATE_LINE;
      const sources = sourcesOf([{ sources: [id] }, line]);
      return {
        ...line,
        heading: NOT_KEPT,
        text: shortenToUnits(text, NOT_KEPT_UNITS_MAX),
        sources,
      };
    }),
    ...(more > 0 ? [{ ...COUNTED, heading: NOT_KEPT, text: `${String(more)} more lines.` }] : []),
  ];
}

const PRIVATE_LINE = 'A line with private content.';
/** Fields of an entry that repeats nobody's words. */
const COUNTED = { sources: [], trust: 'verified' as const };

/** Returns each source once, at most as many as a line may have. */
function sourcesOf(lines: readonly Pick<DocumentLine, 'sources'>[]): string[] {
  return [...new Set(lines.flatMap(({ sources }) => sources))].slice(0, LINE_SOURCES_MAX);
}

const FALLBACK =
  'The model got nothing out of this three times, so sentences of the daily files replace it.';

function statusEntries(report: DreamReport): readonly Entry[] {
  const { leftBlocks, unreadLines, refusal } = report;
  const texts = [
    ...(report.isFallback === true ? [FALLBACK] : []),
    ...(refusal === null ? [] : [REFUSALS[refusal]]),
    ...(leftBlocks > 0
      ? [`${String(leftBlocks)} daily blocks did not fit; the next dream reads them.`]
      : []),
    ...(unreadLines > 0
      ? [`${String(unreadLines)} lines at the end of a long daily block were not read.`]
      : []),
  ];
  return texts.map((text) => ({ ...COUNTED, heading: null, text }));
}

interface AsideParts {
  /** Ids of the diary's block and of its line. */
  readonly ids: { readonly block: string; readonly line: string };
  /** The day of the diary that records it, `YYYY-MM-DD`. */
  readonly day: string;
  readonly at: number;
}

/** Returns the diary entry of a block that is set aside; its key keeps it unique on a retry. */
export function setAsideDiaryEntry(
  { tenant, subject, path, version, id: blockId }: Document,
  { ids, day, at }: AsideParts,
): Omit<Document, 'version'> {
  const text =
    `Block ${String(version)} of ${path} is set aside: the model got nothing out of it. It stays ` +
    'in its file, and no dream reads it again.';
  return {
    tenant,
    subject,
    path: diaryPath(day),
    id: ids.block,
    kind: 'Diary',
    heading: DIARY_HEADING,
    lines: [{ id: ids.line, heading: null, text, sources: [blockId], trust: 'verified', at }],
    author: 'dream',
    proposalId: null,
    key: `aside/${blockId}`,
    at,
    dreamedAt: null,
  };
}

/**
 * Returns the lines from which nothing was kept, except greetings. If one sentence of a line is
 * kept, the line counts as kept.
 * @param kept texts that MEMORY.md has or had, and texts that the diary names elsewhere
 */
function linesNotKept(
  lines: readonly DocumentLine[],
  kept: readonly string[],
): readonly DocumentLine[] {
  const known = new Set<string>();
  for (const text of kept) {
    const { key, said, clauses } = comparableLine(withoutSourceDate(text));
    for (const each of [key, said, ...clauses]) known.add(each);
  }
  return lines.filter(({ text }) => {
    if (text.trim() === '' || saysNothing(saidOf(text))) return false;
    const { key, said, clauses } = comparableLine(text);
    return ![key, said, ...clauses].some((each) => known.has(each));
  });
}
