/** Decides what becomes of a statement: it is added, replaces a known one, or changes nothing. */
import { givesNewValue } from './changed-to.ts';
import { tellsOfCompanion } from './people-beside-speaker.ts';
import { takesChangeBack } from './rules/changes-taken-back.ts';
import { isCertainlyEndedBy, isEndedBy } from './correction.ts';
import {
  statementsAndCorrectionsOf,
  type StatementsAndCorrections,
} from './statements-and-corrections.ts';
import { isCertainlyDone } from './done-task.ts';
import { isErrand } from './open-tasks.ts';
import {
  aimOf,
  endsGoal,
  isBareReport,
  mayEndGoal,
  meantTask,
  sharesWord,
  type Aim,
} from './done-task-by-pronoun.ts';
import { saysMore } from './partial-ending.ts';
import { retractionIn } from './retraction.ts';
import type { StatementKind } from '../records/extracted-statement.ts';
import type { SaidAt } from '../said-at.ts';
import { withoutSourceDate } from '../sources/source.ts';
import { isOfCalendar } from '../text/calendar-words.ts';
import { languageOf } from '../text/language.ts';
import { areNamesakes } from '../text/different-people.ts';
import { oneOf, WORD_END, WORD_START } from '../text/pattern.ts';
import { speakerLabel, labeledLine } from '../text/speaker-label.ts';
import { plainWords } from '../text/words.ts';
import {
  DONE_TOPIC,
  inFirstPerson,
  knownStatement,
  ownSentences,
  stemsOf,
  type Statement,
  valueStems,
} from './statement.ts';
import { holdingPart, isAhead, saidTimes, type SaidText } from './valid-time.ts';

/** What a decision needs of a memory of the scope. */
export interface Known {
  readonly id: string;
  readonly content: string;
  readonly at: number;
  readonly live: boolean;
  /** The id of the memory that ended it. */
  readonly endedBy?: string | null;
  /** Ids of the texts that it was derived from. */
  readonly sources: readonly string[];
  /** Who said it, where messages name their speakers (`withSpeaker`). */
  readonly speaker: string | null;
}

interface ToDecide {
  readonly statement: Statement;
  /** Id of the message that says it, when it was said, and its speaker if the message names one. */
  readonly source: string;
  readonly at: number;
  readonly speaker: string | null;
  /** Ids of memories that it ends according to a model, as far as the rules confirm it. */
  readonly replaces?: readonly string[];
  /** Of a report, the sentences of the latest turns before it, the nearest last. */
  readonly talk?: readonly string[];
}

export type Decision =
  | {
      readonly event: 'ADD' | 'SUPERSEDE';
      readonly supersedes: readonly string[];
      /** Ids of memories that hold again, since what ended them is taken back. */
      readonly restores?: readonly string[];
    }
  /** A change that ends nothing known: no memory is made of it. */
  | { readonly event: 'None' }
  /** `by`: the id of the memory that already says it, or says something newer. */
  | { readonly event: 'NOOP'; readonly reason: 'Known' | 'Outdated'; readonly by: string };

/**
 * Decides on one statement. The rules that made the statement also read the memories, whoever wrote
 * them, so that `moved from Lyon to Berlin` matches `lives in Lyon`.
 * @param names by which memories may call the owner of the scope
 */
