/**
 * Dreams without a model: every line of MEMORY.md stays, and the most telling facts of the new
 * daily blocks are added. A fact with a newer value replaces the line with the older one. Written
 * notes are added while there is room; from a conversation only what is worth keeping for long.
 */
import { dreamAnswerText, type AnsweredLine } from '#core/dreams/dream-answer.ts';
import { DEFAULT_DREAM } from '#core/policy/policy-defaults.ts';
import { newerValues } from '#core/extraction/newer-value.ts';
import { sourcesById } from '#core/dreams/dream-sources.ts';
import { privateKind } from '#core/dreams/secrets-and-emails.ts';
import {
  isContained,
  isRepeated,
  comparableLine,
  type ComparableLine,
} from '#core/dreams/compare-lines.ts';
import { isRelative } from '#core/extraction/statement.ts';
import { createStem } from '#core/text/stem.ts';
import { contentStems } from '#core/text/words.ts';
import { tellsOfChange } from '#core/recall/outdated/likely-correction.ts';
import { possibleCorrections, type OneThing } from '#core/recall/outdated/unmarked-corrections.ts';
import { groundEach } from '#core/grounding/grounding.ts';
import type { DreamModel, DreamQuestion } from '#core/ports/dream-model.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import {
  hasSourceDate,
  withCountedFrom,
  withoutSourceDate,
  type Source,
} from '#core/sources/source.ts';
import { DEPTH_TOKENS_MAX } from '#core/records/summary.ts';
import { extractFacts, type ExtractSource } from './extract-facts.ts';
import { isQuotedLine, LONG_TURN_SHARE_MAX } from '#core/text/quoted-line.ts';
import { worthOf, type HowSaid } from './worth-keeping.ts';
import { once } from '#core/once.ts';
import { saysNothing } from '#core/text/small-talk.ts';
import { saidOf } from '#core/text/joined-sentences.ts';
import { inOrderOfSpeech } from '#core/flush/order-of-speech.ts';
import { LINE_ROLE, labeledLine } from '#core/text/speaker-label.ts';
import { certainlyEndedBy, outdatedStatements } from './outdated-statements.ts';

/** Raise this when the same sources may give another answer. */
const REVISION = '10';
/** It reads what the store holds, and what it writes costs nothing. */
const TOKENS_MAX = 1_000_000;
/** Maximum lines that one dream adds: as many as it may write without approval by default. */
const ADDED_LINES_MAX = DEFAULT_DREAM.addedLinesMax;
/** How many of these may be quoted, such as sentences of pasted documents. */
const QUOTED_LINES_MAX = Math.floor(ADDED_LINES_MAX * LONG_TURN_SHARE_MAX);
/** One dream takes half of the free part of MEMORY.md, so that later dreams find room too. */
const FREE_SHARE = 0.5;
/** Tokens of notes added even to a full MEMORY.md; its oldest lines go to the archive for them. */
const NOTED_TOKENS_MIN = 200;
/** Tokens of a talk that one dream adds: about seven lines, so that a month of dreams has room. */
const SPOKEN_TOKENS_MAX = 200;
/** Maximum share of a conversation that is worth keeping for long. */
const SPOKEN_SHARE = 0.25;
/** How many times the room of a talk is searched, since most of a talk is not worth keeping. */
const SPOKEN_LOOKED_THROUGH = 20;
/** The same for notes: less, since a person found each worth writing; only repetitions go. */
const NOTED_LOOKED_THROUGH = 2;

export function createExtractiveDreamModel(tokens: TokenCounter): DreamModel {
  return {
    name: 'extractive',
    price: null,
    inputTokensMax: TOKENS_MAX,
    outputTokensMax: TOKENS_MAX,
    revision: REVISION,
    usageMax: (question) => ({
      inputTokens: sum(question, ({ bytes }) => bytes),
      outputTokens: question.tokensMax + NOTED_TOKENS_MIN + SPOKEN_TOKENS_MAX,
    }),
    dream: (question, { signal }) => {
      signal.throwIfAborted();
      const text = answerOf(question, tokens);
      const inputTokens = sum(question, (source) => source.tokens);
      return Promise.resolve({ text, usage: { inputTokens, outputTokens: tokens.count(text) } });
    },
  };
}

function sum({ memory, daily }: DreamQuestion, of: (source: Source) => number): number {
  return [...memory, ...daily].reduce((all, source) => all + of(source), 0);
}

interface Stated {
  readonly line: AnsweredLine;
  readonly read: ComparableLine;
  readonly at: number;
}

