/**
 * Judges each line of a dream's answer. A line that MEMORY.md already has stays the same, byte for
 * byte. A new line keeps its wording only if its sources say it. If they say it in part, their own
 * sentences replace it; otherwise it is dropped (DREAM-06). Lines that lost their wording are
 * reported with the reason, and what a dropped line would have replaced stays.
 */
import type { Confirms } from '../grounding/doubt.ts';
import { groundEach, type Judged } from '../grounding/grounding.ts';
import type { Digest } from '../hash.ts';
import type { DreamQuestion } from '../ports/dream-model.ts';
import type { NewId } from '../ports/platform.ts';
import { LINE_LENGTH_MAX, type Document, type DocumentLine } from '../records/document.ts';
import type { Source } from '../sources/source.ts';
import { shortenToUnits } from '../storable-text.ts';
import { isProtected, withoutKeepMark } from '../memory-files/keep-mark.ts';
import { tombstoneOf } from '../memory-files/line-likeness.ts';
import { oneLine } from '../text/lines.ts';
import { withoutFormatCharacters } from '../text/hidden-characters.ts';
import type { AnsweredLine } from './dream-answer.ts';
import { sourcesById } from './dream-sources.ts';
import {
  groundedHeadings,
  lostLines,
  type LostLines,
  restsOn,
  supportBook,
  type SupportBook,
} from './line-sources.ts';
import { privateKind, type PrivateKind } from './secrets-and-emails.ts';
import { isSame, comparableLine, type KnownLine, type ComparableLine } from './compare-lines.ts';

export interface DroppedLine {
  readonly text: string;
  /** A `DropReason` of grounding, an `OwnReason`, or `NothingNew`. */
  readonly reason: string;
  /** The known sources that it cited. */
  readonly sources: readonly string[];
  /** The statements that those sources were made from. */
  readonly rests: readonly string[];
}

export interface JudgedDream extends LostLines {
  /** Kept and new lines in the order of the answer. */
  readonly lines: readonly DocumentLine[];
  readonly added: readonly DocumentLine[];
  readonly dropped: readonly DroppedLine[];
  /** New blocks that support no kept line of the answer, in the order of the question. */
  readonly passedOver: readonly Source[];
  /** Sources of dropped lines that are true but not wanted. */
  readonly unwanted: ReadonlySet<string>;
  /** False if no new line is supported: MEMORY.md then stays as it was. */
  readonly isSufficient: boolean;
}

export interface DreamMaterial {
  readonly question: DreamQuestion;
  /** The blocks of the question's daily files. */
  readonly blocks: readonly Document[];
  /** MEMORY.md as it was when the dream read it. */
  readonly base: readonly DocumentLine[];
  /** Tombstones of lines that a person deleted. */
  readonly tombstones: readonly string[];
  /**
   * Whether no model answered. Then a line replaces all lines of MEMORY.md that it cites, and what
   * the answer leaves out is not read again.
   */
  readonly isWithoutModel?: boolean | undefined;
  /** The answers of a verifier, if one was asked. */
  readonly confirms?: Confirms | undefined;
}

export interface JudgeTools {
  readonly newId: NewId;
  readonly digest: Digest;
}

/** A line of the answer that MEMORY.md does not have. */
interface NewEntry {
  readonly answer: AnsweredLine;
  readonly read: ComparableLine;
  readonly judged: Judged | OwnReason;
}

interface OwnReason {
  readonly reason: 'DeletedBefore' | 'LineTooLong' | PrivateKind;
  readonly fact: null;
}

/** The result, which grows line by line. */
interface Gathered {
  readonly lines: KnownLine[];
  /** New lines, with what they cite. */
  readonly added: (KnownLine & { readonly cites: ReadonlySet<string> })[];
  readonly dropped: DroppedLine[];
  /** Number of dropped lines that the words of a source replaced. */
  replaced: number;
}

interface JudgeParts {
  readonly sources: ReadonlyMap<string, Source>;
  readonly citesSomethingNew: (cited: readonly string[]) => boolean;
  readonly book: SupportBook;
  readonly newId: NewId;
  readonly known: readonly KnownLine[];
}