export function decide(
  toDecide: ToDecide,
  known: readonly Known[],
  names: readonly string[],
): Decision {
  const { statement, source, at, speaker, replaces = [] } = toDecide;
  if (statement.topic === DONE_TOPIC) return decideReport(toDecide, known, names);
  const ended: Known[] = [];
  let same: Known | null = null;
  // A text may name its speaker where the message names none: `Bob: I moved to Berlin.`
  const teller = speaker === null ? tellerOf({ content: statement.text, speaker }) : null;
  // What an assistant has learned says nothing about the user's own life.
  const said = statement.kind === 'Lesson' ? null : statementsAndCorrectionsOf(statement.text);
  const isRetraction = retractionIn(statement.text) !== null;
  for (const memory of known) {
    // People speak only for themselves; a memory that names no speaker may be anybody's.
    if (memory.speaker !== null && speaker !== null && memory.speaker !== speaker) continue;
    if (teller !== null && !isOnePerson(tellerOf(memory), teller, names)) continue;
    const content = withoutSpeaker(memory);
    const other = knownStatement(withoutSourceDate(content), names);
    if (memory.sources.includes(source) && isSameText(content, statement.text)) {
      return { event: 'NOOP', reason: 'Known', by: memory.id };
    }
    if (!memory.live) continue;
    const isOfOneTime =
      isRetraction || haveOneTime({ text: statement.text, at }, { text: content, at: memory.at });
    if (!isOfOneTime) {
      if (isSameText(content, statement.text)) same ??= memory;
      continue;
    }
    const relation = other === null ? 'Beside' : relationOf(statement, other);
    if (relation === 'Same' || isSameText(content, statement.text)) {
      same ??= memory;
      continue;
    }
    const isKnownChange = memory.at <= at && givesNewValue(content, statement.text);
    if (isKnownChange && !isRetraction) continue;
    if (relation !== 'Ends' && !replaces.includes(memory.id)) {
      const isOlder = memory.at <= at && !memory.sources.includes(source);
      const isOne = isOlder && isOnePerson(memory.speaker, speaker, names);
      const isOver =
        (isOne && said !== null && isChanged(content, said, names)) ||
        endsAim(toDecide, memory, names);
      if (isOver) ended.push(memory);
      continue;
    }
    if (memory.at > at && same === null) {
      return { event: 'NOOP', reason: 'Outdated', by: memory.id };
    }
    if (memory.at > at) continue;
    // The rest of the memory still holds. Contexts mark it as outdated in part.
    if (relation === 'Ends' && said !== null && isEndedInPart(content, said, names)) continue;
    ended.push(memory);
  }
  if (same !== null) {
    // Said again after another value, it is the newest word.
    const { at: since } = same;
    if (!ended.some((each) => each.at > since)) {
      return { event: 'NOOP', reason: 'Known', by: same.id };
    }
    ended.push(same);
  }
  if (ended.length > 0) {
    const supersedes = ended.map(({ id }) => id);
    const isTakenBack = statement.negative && takesChangeBack(statement.text);
    if (!isTakenBack) return { event: 'SUPERSEDE', supersedes };
    const restored = known.filter(
      ({ live, endedBy = null }) => !live && endedBy !== null && supersedes.includes(endedBy),
    );
    return { event: 'SUPERSEDE', supersedes, restores: restored.map(({ id }) => id) };
  }
  return statement.isMentioned
    ? endingOfMeant(toDecide, known, names)
    : { event: 'ADD', supersedes: [] };
}

/** Decides on a report: it ends the tasks and goals that its speaker has certainly ended. */
function decideReport(
  report: ToDecide,
  known: readonly Known[],
  names: readonly string[],
): Decision {
  const ended = known.filter((memory) => memory.live && endsAim(report, memory, names));
  return ended.length === 0
    ? endingOfMeant(report, known, names)
    : { event: 'SUPERSEDE', supersedes: ended.map(({ id }) => id) };
}

/** Decides on a report that ends nothing by its words: it may end the task of the latest turns. */
function endingOfMeant(
  report: ToDecide,
  known: readonly Known[],
  names: readonly string[],
): Decision {
  const { statement, talk = [] } = report;
  if (talk.length === 0 || !isBareReport(statement.text)) return { event: 'None' };
  const talked = talk.join(' ');
  const tasks = known
    .filter(
      (memory) =>
        memory.live && isEarlierOfOne(report, memory, names) && sharesWord(memory.content, talked),
    )
    .flatMap((memory) => {
      const aim = aimIn(memory, names);
      return aim?.kind === 'Task' ? aim : [];
    });
  const meant = meantTask(tasks, statement.text, talk);
  return meant === null ? { event: 'None' } : { event: 'SUPERSEDE', supersedes: [meant.id] };
}

