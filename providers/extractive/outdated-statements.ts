/**
 * Statements that a newer one replaces: a repeat, a denial, another value ("deploys on Mondays"
 * after "deploys on Tuesdays"), or what the rules of extraction say has ended. Only for written
 * sources and what a user says, since people in a meeting consider several values. Strict on
 * purpose: if it is unsure, both statements stay.
 */
import { certainlyEnds, type ReadStatements } from '#core/extraction/compare-with-known.ts';
import { takesChangeBack } from '#core/extraction/rules/changes-taken-back.ts';
import { statementsAndCorrectionsOf } from '#core/extraction/statements-and-corrections.ts';
import { inFirstPerson } from '#core/extraction/statement.ts';
import { newerValues, type ValueLine } from '#core/extraction/newer-value.ts';
import { once } from '#core/once.ts';
import { outdatedMemories } from '#core/recall/outdated/outdated-memories.ts';
import { possibleCorrections } from '#core/recall/outdated/unmarked-corrections.ts';
import { passageSigns } from '#core/recall/question/answer-types.ts';
import { isFormOf } from '#core/recall/words/topic-words.ts';
import type { Candidate } from './candidate-sentences.ts';
import type { SaidAt } from '#core/said-at.ts';
import { withoutSourceDate } from '#core/sources/source.ts';
import { LINE_ROLE } from '#core/text/speaker-label.ts';
import { countOccurrences } from '#core/text/term-statistics.ts';
import { isContentWord } from '#core/text/words.ts';

/** A statement and its time; of two equal times neither is newer. */
interface Statement extends SaidAt {
  readonly candidate: Pick<Candidate, 'order'>;
  /** The words without the speaker. */
  readonly said: string;
}

/** A statement with the words that it is compared by. */
export interface StemmedStatement extends Statement {
  readonly candidate: Pick<Candidate, 'order' | 'stems'>;
}

