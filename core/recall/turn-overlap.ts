/**
 * Compares the memories, the lines of files and the past turns that compete for room in one
 * context: which of them says the same as another, and which replaces it.
 */
import type { WholePart } from '../context/context-parts.ts';
import { turnKey, type PastPassage } from '../context/past-turns.ts';
import { withoutSourceDates } from '../sources/source.ts';
import type { ComparedMemory } from './outdated/outdated-memories.ts';
import { repeats } from './ranking/count-near-duplicates.ts';
import type { ReadPassage } from './ranking/passages-for-context.ts';
import { replacedByMemories, type EndingByUser, type Replaced } from './outdated/replacements.ts';
import { LINE_ROLE, withoutSpeakerLabel } from '../text/speaker-label.ts';
import { UNSPACED } from '../text/words.ts';

/** The memories that a search finds for a question. */
export interface FoundMemories {
  readonly parts: readonly WholePart[];
  /** What all of them say, in full, by id. */
  readonly statements: ReadonlyMap<string, ComparedMemory>;
  /** By the id of a memory that was kept from a turn: the `turnKey` of the turn. */
  readonly turns: ReadonlyMap<string, string>;
}

interface PastTurns {
  /** Best first. */
  readonly passages: readonly PastPassage[];
  /** What users and files say in the best of them. */
  readonly said: readonly ReadPassage[];
  /** Returns terms as recall compares them. */
  readonly termsOf: (text: string) => readonly string[];
  /** Decides what later words of the user end. */
  readonly endedByUser: EndingByUser;
}

/** Returns memories and passages with the marks that the filling of a context needs. */
export function memoriesAndTurns(
  found: FoundMemories,
  { passages, said, termsOf, endedByUser }: PastTurns,
): { readonly memories: readonly WholePart[]; readonly turns: readonly PastPassage[] } {
  const known = withRankedTurns(found, passages, termsOf);
  const endings = endingsByMemory(said, known);
  return {
    memories: withReplacing(known, endings).map((part) => {
      const told = found.statements.get(part.id);
      const ended = told === undefined ? 'None' : endedByUser(part.layer, told.content, told.at);
      return ended === 'None' ? part : { ...part, endedByUser: ended };
    }),
    turns: passages.map((passage) => {
      const endedByMemory = endings.get(passage)?.ended;
      return endedByMemory === undefined ? passage : { ...passage, endedByMemory };
    }),
  };
}

/**
 * Marks memories that a ranked turn says in the same words: the passages of the turn compete for
 * room in their place, as they rank better and name speaker and day (docs/decisions/0141).
 */
function withRankedTurns(
  found: FoundMemories,
  passages: readonly PastPassage[],
  termsOf: (text: string) => readonly string[],
): FoundMemories {
  if (found.turns.size === 0) return found;
  const ofTurns = new Set(found.turns.values());
  const ranked = Map.groupBy(
    passages.filter((passage) => ofTurns.has(turnKey(passage))),
    turnKey,
  );
  const marked = (part: WholePart): WholePart => {
    const { statement, id } = part;
    if (statement === undefined) return part;
    const [first, ...others] = ranked.get(found.turns.get(id) ?? '') ?? [];
    if (first === undefined) return part;
    const told = withoutSpeakerLabel(withoutSourceDates(statement), first.speaker);
    const terms = new Set(termsOf(told));
    const isSaid = [first, ...others].some(({ text }) => repeats(new Set(termsOf(text)), terms));
    return isSaid ? { ...part, isOfRankedTurn: true } : part;
  };
  return { ...found, parts: found.parts.map(marked) };
}

type EndingsByMemory = ReadonlyMap<PastPassage, Replaced<ComparedMemory>>;

/** Returns what newer memories, whose turns don't tell it themselves, end of what was said. */
function endingsByMemory(
  said: readonly ReadPassage[],
  { parts, statements }: FoundMemories,
): EndingsByMemory {
  const memories = parts.flatMap(({ id, isOfRankedTurn = false }) =>
    isOfRankedTurn ? [] : (statements.get(id) ?? []),
  );
  const replacedBy = replacedByMemories(memories);
  const endings = said.map((each) => [each.passage, replacedBy(each)] as const);
  return new Map(endings.filter(([, { ended }]) => ended !== 'None'));
}

/** Ranks memories that end a passage no lower than the passage, however unlike the question. */
function withReplacing({ parts }: FoundMemories, endings: EndingsByMemory): readonly WholePart[] {
  const relevances = new Map<string, number>();
  for (const [{ relevance }, { by }] of endings) {
    for (const { id } of by) relevances.set(id, Math.max(relevance, relevances.get(id) ?? 0));
  }
  return parts.map((part) => {
    const ending = relevances.get(part.id);
    if (ending === undefined) return part;
    return { ...part, relevance: Math.max(part.relevance, ending), isFar: false };
  });
}

/** A character of a script without spaces, another word, or a number. */
const WORD = new RegExp(String.raw`[${UNSPACED}]|[\p{L}--[${UNSPACED}]]+|\p{N}+`, 'gv');

/** Words that a flush may leave out, and that never change what is said. */
const FILLERS: ReadonlySet<string> = new Set(
  (
    'oh ah hey hi hello well hm hmm um uh ok okay btw ach äh ähm na hallo hola oye bueno pues eh ' +
    'ay 啊 哦 嗯 哎 哈'
  ).split(' '),
);

/**
 * Whether a turn has all words of a line, one after the other. A flush leaves out fillers ("oh"),
 * and adds the speaker and the day.
 */
export function onlyRepeats(line: string, turn: string): boolean {
  const words = tellingWords(withoutSourceDates(line.replace(LINE_ROLE, '')));
  return words === '' || ` ${tellingWords(turn)} `.includes(` ${words} `);
}

function tellingWords(text: string): string {
  const words: readonly string[] = text.toLowerCase().match(WORD) ?? [];
  return words.filter((word) => !FILLERS.has(word)).join(' ');
}