export function judgedDream(
  answered: readonly AnsweredLine[],
  { question, base, blocks, tombstones, isWithoutModel = false, confirms }: DreamMaterial,
  { newId, digest }: JudgeTools,
): JudgedDream {
  const sources = sourcesById(question);
  const book = supportBook(question, base, blocks);
  const known = base.map((line) => ({ line, read: comparableLine(line.text) }));
  const parts = { sources, book, newId, known, citesSomethingNew: newSourceCheck(question) };
  const headings = groundedHeadings(answered, base, sources);
  const headed = answered.map((line) => {
    return { ...line, heading: headings.get(line.heading ?? '') ?? null };
  });
  const matched = matchedLines(headed, known);
  const deleted = new Set(tombstones);
  const isDeleted = (text: string): boolean => deleted.has(tombstoneOf(digest, text));
  const fresh = judgedEntries(matched, { sources, isDeleted, confirms });
  const gathered: Gathered = { lines: [], added: [], dropped: [], replaced: 0 };
  const kept = new Set<string>();
  for (const [at, { answer, same }] of matched.entries()) {
    const entry = fresh.get(at);
    if (entry !== undefined) gatherNew(entry, gathered, parts);
    if (same === undefined || kept.has(same.line.id)) continue;
    kept.add(same.line.id);
    const own = same.line.heading;
    const heading = isProtected(same.line) ? own : (answer.heading ?? own);
    gathered.lines.push({ ...same, line: { ...same.line, heading } });
  }
  const { lines, added, dropped } = gathered;
  const used = new Set([
    ...added.flatMap(({ cites }) => [...cites]),
    ...matched.flatMap(({ answer, same }) => (same === undefined ? [] : answer.sources)),
  ]);
  const lost = known.filter(({ line }) => !kept.has(line.id));
  const refused = dropped.filter(({ reason }) => !HARMLESS.has(reason)).length;
  const failed = refused - gathered.replaced;
  return {
    ...lostLines(lost, { ...gathered, isWithoutModel, isShown: (id) => sources.has(id) }),
    lines: lines.map(({ line }) => line),
    added: added.map(({ line }) => line),
    dropped,
    passedOver: question.daily.filter(({ id }) => !question.readBefore.has(id) && !used.has(id)),
    unwanted: new Set(
      dropped.flatMap((each) => (HARMLESS.has(each.reason) ? [...each.sources] : [])),
    ),
    isSufficient: failed <= 0 || added.length > 0,
  };
}

/** Reasons to drop lines that are true but not wanted. */
const HARMLESS: ReadonlySet<string> = new Set([
  'DeletedBefore',
  'NothingNew',
  'Secret',
  'EmailAddress',
]);

interface Matched {
  readonly answer: AnsweredLine;
  readonly read: ComparableLine;
  /** The line of MEMORY.md that says the same. */
  readonly same: KnownLine | undefined;
}

function matchedLines(
  answered: readonly AnsweredLine[],
  known: readonly KnownLine[],
): readonly Matched[] {
  const byKey = new Map(known.toReversed().map((each) => [each.read.key, each]));
  return answered.map((answer) => {
    const text = oneLine(withoutKeepMark(answer.text));
    const matched = (read: ComparableLine): Matched => {
      const same = byKey.get(read.key) ?? known.find((each) => isSame(each.read, read));
      return { answer, read, same };
    };
    const asWritten = matched(comparableLine(text));
    if (asWritten.same !== undefined) return asWritten;
    return matched(comparableLine(oneLine(withoutFormatCharacters(text))));
  });
}

/**
 * Returns a function that decides whether a new line rests on something new: a block that no dream
 * has read, or several lines of MEMORY.md that it joins. Text that an earlier dream read and did
 * not keep, or that a person deleted since, is not new. A line keeps its words while nothing new is
 * said.
 */
function newSourceCheck({
  memory,
  daily,
  readBefore,
}: DreamQuestion): JudgeParts['citesSomethingNew'] {
  const fresh = new Set(daily.flatMap(({ id }) => (readBefore.has(id) ? [] : [id])));
  const lines = new Set(memory.map(({ id }) => id));
  return (cited) =>
    cited.some((id) => fresh.has(id)) || (cited.length > 1 && cited.every((id) => lines.has(id)));
}