/** Whether a report ends a task or goal of its speaker that is all a memory says. */
function endsAim(report: ToDecide, memory: Known, names: readonly string[]): boolean {
  if (!isEarlierOfOne(report, memory, names)) return false;
  const { text } = report.statement;
  const aim = withoutSourceDate(withoutSpeaker(memory));
  if (isCertainlyDone(aim, text)) return aimIn(memory, names)?.kind === 'Task';
  if (!mayEndGoal(aim, text)) return false;
  const goal = aimIn(memory, names);
  return goal?.kind === 'Goal' && endsGoal(goal, text);
}

function isEarlierOfOne(
  { source, at, speaker }: ToDecide,
  memory: Known,
  names: readonly string[],
): boolean {
  if (memory.at > at || memory.sources.includes(source)) return false;
  return isOnePerson(memory.speaker, speaker, names);
}

/** Returns what a memory says that its speaker has to do or wants to achieve; null if nothing. */
function aimIn(memory: Known, names: readonly string[]): Aim | null {
  const text = withoutSourceDate(withoutSpeaker(memory));
  const read = knownStatement(text, names);
  if (read === null) {
    const language = languageOf(text);
    return isErrand(text)
      ? aimOf(memory.id, { kind: 'Task', text, language, values: valueStems(text, language) })
      : null;
  }
  const { kind, language, values } = read;
  if (read.negative || (kind !== 'Task' && kind !== 'Goal')) return null;
  return aimOf(memory.id, { kind, text, language, values });
}

/** Whether the later one of two texts tells of the time that the earlier one tells of. */
function haveOneTime(one: SaidText, other: SaidText): boolean {
  const [earlier, later] = one.at < other.at ? [one, other] : [other, one];
  const [older, newer] = [saidTimes(earlier), saidTimes(later)];
  return holdingPart(newer, older) === newer.text && !isAhead(older, newer);
}

/** Returns who says a text: its speaker, or the one whom its words name. */
function tellerOf({ content, speaker }: Pick<Known, 'content' | 'speaker'>): string | null {
  return speaker ?? labeledLine(content)?.speaker ?? null;
}

/** Stricter than the rule for marks: a speaker without a name is the owner of the scope. */
export function isOnePerson(a: string | null, b: string | null, names: readonly string[]): boolean {
  const owners = new Set(names.map((name) => name.toLowerCase()));
  const [one, other] = [a, b].map((speaker) => {
    const name = speaker?.toLowerCase() ?? '';
    return owners.has(name) ? '' : name;
  });
  return one === other;
}

function isEndedInPart(
  content: string,
  newer: StatementsAndCorrections,
  names: readonly string[],
): boolean {
  return (
    endingOf(
      statementsAndCorrectionsOf(inFirstPerson(withoutSourceDate(content), names)),
      newer,
    ) === 'Some'
  );
}

/** Whether a change in other words has certainly ended all that a memory says. */
function isChanged(
  content: string,
  newer: StatementsAndCorrections,
  names: readonly string[],
): boolean {
  if (newer.corrections.length === 0) return false;
  const text = inFirstPerson(withoutSourceDate(content), names);
  if (ownSentences(text).length !== 1) return false;
  const older = statementsAndCorrectionsOf(text);
  const [clause, ...others] = older.clauses();
  if (clause === undefined || others.length > 0 || endingOf(older, newer) !== 'All') return false;
  return newer.corrections.some((correction) => isCertainlyEndedBy(clause, correction));
}

/** Whether two statements can't both hold: the newer one gives a topic another value. */
function endsStatement(said: Statement, known: Statement): boolean {
  return relationOf(said, known) === 'Ends';
}

