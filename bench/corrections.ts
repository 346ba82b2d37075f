/**
 * Measures how many corrections in other words are recognized, and how many statements that still
 * hold are ended by mistake, on the pairs of test/corrections in four languages: by the rules alone
 * (`endingOf`), in contexts of turns, and in contexts of memories. It also compares statements of
 * different pairs, few of which end each other. With `--data FILE`, it prints what changes end in
 * conversations in the format of bench/conversations/people.jsonl.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endingOf } from '#core/extraction/compare-with-known.ts';
import { statementsAndCorrectionsOf } from '#core/extraction/statements-and-corrections.ts';
import { pastPassages } from '#core/recall/ranking/passages-for-context.ts';
import { passagesOf } from '#core/recall/sessions/split-into-passages.ts';
import { pastSession } from '#core/recall/sessions/past-session.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { once } from '#core/once.ts';
import { outdatedMemories, type ComparedMemory } from '#core/recall/outdated/outdated-memories.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { halfOf, jsonLines } from './data-sets.ts';

export interface Pair {
  readonly id: string;
  readonly lang: string;
  readonly older: string;
  readonly newer: string;
  /** Whether the newer statement ends the older one. */
  readonly ends: boolean;
  /** Name of its file. */
  readonly set: string;
}

const FOLDER = join(import.meta.dirname, '../test/corrections');
const PERCENT = 100;
const analyzer = createTextAnalyzer();

const METHODS: Readonly<Record<string, (pair: Pair) => boolean>> = {
  rules: ({ older, newer }) =>
    endingOf(statementsAndCorrectionsOf(older), statementsAndCorrectionsOf(newer)) !== 'None',
  turns: isMarked,
  memories: isReplaced,
};

export async function run(args: readonly string[]): Promise<void> {
  const at = args.indexOf('--data');
  if (at >= 0) printEnded(args[at + 1] ?? '');
  else printPairs();
  await Promise.resolve();
}

function printPairs(): void {
  const pairs = readPairs();
  console.log('half     pairs   recognized: rules turns memories    wrongly ended: the same');
  for (const half of ['develop', 'report'] as const) {
    const ofHalf = pairs.filter(({ id }) => halfOf(id) === half);
    const groups = [ofHalf.map(({ lang }) => lang), ofHalf.map(({ set }) => set)];
    for (const name of [...new Set(groups.flat()), 'all']) {
      const group = ofHalf.filter(({ lang, set }) => [lang, set, 'all'].includes(name));
      const cells = [true, false].map((ends) => {
        const asked = group.filter((pair) => pair.ends === ends);
        const shares = Object.values(METHODS).map((isEnded) => share(asked, isEnded));
        return `${String(asked.length).padStart(6)} pairs${shares.join('')}`;
      });
      console.log(`${half.padEnd(9)}${name.padEnd(7)}${cells.join('')}`);
    }
    // Only mistakes of the other half are shown, so that rules are never made from the reported
    // one.
    if (half === 'develop') for (const line of ofHalf.flatMap(mistakes)) console.log(line);
    console.log(`of different pairs: ${share(mixed(ofHalf), METHODS['rules'] ?? isMarked)}`);
  }
}

interface Conversation {
  readonly sessions: readonly {
    readonly turns: readonly {
      readonly role: string;
      readonly text?: string;
      readonly content?: string;
    }[];
  }[];
}

/**
 * Prints which statements of users count as outdated in conversations of one person each, for
 * reading: most of what people say in passing ends nothing.
 */
function printEnded(file: string): void {
  let [pairs, ended] = [0, 0];
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { sessions } = JSON.parse(line) as Conversation;
    const said = sessions.flatMap(({ turns }, at) =>
      turns
        .filter(({ role }) => role === 'user')
        .flatMap(({ text, content }) => passagesOf(text ?? content ?? ''))
        .map((text) => ({ text, at })),
    );
    const { outdated } = outdatedMemories(
      said.map(({ text, at }, place) => asMemory(String(place), text, at)),
    );
    for (const [older, by] of outdated)
      for (const newer of by)
        console.log(`${said[Number(older)]?.text ?? ''} ← ${said[Number(newer)]?.text ?? ''}`);
    ended += [...outdated.values()].flat().length;
    pairs += said.flatMap(({ at }) => said.filter((each) => each.at > at)).length;
  }
  console.log(`${String(ended)} of ${String(pairs)} pairs`);
}

function asMemory(id: string, content: string, at: number): ComparedMemory {
  const terms = once(() => new Set(recallTerms(analyzer, content)));
  return { id, layer: 'user', trust: 'stated', content, at, terms };
}

/** Pairs written by hand: a statement, and a later one that ends it or leaves it unchanged. */
export function readPairs(): readonly Pair[] {
  return [
    'plain',
    'varied',
    'fresh',
    'passing',
    'everyday',
    'restated',
    'lookalike',
    'changed',
  ].flatMap(pairsOf);
}

function pairsOf(set: string): readonly Pair[] {
  const pairs = jsonLines<Omit<Pair, 'set'>>(join(FOLDER, `${set}.jsonl`));
  return pairs.map((pair) => ({ ...pair, set }));
}

function share(pairs: readonly Pair[], isEnded: (pair: Pair) => boolean): string {
  const of = Math.max(1, pairs.length);
  return `${((pairs.filter(isEnded).length / of) * PERCENT).toFixed(1)} %`.padStart(9);
}

function mistakes(pair: Pair): readonly string[] {
  const wrong = Object.entries(METHODS).filter(([, isEnded]) => isEnded(pair) !== pair.ends);
  if (wrong.length === 0) return [];
  const by = wrong.map(([name]) => name).join(', ');
  return [`  ${pair.ends ? 'missed' : 'wrong '} ${pair.id} (${by}): ${pair.older} ← ${pair.newer}`];
}

/** Pairs each older statement with the newer ones of all other pairs of its language. */
function mixed(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.flatMap((pair) =>
    pairs
      .filter((other) => other.lang === pair.lang && other.older !== pair.older)
      .map(({ newer }) => ({ ...pair, newer, ends: false })),
  );
}

function isMarked({ older, newer }: Pair): boolean {
  const sessions = [older, newer].map((content, at) => {
    const id = String(at);
    const said = { id, sessionId: id, at, role: 'user', speaker: null, content } as const;
    return pastSession(id, [{ turn: { ...said, trust: 'stated' }, vectors: null }], analyzer);
  });
  const ranked = sessions.flatMap((session) =>
    session.passages.map((passage, place) => {
      const [turn] = session.turns;
      if (turn === undefined) throw new Error('a session of one turn');
      return {
        session,
        turn,
        isByPerson: true,
        turnUnits: passage.text.length,
        passage,
        place,
        score: 1,
        wordShare: 1,
        hitShare: 1,
        cosine: null,
      };
    }),
  );
  return pastPassages(sessions, ranked).passages.some(({ outdatedBy }) => outdatedBy.length > 0);
}

function isReplaced({ older, newer }: Pair): boolean {
  const memories = [older, newer].map((content, at) => asMemory(String(at), content, at));
  return outdatedMemories(memories).outdated.size > 0;
}