interface NewParts {
  readonly sources: ReadonlyMap<string, Source>;
  readonly isDeleted: (text: string) => boolean;
  readonly confirms: Confirms | undefined;
}

/** Returns new entries by place in the answer; grounds all at once, to read sources only once. */
function judgedEntries(
  matched: readonly Matched[],
  { sources, isDeleted, confirms }: NewParts,
): ReadonlyMap<number, NewEntry> {
  const entries = new Map<number, NewEntry>();
  const open: (Matched & { readonly at: number })[] = [];
  for (const [at, each] of matched.entries()) {
    const { answer, read, same } = each;
    if (same !== undefined) continue;
    const reason = isDeleted(read.text)
      ? 'DeletedBefore'
      : read.text.length > LINE_LENGTH_MAX
        ? 'LineTooLong'
        : privateKind(read.text);
    if (reason === null) open.push({ ...each, at });
    else entries.set(at, { answer, read, judged: { reason, fact: null } });
  }
  const facts = open.map(({ answer, read }) => ({ text: read.text, sources: [...answer.sources] }));
  const options = { matchesByText: true, confirms };
  for (const [index, judged] of groundEach(facts, sources, options).entries()) {
    const each = open[index];
    if (each !== undefined) entries.set(each.at, { ...each, judged });
  }
  return entries;
}

/** Returns a left-out line as reports show it: private text does not appear there either. */
function shownText(text: string): string {
  const kind = privateKind(text);
  return kind === null ? shortenToUnits(text, LINE_LENGTH_MAX) : PRIVATE_LINES[kind];
}

const PRIVATE_LINES: Readonly<Record<PrivateKind, string>> = {
  Secret: 'A line with a secret',
  EmailAddress: 'A line with an email address',
};

function gatherNew(
  { answer, read, judged }: NewEntry,
  gathered: Gathered,
  { sources, book, newId, citesSomethingNew, known }: JudgeParts,
): void {
  const { lines, added, dropped } = gathered;
  if (added.some((each) => isSame(each.read, read))) return;
  // A line with labels rests on the sources they name, one without on the sources that say it.
  const named = answer.sources.filter((id) => sources.has(id));
  const cited = named.length === 0 ? (judged.fact?.sources ?? []) : named;
  const said =
    judged.fact === null ? read : comparableLine(oneLine(withoutKeepMark(judged.fact.text)));
  const isOwn = judged.reason !== null;
  const isShort = said.text.length <= LINE_LENGTH_MAX;
  // The source's own sentence may contain private text that the answer left out.
  const isPublic = privateKind(said.text) === null;
  const isKept = judged.fact !== null && citesSomethingNew(cited) && isShort && isPublic;
  if (!isKept || isOwn) {
    const reason = judged.reason ?? 'NothingNew';
    const { sources: rests } = restsOn(read.text, cited, book);
    dropped.push({ text: shownText(read.text), reason, sources: [...cited], rests });
  }
  if (!isKept || judged.fact === null) return;
  if (isOwn) {
    gathered.replaced += 1;
    if ([...known, ...added].some((each) => isSame(each.read, said))) return;
  }
  const rests = restsOn(said.text, cited, book);
  const line: DocumentLine = {
    id: newId(),
    heading: answer.heading,
    text: said.text,
    sources: rests.sources,
    trust: judged.fact.trust,
    at: rests.at ?? judged.fact.at,
  };
  lines.push({ line, read: said });
  added.push({ line, read: said, cites: new Set(cited) });
}

/** Returns the model's notes for people as far as what was read says them as worded. */
export function supportedNotes(
  notes: readonly string[],
  { question, confirms }: Pick<DreamMaterial, 'question' | 'confirms'>,
): readonly string[] {
  const wanted = notes.filter((text) => privateKind(text) === null);
  const claims = wanted.map((text) => ({ text, sources: [] }));
  const options = { matchesByText: true, confirms };
  return groundEach(claims, sourcesById(question), options).flatMap(({ text, reason }) =>
    reason === null ? text : [],
  );
}