/** How much of an older text a newer one ends. */
export type Ending = 'All' | 'Some' | 'None';

/** Whether a newer text says again all that an older one states. */
export function statesAgain(
  older: StatementsAndCorrections,
  newer: StatementsAndCorrections,
): boolean {
  return (
    older.of === newer.of &&
    older.statements.length > 0 &&
    older.statements.every((each) =>
      newer.statements.some((said) => relationOf(said, each) === 'Same'),
    )
  );
}

/** Returns the ending of a text that several texts end. */
export function strongestOf(endings: readonly Ending[]): Ending {
  if (endings.includes('All')) return 'All';
  return endings.includes('Some') ? 'Some' : 'None';
}

/** A text with what it says that lasts, read once for many comparisons. */
export interface ReadStatements extends SaidAt {
  readonly text: string;
  readonly lasting: StatementsAndCorrections;
}

/** Whether a newer text certainly ends all that an older one says, as one memory ends another. */
export function certainlyEnds(newer: ReadStatements, older: ReadStatements): boolean {
  const [said, known] = [newer.lasting, older.lasting];
  if (!haveOneTime(older, newer) || givesNewValue(older.text, newer.text)) return false;
  if (known.speaker !== said.speaker || endingOf(known, said) !== 'All') return false;
  const isOtherValue =
    known.of === said.of &&
    known.statements.some((each) => said.statements.some((other) => endsStatement(other, each)));
  return isOtherValue || isChanged(older.text, said, NO_NAMES);
}

const NO_NAMES: readonly string[] = [];

/**
 * Compares the topics of one person's statements, and applies the newer text's corrections. What
 * the older text says beside it still holds.
 */
export function endingOf(older: StatementsAndCorrections, newer: StatementsAndCorrections): Ending {
  const ending = endingOfStatements(older, newer);
  return ending === 'All' && stillSays(older, newer) ? 'Some' : ending;
}

/** Whether a text says more than what a newer one, which ends something in it, is about. */
export function stillSays(
  older: StatementsAndCorrections,
  newer: StatementsAndCorrections,
): boolean {
  const namesEnded =
    newer.statements.some(({ negative }) => negative) ||
    newer.corrections.some((correction) => correction.namesEnded);
  return (
    saysMore(older.parts(), newer.parts(), namesEnded) || tellsOfCompanion(older.text, newer.text)
  );
}

function endingOfStatements(
  older: StatementsAndCorrections,
  newer: StatementsAndCorrections,
): Ending {
  const [known, told] = comparable(older, newer);
  const ended = known.filter((each) => told.some((said) => endsStatement(said, each)));
  // What a text says beside a value that it only mentions still holds.
  const isWhole = ended.length === known.length && !ended.some((each) => each.isMentioned);
  if (ended.length > 0) return isWhole ? 'All' : 'Some';
  if (newer.corrections.length === 0 || older.speaker !== newer.speaker) return 'None';
  const clauses = older.clauses();
  const changed = clauses.map((each) => newer.corrections.filter((by) => isEndedBy(each, by)));
  if (changed.every((by) => by.length === 0)) return 'None';
  const isAll = changed.every((by) => by.some(({ isInPart }) => !isInPart));
  return isAll && older.statements.length < 2 ? 'All' : 'Some';
}

/**
 * Returns the statements of two texts if they may be about one person: `Ana moved to Oslo` says of
 * Ana what `My sister Ana lives in Porto` does.
 */
function comparable(
  older: StatementsAndCorrections,
  newer: StatementsAndCorrections,
): readonly [readonly Statement[], readonly Statement[]] {
  if (older.of === newer.of) return [older.statements, newer.statements];
  if (older.of !== '' && newer.of !== '') return [[], []];
  return [statementsByName(older), statementsByName(newer)];
}

