/** Compares what users and files say with memories and summaries: which newer text ends what. */
import { dayOf } from '../../text/day.ts';
import { strongestOf, type Ending } from '../../extraction/compare-with-known.ts';
import { isAmong, jokedTurns } from '../../extraction/joked-turns.ts';
import { ownPassagesOf } from '../../extraction/own-words.ts';
import { isOfUser } from '../../extraction/statements-and-corrections.ts';
import type { Layer } from '../../layer.ts';
import { once } from '../../once.ts';
import type { Memory } from '../../records/memory.ts';
import { leastTrust } from '../../trust.ts';
import type { Turn } from '../../records/turn.ts';
import type { SaidAt } from '../../said-at.ts';
import { mayReplace, readDatedText, type ReadText } from './likely-correction.ts';
import { endingAcross, isTakenBack, PERSONAL, type ComparedMemory } from './outdated-memories.ts';
import { passagesOf } from '../sessions/split-into-passages.ts';

/** Layers that a user speaks for; single members do not change what a team or a company holds. */
const SPOKEN_FOR: ReadonlySet<Layer> = new Set(['agent', 'user', 'session', 'project']);

/** Returns how much of a text of a layer, which holds since `at`, later words of the user end. */
export type EndingByUser = (layer: Layer, content: string, at: number) => Ending;

/**
 * @param later what users said in the conversations that the context is made of
 * @param termsOf returns terms as recall compares them
 */
export function endingByUser(
  later: readonly ReadText[],
  termsOf: (content: string) => readonly string[],
): EndingByUser {
  const endedBy = replacedByUser(later, termsOf);
  return (layer, content, at) => endedBy(layer, content, at).ended;
}

/**
 * Returns what the user says in the latest turns, without jokes, and without named speakers, who
 * may be anybody.
 */
export function saidLately(
  latest: readonly Turn[],
  termsOf: (text: string) => readonly string[],
  now: SaidAt,
): readonly ReadText[] {
  const today = dayOf(now);
  const joked = jokedTurns(latest);
  return latest.flatMap(({ role, speaker, content, at }, place) => {
    if (role !== 'user' || speaker !== null) return [];
    const jokes = joked.get(place)?.sentences ?? [];
    const isOwn = ownPassagesOf(content);
    return passagesOf(content)
      .filter((text) => isOwn(text) && !isAmong(text, jokes))
      .map((text) =>
        readDatedText({ content: text, at, today, terms: once(() => new Set(termsOf(text))) }),
      );
  });
}

/** Texts that end another one, and how much of it they end together. */
export interface Replaced<T> {
  readonly ended: Ending;
  readonly by: readonly T[];
}

/** As `endingByUser`, with those that end it. */
export function replacedByUser<T extends ReadText>(
  later: readonly T[],
  termsOf: (content: string) => readonly string[],
): (layer: Layer, content: string, at: number) => Replaced<T> {
  const notOfUser = once(() => later.filter(({ content }) => !isOfUser(content)));
  return (layer, content, at) => {
    const isPersonal = PERSONAL.has(layer);
    // Elsewhere, `I` is an agent or another person, and users say nothing there of themselves.
    if (!SPOKEN_FOR.has(layer) || (!isPersonal && isOfUser(content))) return NOT_REPLACED;
    const older = () =>
      readDatedText({ content, at, terms: once(() => new Set(termsOf(content))) });
    return replacedAmong(older, at, isPersonal ? later : notOfUser());
  };
}

/** What a user or a file says in a past turn. */
interface SaidPassage extends ReadText {
  readonly passage: Pick<Memory, 'trust'>;
}

/**
 * Returns how much newer memories, trusted as much, end of what a user or a file says. Only those
 * of the same person do: no rule decides between words of a user and a memory of a project.
 */
export function replacedByMemories(
  memories: readonly ComparedMemory[],
): (said: SaidPassage) => Replaced<ComparedMemory> {
  const own = memories
    .filter(({ layer }) => PERSONAL.has(layer))
    .map((memory) => ({ ...memory, ...readDatedText(memory) }));
  const enders = own.filter(mayReplace);
  return (said) => {
    const { trust: least } = said.passage;
    // Any memory may say that a task is done.
    const others = said.task() === null ? enders : own;
    const trusted = others.filter(({ trust }) => leastTrust([trust, least]) === least);
    return replacedAmong(() => said, said.at, trusted);
  };
}

const NOT_REPLACED = { ended: 'None', by: [] } as const;

function replacedAmong<T extends ReadText>(
  olderOf: () => ReadText,
  at: number,
  others: readonly T[],
): Replaced<T> {
  const newer = others.filter((other) => other.at > at);
  if (newer.length === 0) return NOT_REPLACED;
  const older = olderOf();
  const endings = newer
    .map((other) => ({ other, ending: endingAcross(older, other) }))
    .filter(({ other, ending }) => ending !== 'None' && !isTakenBack(other, newer));
  return {
    ended: strongestOf(endings.map(({ ending }) => ending)),
    by: endings.map(({ other }) => other),
  };
}