const TOKEN = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_'’%]|[.,:/@+-](?=[\p{L}\p{N}]))*/gu;
const NEGATIONS = new Set('not no never don longer doesn without cannot dont'.split(' '));
const NEGATED =
  /(?:\bnot\b|\bno\b|\bnever\b|n['’]t\b|\bno longer\b|\bcannot\b|\bdont\b|\bwithout\b)/iu;
/** Words that mark something as new, but do not say what it is. */
const UPDATES = new Set(
  'now currently today new newly updated changed moved switched instead set anymore longer'.split(
    ' ',
  ),
);
/** Function words that change a statement: open from 9 is not open until 9. */
const KEPT = new Set(
  'from until till before after above below over under least most since by per up down'.split(' '),
);
/** Orders of candidates that a newer statement replaces or repeats, and of their replacements. */
interface OutdatedStatements {
  readonly dropped: ReadonlySet<number>;
  /** The newest of differing statements; readers see since when it holds. */
  readonly newest: ReadonlySet<number>;
  /** For each dropped order, the order that replaced it. */
  readonly by: ReadonlyMap<number, number>;
}

export function outdatedStatements(statements: readonly Statement[]): OutdatedStatements {
  const dropped = new Set<number>();
  const newest = new Set<number>();
  const by = new Map<number, number>();
  const current = new Map<string, { statement: Statement; isNegated: boolean }>();
  for (const statement of statements) {
    const key = keyWords(statement.said.toLowerCase().match(TOKEN) ?? []).join(' ');
    if (key === '') continue;
    const known = current.get(key);
    const next = { statement, isNegated: NEGATED.test(statement.said) };
    if (known === undefined) {
      current.set(key, next);
      continue;
    }
    const newer = statement.at > known.statement.at;
    const isOther = known.isNegated !== next.isNegated;
    // A statement and its denial at one time are two; the same one twice is one.
    if (isOther && statement.at === known.statement.at) continue;
    const kept = newer ? statement : known.statement;
    const older = newer ? known.statement : statement;
    dropped.add(older.candidate.order);
    by.set(older.candidate.order, kept.candidate.order);
    if (isOther) newest.add(kept.candidate.order);
    if (newer) current.set(key, next);
  }
  return { dropped, newest, by };
}

/** Only this many of the newest statements that end anything are compared with all others. */
const ENDERS_MAX = 100;

/**
 * Maps each ended statement's order to the order of the newest statement that ends it. A statement
 * ends for certain by the rules for memories, in any of their languages, or by another value of the
 * same thing.
 */
export function endedBy(statements: readonly StemmedStatement[]): ReadonlyMap<number, number> {
  const own = inOwnWords(statements);
  const read = own.map((each) => ({ ...each, lasting: statementsAndCorrectionsOf(each.text) }));
  const by = new Map<number, number>();
  for (const [older, newer] of newerValues(own)) {
    const [ended, ending] = [read[older], read[newer]];
    if (ended === undefined || ending === undefined || isTakenBack(ending, read)) continue;
    by.set(ended.order, ending.order);
  }
  return new Map([...by, ...newestEnders(read)]);
}

interface Ending extends ReadStatements {
  readonly order: number;
  readonly at: number;
}

/** Maps the order of each ended text to that of the newest text that certainly ends it. */
function newestEnders(read: readonly Ending[]): ReadonlyMap<number, number> {
  const enders = read
    .filter(
      ({ lasting: { statements, corrections } }) => statements.length + corrections.length > 0,
    )
    .toSorted((a, b) => b.at - a.at)
    .slice(0, ENDERS_MAX);
  const holding = enders.filter((each) => !isTakenBack(each, enders));
  const ended = read.flatMap((older) => {
    const newer = holding.find((each) => each.at > older.at && certainlyEnds(each, older));
    return newer === undefined ? [] : [[older.order, newer.order] as const];
  });
  return new Map(ended);
}

/** Whether a later text takes a text back, so that it ends nothing. */
function isTakenBack(text: Ending, others: readonly Ending[]): boolean {
  return others.some(
    (each) => each.at > text.at && takesChangeBack(each.text) && certainlyEnds(each, text),
  );
}

/** Only this many of the newest statements are compared with each other. */
const COMPARED_MAX = 100;

/**
 * Maps statements to the newer ones that end them by the rules for marks in searches, which are
 * right less often than those above.
 */
export function likelyEndedBy(
  statements: readonly StemmedStatement[],
): ReadonlyMap<number, readonly number[]> {
  const compared = inOwnWords(statements)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, COMPARED_MAX)
    .map(({ order, stems, text: content, at }) => {
      const terms = once(() => new Set(stems));
      return { id: String(order), layer: 'user', trust: 'stated', content, at, terms } as const;
    });
  const { outdated, inPart } = outdatedMemories(compared);
  const whole = [...outdated].filter(([older]) => !inPart.has(older));
  return new Map(whole.map(([older, newer]) => [Number(older), newer.map(Number)]));
}

/** Maps statements to newer ones that may correct them. Readers need the days of both. */
export function maybeEndedBy(
  statements: readonly StemmedStatement[],
): ReadonlyMap<number, readonly number[]> {
  const owners = ownersOf(statements);
  const compared = statements
    .toSorted((a, b) => b.at - a.at)
    .slice(0, COMPARED_MAX)
    .map(({ said, at, candidate: { order, stems } }) => {
      const terms = stems.filter((stem) => !owners.some((name) => isFormOf(name, stem)));
      return { order, at, terms, mayChange: passageSigns(said).mayChange };
    });
  const orderAt = (place: number): number => compared[place]?.order ?? -1;
  const possible = [...possibleCorrections(compared)];
  return new Map(possible.map(([older, newer]) => [orderAt(older), newer.map(orderAt)]));
}

interface Compared extends ValueLine {
  readonly order: number;
  readonly stems: readonly string[];
}

/** A name that begins at least this share of the statements is that of the one they are about. */
const OWNER_SHARE_MIN = 0.25;
const OWNER_STATEMENTS_MIN = 2;
const FIRST_NAME = /^\p{Lu}\p{L}+(?=['’]s\b|[\s,])/u;

/** Returns what the one whom the statements are about would say: `Ann moved` as `I moved`. */
function inOwnWords(statements: readonly StemmedStatement[]): readonly Compared[] {
  const owners = ownersOf(statements);
  return statements.map(({ candidate: { order, stems }, said, at }) => {
    return { order, stems, at, text: inFirstPerson(said, owners) };
  });
}

/** Returns the names of those whom the statements are about. */
function ownersOf(statements: readonly Statement[]): readonly string[] {
  const names = statements.flatMap(({ said }) => FIRST_NAME.exec(said)?.[0].toLowerCase() ?? []);
  const least = Math.max(OWNER_STATEMENTS_MIN, statements.length * OWNER_SHARE_MIN);
  return [...countOccurrences(names)]
    .filter(([name, count]) => count >= least && isContentWord(name))
    .map(([name]) => name);
}

/**
 * Maps lines to the newest line that ends them by the rules for memories: "Ann sold the Toyota"
 * ends "Ann drives a Toyota". Only where nothing else can be meant: not for lines with a named
 * speaker, and in the file of an agent not for those of a user, who may be anybody.
 */
export function certainlyEndedBy(
  lines: readonly ValueLine[],
  owner: 'agent' | 'user',
): ReadonlyMap<number, number> {
  const read = lines
    .map(({ text, at }, order) => {
      const role = LINE_ROLE.exec(text)?.groups?.['role'] ?? null;
      const said = withoutSourceDate(text.replace(LINE_ROLE, ''));
      return { order, at, role, text: said, lasting: statementsAndCorrectionsOf(said) };
    })
    .filter(({ role }) => role === null || (role === 'user' && owner === 'user'))
    .filter(({ lasting: { speaker } }) => speaker === '');
  const byRole = Map.groupBy(read, ({ role }) => role);
  return new Map([...byRole.values()].flatMap((each) => [...newestEnders(each)]));
}

/** The words that identify a statement; "eats" and "(does not) eat" are the same. */
function keyWords(tokens: readonly string[]): readonly string[] {
  return tokens.filter(isKeyWord).map((token) => token.replace(/(?<=\p{L}{2})s$/u, ''));
}

function isKeyWord(token: string): boolean {
  if (UPDATES.has(token) || NEGATIONS.has(token)) return false;
  return KEPT.has(token) || isContentWord(token.replace(/['’]\p{L}+$/u, ''));
}