function answerOf(question: DreamQuestion, tokens: TokenCounter): string {
  const { memory, headings } = question;
  const kept = memory.map((source): Stated => {
    const heading = headings.get(source.id) ?? null;
    const line = { heading, text: source.text, sources: [source.id] };
    return { line, read: comparableLine(source.text), at: source.at };
  });
  const { readLines, stated, known } = newFacts(question, { kept, tokens });
  const fresh: Fresh[] = [];
  for (const fact of supported(stated, question)) {
    if (!fresh.some(({ read }) => isContained(fact.read, read))) fresh.push(fact);
  }
  const blocks = question.daily
    .toSorted((a, b) => a.at - b.at)
    .map(({ id, text }) => ({ id, content: text }));
  const { lines, replaced } = withNewest(kept, inOrderOfSpeech(fresh, blocks), question.owner);
  // Private facts are in the answer so that the diary reports them, but do not enter MEMORY.md.
  const isPrivate = ({ line }: Stated): boolean => privateKind(line.text) !== null;
  const added = lines.length + replaced - kept.length - fresh.filter(isPrivate).length;
  const report = { readLines, known, added, replaced, stayed: kept.length - replaced };
  return dreamAnswerText({ lines, diary: withoutModelDiary(report), isWhole: true });
}

/** A new fact, and the kind of room that it takes. */
interface Fresh extends Stated {
  /** The blocks that it rests on, and its words there. */
  readonly sources: readonly string[];
  readonly quote: string;
  readonly kind: 'spoken' | 'noted' | 'quoted';
  /** Whether it is added only if it may change another line. */
  readonly onlyChanges: boolean;
}

interface NewFacts {
  /** Lines of the new blocks. */
  readonly readLines: number;
  /** Facts worth keeping that have room, the most telling first. */
  readonly stated: readonly Fresh[];
  /** How many other facts MEMORY.md has already. */
  readonly known: number;
}

interface FactTools {
  readonly kept: readonly Stated[];
  readonly tokens: TokenCounter;
}

/** The facts of the blocks that no dream has read, each citing its block. */
function newFacts({ daily, readBefore, ...question }: DreamQuestion, tools: FactTools): NewFacts {
  const { kept, tokens } = tools;
  const blocks = daily.filter(({ id }) => !readBefore.has(id));
  const times = new Map(blocks.map(({ id, at }) => [id, at]));
  const lines = blocks.flatMap(linesOf);
  const room = roomOf(lines, { ...question, tokens });
  const telling = lines.filter(({ text }) => !saysNothing(saidOf(text)));
  const facts = extractFacts(telling, {
    countTokens: (text) => tokens.count(text),
    maxTokens: room.spoken * SPOKEN_LOOKED_THROUGH + room.noted * NOTED_LOOKED_THROUGH,
    maxSentenceTokens: DEPTH_TOKENS_MAX.sentence,
    isNamed: true,
  });
  const all = facts.flatMap(({ text, sources, speaker, quote }): readonly Fresh[] => {
    const worth = worthOf(saidOf(text), howSaid(text, speaker));
    if (worth === 'None') return [];
    const at = Math.max(...sources.map((id) => times.get(id) ?? 0));
    const line = { heading: null, text: dated(text, at), sources };
    const kind = isQuotedLine(text) ? 'quoted' : speaker === undefined ? 'noted' : 'spoken';
    const onlyChanges = worth === 'IfItChanges';
    return [{ line, read: comparableLine(line.text), at, sources, quote, kind, onlyChanges }];
  });
  const isKnown = knownIn(kept);
  const news = all
    .filter((fact) => isKnown(fact) !== 'Known')
    .map((fact) => (isKnown(fact) === 'New' ? fact : withItsDay(fact)));
  const readLines = lines.filter(({ text }) => text.trim() !== '').length;
  return { readLines, stated: fitting(news, room, tokens), known: all.length - news.length };
}

function howSaid(text: string, speaker: string | undefined): HowSaid {
  const role = LINE_ROLE.exec(text)?.groups?.['role'];
  if (isQuotedLine(text)) return 'written';
  if (role === 'user') return 'asked';
  if (role !== undefined) return 'answered';
  return speaker === undefined ? 'written' : 'spoken';
}

interface Room {
  /** In tokens. */
  readonly spoken: number;
  readonly noted: number;
}