/** Returns statements with the name of the person whom they are about in their topics. */
function statementsByName({ of, statements }: StatementsAndCorrections): readonly Statement[] {
  if (of === '') return statements;
  return statements.map((each) => ({
    ...each,
    topic: `${each.topic}:${stemsOf(of, each.language).join(' ')}`,
  }));
}

/** Matches a condition: something is not so at a time or place, but still holds otherwise. */
const CONDITION =
  /\b(?:after(?! all\b)|before|during|without|unless|with|at night|nach|vor|ohne|después de)\b/iu;

type Relation = 'Same' | 'Ends' | 'Beside';

function relationOf(said: Statement, known: Statement): Relation {
  if (said.kind === 'Decision' && known.kind === 'Decision') {
    const held = known.values.filter((each) => !known.ended.includes(each));
    if (!known.negative && isWithin(said.ended, held)) return 'Ends';
    if (said.negative !== known.negative) return isReversed(said, known) ? 'Ends' : 'Beside';
  }
  if (isHomeLeft(said, known) || isOtherTime(said, known)) return 'Ends';
  if (said.topic !== known.topic || areNamesakes(said.text, known.text)) return 'Beside';
  const isEqual = isWithin(said.values, known.values);
  const overlaps = isEqual || isWithin(known.values, said.values);
  if (said.negative !== known.negative) {
    // `I never drink tea after eight` does not end `I like tea`.
    const isOpen = said.topic !== HOME_TOPICS.city && CONDITION.test(said.text);
    const isWhole = isWithin(said.values, known.values) && !isOpen;
    if (said.negative) return isWhole ? 'Ends' : 'Beside';
    // "No longer vegetarian" is ended by "vegetarian", and "left Siemens" by any other employer.
    return said.single || overlaps ? 'Ends' : 'Beside';
  }
  // `A cat called Luna` and `a cat called Pixel` are two cats.
  if (isEqual) return !said.single && namesOnlyIn(said, known) ? 'Beside' : 'Same';
  return said.single && !said.negative ? 'Ends' : 'Beside';
}

/** Verbs that only say that a decision is for using something. */
const USING: ReadonlySet<string> = new Set(
  'use adopt nutz benutz verwend einsetz nehm usar utiliz adopt emple us 使用 采用'.split(' '),
);

/** Whether two decisions, one for and one against, are about the same thing. */
function isReversed(said: Statement, known: Statement): boolean {
  // `We decided against Redis` is about all its uses, `against Redis for caching` about one.
  if (said.topic !== known.topic && said.topic !== DECISION_TOPIC) return false;
  const [one, other] = [said, known].map(({ values }) => values.filter((each) => !USING.has(each)));
  return isWithin(one ?? [], other ?? []) && isWithin(other ?? [], one ?? []);
}

const DECISION_TOPIC = 'decision';
const DATE_TOPIC = 'date:';
/** Kinds of statements of which another day replaces the one before. */
const PLANS: ReadonlySet<StatementKind> = new Set(['Task', 'Goal']);
const WORDS_OF_CHANGE: ReadonlySet<string> = new Set('instead stattdessen cambio'.split(' '));

/**
 * Whether both statements give the time of one thing, as a decision or as a date, and the times
 * differ: `The launch moves to June 1` ends `We decided to launch on May 4`.
 */
function isOtherTime(said: Statement, known: Statement): boolean {
  if (said.negative || known.negative) return false;
  // A task and the date of its event are two things.
  if (said.kind !== known.kind && [said.kind, known.kind].some((kind) => PLANS.has(kind)))
    return false;
  const [one, other] = [timedThing(said), timedThing(known)];
  if (one === null || other === null) return false;
  const isOneThing = isWithin(one.things, other.things) && isWithin(other.things, one.things);
  return isOneThing && !isWithin(one.times, other.times);
}

