/**
 * A scope of each of three layers, what is written to them, and what every reader may say of it:
 * each text has a word of its own, by which it is found wherever it stands.
 */
import { randomUUID } from 'node:crypto';
import { OPERATIONS } from '#api/operations/table.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { DEPTHS } from '#core/records/summary.ts';

export const LAYERS = ['user', 'project', 'session'] as const;
export type TruthLayer = (typeof LAYERS)[number];

export const IDENTIFIERS = { userId: 'ann', projectId: 'shop', sessionId: 'call' };
const SCOPE_IDS = { user: 'ann', project: 'shop', session: 'call' } as const;

/**
 * A change of one word leaves nearly all of a sentence as it was. Each layer has its own, since the
 * more specific layer stands for another that says nearly the same (design 6.9).
 */
const SENTENCES = {
  user: [
    (word: string) => `Ann keeps the old garden tools of ${word} in the shed behind the house.`,
    (word: string) => `On Sundays Ann walks from the harbour to the café of ${word} with her dog.`,
  ],
  project: [
    (word: string) => `The contract with ${word} ends in May, and Bob looks for a better one.`,
    (word: string) => `Tulips for the shop come from ${word}, twice a week and before eight.`,
  ],
  session: [
    (word: string) => `Every Monday the whole team has lunch at ${word} near the railway station.`,
    (word: string) => `The green bicycle was repaired by ${word} after the accident in autumn.`,
  ],
} as const;

const SYLLABLES = ['ba', 'ko', 'lu', 'mi', 'ne', 'ro', 'ta', 'vu'];
const SYLLABLES_OF_WORD = 4;

/** A name that nothing else has; all are of the same length, so that none is a part of another. */
function wordOf(n: number): string {
  const letters = Array.from(
    { length: SYLLABLES_OF_WORD },
    (_, at) => SYLLABLES[Math.floor(n / SYLLABLES.length ** at) % SYLLABLES.length] ?? '',
  ).join('');
  return letters.charAt(0).toUpperCase() + letters.slice(1);
}

/** How a test reaches the API: in this process, or over the network. */
export interface TestedApi {
  readonly tenant: string;
  /** Answers once the operation is acknowledged, however often it has to be tried. */
  call<Answer>(operation: OperationOf<Answer>, input: object): Promise<Answer>;
  /** A memory in place of another; what no operation does by itself. Absent where out of reach. */
  supersede?(
    layer: TruthLayer,
    replaced: { scopeId: string; id: string; content: string },
  ): Promise<string>;
}

export interface OperationOf<Answer> {
  readonly name: string;
  call(ports: ApiPorts, principal: typeof LOCAL_OPERATOR, input: unknown): Promise<Answer>;
}

interface Kept {
  readonly id: string;
  readonly layer: TruthLayer;
  readonly word: string;
  readonly text: string;
  readonly key: string | null;
  /** It holds again once this one is deleted. */
  readonly superseded?: Kept;
}

export type Write =
  | { readonly kind: 'Add'; readonly layer: TruthLayer; readonly sentence: number }
  | { readonly kind: 'AddKeyed'; readonly layer: TruthLayer; readonly sentence: number }
  | { readonly kind: 'Update' | 'Delete' | 'Supersede' | 'DeleteTurn'; readonly which: number }
  | { readonly kind: 'Append'; readonly sentence: number };

/** What was written to one tenant, with what is true of it now. */
export class ReadYourWritesHarness {
  readonly #face: TestedApi;
  #words = 0;
  #memories: Kept[] = [];
  #turns: { readonly id: string; readonly word: string }[] = [];
  readonly #gone = new Set<string>();
  /** What was said that is not true, or not said that is; none where all is as it should be. */
  readonly findings: string[] = [];

  /** Answers that were judged. */
  reads = 0;

  constructor(face: TestedApi) {
    this.#face = face;
  }