/** Keeps the valuable part of a conversation, and as many notes as MEMORY.md has room for. */
function roomOf(
  lines: readonly ExtractSource[],
  {
    memory,
    tokensMax,
    tokens,
  }: Pick<DreamQuestion, 'memory' | 'tokensMax'> & Pick<FactTools, 'tokens'>,
): Room {
  const count = (texts: readonly { readonly text: string }[]): number =>
    texts.reduce((all, { text }) => all + tokens.count(text), 0);
  const said = count(lines.filter(({ speaker }) => speaker !== undefined));
  const spoken = Math.min(SPOKEN_TOKENS_MAX, said * SPOKEN_SHARE);
  const free = tokensMax - memory.reduce((all, source) => all + source.tokens, 0);
  return {
    spoken: Math.max(DEPTH_TOKENS_MAX.sentence, spoken),
    noted: Math.max(NOTED_TOKENS_MIN, free * FREE_SHARE),
  };
}

/** Drops joined sentences that their sources do not support: as a whole they may say more. */
function supported(facts: readonly Fresh[], question: DreamQuestion): readonly Fresh[] {
  const claims = facts.map(({ line }) => ({ text: line.text, sources: [...line.sources] }));
  const judged = groundEach(claims, sourcesById(question));
  return facts.filter((_, at) => judged[at]?.reason === null);
}

/** Takes facts while they have room, the most telling first. */
function fitting(facts: readonly Fresh[], room: Room, tokens: TokenCounter): readonly Fresh[] {
  const left = { spoken: room.spoken, noted: room.noted, quoted: room.noted * LONG_TURN_SHARE_MAX };
  const fits = facts.filter(({ line, kind }) => {
    const own = tokens.count(line.text);
    if (own > left[kind]) return false;
    left[kind] -= own;
    return true;
  });
  const quoted = fits.filter(({ kind }) => kind === 'quoted').slice(0, QUOTED_LINES_MAX);
  const own = fits.filter(({ kind }) => kind !== 'quoted');
  const chosen = new Set([...own.slice(0, ADDED_LINES_MAX - quoted.length), ...quoted]);
  return fits.filter((each) => chosen.has(each));
}

/** Relative days, such as `yesterday`, mean another day when they are read later. */
function dated(text: string, at: number): string {
  return isRelative(text) ? withDay(text, at) : text;
}

function withDay(text: string, at: number): string {
  return hasSourceDate(text) ? text : withCountedFrom(text, { at });
}

/**
 * Whether lines already say a new fact. One that is said again after a possible change is the
 * newest word, and shows its day.
 */
function knownIn(kept: readonly Stated[]): (fact: Stated) => 'New' | 'Known' | 'SaidAgain' {
  const changes = once(() => possibleChanges(kept));
  // An earlier dream may have added the day.
  const plain = kept.map(({ line }) => comparableLine(withoutSourceDate(line.text)));
  return ({ read, at }) => {
    const holders = plain.flatMap((line, place) => (isContained(read, line) ? [place] : []));
    if (holders.length === 0) return 'New';
    const isAfterChange = holders.every((holder) =>
      changes()
        .get(holder)
        ?.some((newer) => (kept[newer]?.at ?? at) < at),
    );
    return isAfterChange ? 'SaidAgain' : 'Known';
  };
}

function withItsDay(fact: Fresh): Fresh {
  const text = withDay(fact.line.text, fact.at);
  return { ...fact, line: { ...fact.line, text }, read: comparableLine(text) };
}

/** A day misleads nobody, so one rare word in common is enough to show it. */
const PERHAPS_ONE_THING: OneThing = {
  sharedMin: 1,
  sharedShareMin: 0,
  tellingTextsMax: 5,
  tellingShareMax: 0,
};

/** Maps the place of a line to the places of newer ones that may tell of its change. */
function possibleChanges(lines: readonly Stated[]): ReadonlyMap<number, readonly number[]> {
  const stem = createStem('english');
  const compared = lines.map((each) => {
    const { at, line } = each;
    if (isQuotedLine(line.text)) return { at, terms: [], mayChange: false };
    const terms = [...new Set(contentStems(withoutName(each), stem))];
    return { at, terms, mayChange: tellsOfChange(withoutSpeaker(each)) };
  });
  return possibleCorrections(compared, PERHAPS_ONE_THING);
}