/** Returns what a decision or a date is about, and when that is; null if it names no time. */
function timedThing({ kind, topic, text, values, language }: Statement) {
  const isPlan = kind === 'Decision' || PLANS.has(kind);
  if (!isPlan && !topic.startsWith(DATE_TOPIC)) return null;
  const named = new Set(
    plainWords(text)
      .filter(isTime)
      .flatMap((word) => stemsOf(word, language)),
  );
  const times = values.filter((each) => named.has(each));
  if (times.length === 0) return null;
  if (!isPlan) return { times, things: topic.slice(DATE_TOPIC.length).split(' ') };
  const things = values.filter((each) => !named.has(each) && !WORDS_OF_CHANGE.has(each));
  return { times, things };
}

function isTime(word: string): boolean {
  return /^\d/u.test(word) || isOfCalendar(word);
}

/** A name with a house number, not with a year. */
const HOUSE = /\p{Lu}[\p{L}.-]+,? \d{1,3}(?!\d)|(?<!\d)\d{1,3}[a-z]? \p{Lu}/u;
const HOME_TOPICS = { city: 'residence', street: 'my:address' } as const;

/**
 * Whether the speaker has left a known home. A new street may be in the known city, and a new city
 * may be the one of the known street, unless the sentence says that the speaker has moved.
 */
function isHomeLeft(said: Statement, known: Statement): boolean {
  if (said.negative || known.negative) return false;
  const { city, street } = HOME_TOPICS;
  const isStreet = said.topic === street && known.topic === city && HOUSE.test(known.text);
  const isCity = said.topic === city && known.topic === street;
  const isLeft =
    (isStreet && NOW.test(said.text)) || ((isStreet || isCity) && MOVED.test(said.text));
  return isLeft && !isWithin(said.values, stemsOf(known.text, known.language));
}

const NOW = new RegExp(
  `${WORD_START}${oneOf('now, jetzt, nun, inzwischen, ahora')}${WORD_END}`,
  'iu',
);
const MOVED = new RegExp(
  `${WORD_START}${oneOf(`
    moved, relocated, umgezogen, gezogen, mudé, mudado, mudamos
  `)}${WORD_END}`,
  'iu',
);

/** Whether a statement has names or numbers that the known one of the same value lacks. */
function namesOnlyIn(said: Statement, known: Statement): boolean {
  const words = new Set(plainWords(known.text));
  return plainWords(namesIn(said)).some((each) => !words.has(each));
}

/** Finds names by their capitals; in German, where every noun has one, by the words before them. */
function namesIn({ text, language }: Statement): string {
  const name = language === 'de' ? NAMED_DE : language === 'zh' ? NAMED_ZH : CAPITALIZED;
  return (text.match(name) ?? []).join(' ');
}

const CAPITALIZED = /(?<=[\p{L}\p{N},]\s)(?!I(?!\p{L}))\p{Lu}[\p{L}'’-]*|\d+/gu;
const NAMED_DE = /(?<=(?:namens|heißt|heißen|genannt|in|aus|bei|von)\s)\p{Lu}[\p{L}-]+|\d+/gu;
const NAMED_ZH = /(?<=叫(?:做|作)?|名字是)[\p{Script=Han}A-Za-z·]{1,6}|\d+/gu;

function isWithin(few: readonly string[], many: readonly string[]): boolean {
  return few.length > 0 && few.every((each) => many.includes(each));
}

/**
 * Returns a statement with its speaker's name, for a conversation of several people. The owner of
 * the scope needs no name.
 */
export function withSpeaker(text: string, speaker: string | null, owner: string): string {
  const isOwner = speaker === null || speaker.toLowerCase() === owner.toLowerCase();
  return isOwner ? text : `${speakerLabel(speaker)}${text}`;
}

function withoutSpeaker({ content, speaker }: Known): string {
  const prefix = speakerLabel(speaker ?? '');
  return content.startsWith(prefix) ? content.slice(prefix.length) : content;
}

function isSameText(a: string, b: string): boolean {
  return folded(a) === folded(b);
}

function folded(text: string): string {
  return withoutSourceDate(text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\s]+/gu, ' ')
    .trim();
}