  get size(): { readonly memories: number; readonly turns: number } {
    return { memories: this.#memories.length, turns: this.#turns.length };
  }

  /** Writes, and lets every reader speak once the write was acknowledged. */
  async write(write: Write): Promise<void> {
    const written = await this.#make(write);
    await this.look();
    if (written !== null) await this.#lookFor(written);
  }

  /** As `lookBesideWrites`, and whether what is listed is what was written. */
  async look(): Promise<void> {
    await this.lookBesideWrites();
    await this.#lookAtList();
  }

  /**
   * Finds whoever says what was changed or deleted before it was asked, and what stands behind a
   * fresh summary. Somebody may write meanwhile.
   */
  async lookBesideWrites(): Promise<void> {
    const gone = [...this.#gone];
    const answers = [...(await this.#summaries()), ...(await this.#found())];
    for (const [reader, text] of answers) {
      this.reads += 1;
      for (const word of gone) {
        if (text.includes(word)) this.findings.push(`${reader} says ${word}, which is gone`);
      }
    }
    await this.#lookBehindFresh();
  }

  /** Layers whose summary does not say all that was written yet, each with its reasons. */
  async stale(): Promise<readonly string[]> {
    const { summaries } = await this.#call(OPERATIONS.summary.list, { identifiers: IDENTIFIERS });
    return summaries
      .filter(({ freshness }) => freshness.needsRegeneration)
      .map(({ scope, freshness }) => `${scope.layer} ${JSON.stringify(freshness)}`);
  }

  /** What a summary does not know of yet stands behind it until it is made again. */
  async #lookBehindFresh(): Promise<void> {
    const { summaries } = await this.#call(OPERATIONS.summary.list, { identifiers: IDENTIFIERS });
    for (const { scope, summary, freshness } of summaries) {
      if (summary === null || freshness.stale) continue;
      const sentences = DEPTHS.flatMap((depth) => summary.depths[depth]?.sentences ?? []);
      const behind = sentences.filter(({ sinceThen }) => sinceThen);
      if (behind.length > 0) this.findings.push(`${scope.layer}: fresh, and something behind it`);
    }
  }

  /** The word that is new, with the layer it was written to; null if none is. */
  async #make(write: Write): Promise<{ word: string; layer: TruthLayer } | null> {
    switch (write.kind) {
      case 'Add':
        return this.#add(write, null);
      case 'AddKeyed':
        return this.#addKeyed(write);
      case 'Append':
        return this.#append(write.sentence);
      case 'DeleteTurn':
        return this.#deleteTurn(write.which);
      default:
        return this.#change(write.kind, write.which);
    }
  }

  async #add(
    { layer, sentence }: { readonly layer: TruthLayer; readonly sentence: number },
    key: string | null,
  ): Promise<{ word: string; layer: TruthLayer }> {
    const word = this.#newWord();
    const content = textOf(layer, sentence, word);
    const { memory } = await this.#call(OPERATIONS.memory.add, {
      layer,
      identifiers: IDENTIFIERS,
      content,
      ...(key === null ? {} : { key }),
    });
    const before = this.#memories.find(({ id }) => id === memory.id);
    this.#memories = this.#memories.filter((each) => each !== before);
    this.#memories.push({ ...before, id: memory.id, layer, word, text: content, key });
    return { word, layer };
  }

  /** The second text under a key is a change of the first. */
  async #addKeyed(write: { readonly layer: TruthLayer; readonly sentence: number }) {
    const key = `about-${write.layer}`;
    const before = this.#memories.find((memory) => memory.key === key);
    const added = await this.#add(write, key);
    if (before !== undefined) this.#gone.add(before.word);
    return added;
  }

  async #change(kind: 'Update' | 'Delete' | 'Supersede', which: number) {
    const before = this.#memories[which % Math.max(1, this.#memories.length)];
    if (before === undefined) return null;
    const { id, layer } = before;
    if (kind === 'Delete') {
      await this.#call(OPERATIONS.memory.delete, { id });
      this.#end(before);
      if (before.superseded !== undefined) this.#restore(before.superseded);
      return null;
    }
    const word = this.#newWord();
    const content = before.text.replace(before.word, word);
    const { supersede } = this.#face;
    if (kind === 'Update' || supersede === undefined) {
      await this.#call(OPERATIONS.memory.update, { id, content });
      this.#end(before);
      this.#memories.push({ ...before, word, text: content });
      return { word, layer };
    }
    const replaced = { scopeId: SCOPE_IDS[layer], id, content };
    const newId = await supersede.call(this.#face, layer, replaced);
    this.#end(before);
    this.#memories.push({
      id: newId,
      layer,
      word,
      text: content,
      key: null,
      superseded: before,
    });
    return { word, layer };
  }

  async #append(sentence: number): Promise<{ word: string; layer: TruthLayer }> {
    const word = this.#newWord();
    const turn = {
      id: randomUUID(),
      role: 'user' as const,
      content: textOf('session', sentence, word),
    };
    const { ids } = await this.#call(OPERATIONS.conversation.append, {
      sessionId: IDENTIFIERS.sessionId,
      identifiers: { userId: IDENTIFIERS.userId },
      turns: [turn],
    });
    this.#turns.push({ id: ids[0] ?? '', word });
    return { word, layer: 'session' };
  }

  async #deleteTurn(which: number): Promise<null> {
    const turn = this.#turns[which % Math.max(1, this.#turns.length)];
    if (turn === undefined) return null;
    const { sessionId } = IDENTIFIERS;
    await this.#call(OPERATIONS.conversation.delete, { sessionId, turnIds: [turn.id] });
    this.#turns = this.#turns.filter(({ id }) => id !== turn.id);
    this.#gone.add(turn.word);
    return null;
  }

  #end(memory: Kept): void {
    this.#memories = this.#memories.filter(({ id }) => id !== memory.id);
    this.#gone.add(memory.word);
  }

  /** With its key, unless another memory has taken it. */
  #restore(memory: Kept): void {
    const isTaken = this.#memories.some(({ key }) => key !== null && key === memory.key);
    this.#memories.push(isTaken ? { ...memory, key: null } : memory);
    this.#gone.delete(memory.word);
  }

  #newWord(): string {
    const word = wordOf(this.#words);
    this.#words += 1;
    return word;
  }

  /** Every summary as both operations answer it. */
  async #summaries(): Promise<(readonly [reader: string, text: string])[]> {
    const answers: (readonly [string, string])[] = [];
    for (const layer of LAYERS) {
      for (const depth of DEPTHS) {
        const asked = { layer, depth, identifiers: IDENTIFIERS };
        const answer = await this.#call(OPERATIONS.summary.get, asked);
        answers.push([`summary ${layer} ${depth}`, JSON.stringify(answer)]);
      }
    }
    const listed = await this.#call(OPERATIONS.summary.list, { identifiers: IDENTIFIERS });
    answers.push(['summaries', JSON.stringify(listed)]);
    return answers;
  }

  /** What contexts, searches and conversations say where somebody asks for what is gone. */
  async #found(): Promise<(readonly [reader: string, text: string])[]> {
    const query = `What is there about ${[...this.#gone].at(-1) ?? 'Ann'}?`;
    const found = await this.#call(OPERATIONS.memory.search, { query, ...SEARCH });
    const told = await this.#call(OPERATIONS.conversation.messages, {
      sessionId: IDENTIFIERS.sessionId,
    });
    return [
      ['context', await this.#context(query)],
      ['search', JSON.stringify(found.hits)],
      ['conversation', JSON.stringify(told)],
    ];
  }

  async #lookAtList(): Promise<void> {
    const { memories } = await this.#call(OPERATIONS.memory.list, { identifiers: IDENTIFIERS });
    const listed = memories.map(({ content }) => content).toSorted();
    const texts = this.#memories.map(({ text }) => text).toSorted();
    if (listed.join('\n') !== texts.join('\n')) {
      this.findings.push(`listed: ${listed.join(' ')} instead of ${texts.join(' ')}`);
    }
  }

  /** The new text is in the answer to a question about it, and behind the summary of its layer. */
  async #lookFor({ word, layer }: { word: string; layer: TruthLayer }): Promise<void> {
    const query = `What is there about ${word}?`;
    const answers: [string, string][] = [['context', await this.#context(query)]];
    if (!this.#turns.some((turn) => turn.word === word)) {
      const { hits } = await this.#call(OPERATIONS.memory.search, { query, ...SEARCH });
      answers.push(['search', JSON.stringify(hits)]);
    }
    for (const depth of DEPTHS) {
      const asked = { layer, depth, identifiers: IDENTIFIERS };
      const answer = await this.#call(OPERATIONS.summary.get, asked);
      // One that includes it has it at its longest; the shorter texts have no room for everything.
      const isThere = (answer?.freshness.changes ?? 0) > 0 || depth === 'detailed';
      if (answer !== null && isThere) answers.push([`summary ${layer} ${depth}`, answer.text]);
    }
    for (const [reader, text] of answers) {
      if (!text.includes(word)) this.findings.push(`${reader} does not know ${word}`);
    }
  }

  /** Without the question, which may name what it likes. */
  async #context(query: string): Promise<string> {
    const asked = { identifiers: IDENTIFIERS, query };
    const { text, receipt } = await this.#call(OPERATIONS.context.assemble, asked);
    const answer = text.slice(0, text.lastIndexOf('## Question'));
    return `${answer}\n${JSON.stringify(receipt)}`;
  }

  #call<Answer>(operation: OperationOf<Answer>, input: object): Promise<Answer> {
    return this.#face.call(operation, { tenant: this.#face.tenant, ...input });
  }
}

const SEARCH = { identifiers: IDENTIFIERS, limit: 50, threshold: 0 };

function textOf(layer: TruthLayer, sentence: number, word: string): string {
  const [one, other] = SENTENCES[layer];
  return (sentence === 0 ? one : other)(word);
}