/** Lines about one person are not about one thing. */
function withoutName(each: Stated): string {
  return withoutSpeaker(each).replace(/^\p{Lu}[\p{L}\p{M}-]+(?:['’]s)?\s/u, '');
}

function withoutSpeaker({ line: { text } }: Stated): string {
  return withoutSourceDate(saidOf(text));
}

/** All quoted lines count as one long turn. */
const QUOTED = 'quoted';

/** Each line of a block separately: a sentence of one bullet does not continue in the next. */
function linesOf({ id, text, at }: Source): readonly ExtractSource[] {
  const time = new Date(at).toISOString();
  return text.split('\n').map((line) => {
    const spoken = labeledLine(line);
    const source =
      spoken === null
        ? { id, at: time, text: line }
        : { id, at: time, text: spoken.said, speaker: spoken.speaker };
    return isQuotedLine(line) ? { ...source, longTurn: QUOTED } : source;
  });
}

/** Older lines that a newer one repeats with a little more, and that newer one. */
function repeatedOrders(all: readonly Stated[], first: number): ReadonlyMap<number, number> {
  const by = new Map<number, number>();
  for (const [order, older] of all.entries()) {
    // Strictly newer, like all replacements, so that no chain of them ends in the line itself.
    const newer = all.findIndex(
      (each, at) =>
        at >= first &&
        each.at > older.at &&
        !isQuotedLine(each.line.text) &&
        isRepeated(older.read, each.read),
    );
    if (newer >= 0) by.set(order, newer);
  }
  return by;
}

/** Puts new lines in the place of the lines that they replace, and cites those. */
function withNewest(
  kept: readonly Stated[],
  fresh: readonly Fresh[],
  owner: DreamQuestion['owner'],
): { readonly lines: readonly AnsweredLine[]; readonly replaced: number } {
  const all = [...kept, ...fresh];
  // Quoted text does not change what a person says themselves.
  const told = all.map(({ line: { text }, at }) => ({ text: isQuotedLine(text) ? '' : text, at }));
  const { by: newest } = outdatedStatements(
    told.map(({ text, at }, order) => ({ candidate: { order }, said: text, at })),
  );
  const values = newerValues(told);
  const ended = certainlyEndedBy(told, owner);
  const by = new Map([...ended, ...repeatedOrders(all, kept.length), ...values, ...newest]);
  const last = (order: number): number => {
    let at = order;
    for (let next = by.get(at); next !== undefined; next = by.get(at)) at = next;
    return at;
  };
  const olderOf = Map.groupBy(
    kept.keys().filter((order) => last(order) >= kept.length),
    last,
  );
  const standing = new Set([...olderOf.values()].flat());
  const left = all.flatMap((each, order) =>
    standing.has(order) || (order >= kept.length && by.has(order)) ? [] : [{ ...each, order }],
  );
  const changes = possibleChanges(left);
  const changed = new Set([...changes].flatMap(([older, newer]) => [older, ...newer]));
  const isIdle = (order: number, place: number): boolean =>
    fresh[order - kept.length]?.onlyChanges === true && !olderOf.has(order) && !changed.has(place);
  const lines = left.flatMap(({ line: { text, ...line }, at, order }, place) => {
    if (isIdle(order, place)) return [];
    const older = (olderOf.get(order) ?? []).flatMap((at) => kept[at]?.line ?? []);
    const heading = older[0]?.heading ?? line.heading;
    const sources = [...line.sources, ...older.flatMap((o) => o.sources)];
    const isDated = order >= kept.length && changed.has(place);
    return [{ ...line, text: isDated ? withDay(text, at) : text, heading, sources }];
  });
  return { lines, replaced: standing.size };
}

/** What a dream without a model reports. */
interface ReportWithoutModel {
  /** Lines of the new blocks that were read. */
  readonly readLines: number;
  /** How many of their statements MEMORY.md had already. */
  readonly known: number;
  /** Lines added to MEMORY.md, and how many older lines they replaced. */
  readonly added: number;
  readonly replaced: number;
  readonly stayed: number;
}

/** Diary lines: how many lines were read and added, and where to find the rest. */
function withoutModelDiary(report: ReportWithoutModel): readonly string[] {
  const { readLines, known, added, replaced, stayed } = report;
  const lines = counted(readLines, 'line');
  const came = `${String(added)} of ${lines} that were read came to MEMORY.md`;
  const inPlace = replaced === 0 ? '' : `, in the place of ${counted(replaced, 'older one')}`;
  const there = known === 0 ? '' : ` ${counted(known, 'statement')} stood there already.`;
  const left =
    added + known >= readLines
      ? []
      : ['What did not come to MEMORY.md stays in the daily files, and no later dream reads it.'];
  return [`${came}${inPlace}.${there} ${counted(stayed, 'line')} stayed.`, ...left];
}

function counted(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
