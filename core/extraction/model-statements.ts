/**
 * Takes statements from a model's answer, under the same support rule as facts of summaries and
 * sentences that rules find: a statement is kept only if the speakers' own words support its
 * wording. Pure.
 */
import type { Confirms } from '../grounding/doubt.ts';
import { groundEach } from '../grounding/grounding.ts';
import type { AnswerFact } from '../prompt/parse-answer.ts';
import type { Source } from '../sources/source.ts';
import { languageOf } from '../text/language.ts';
import { extractedOf, type Extracted, type Message } from './extract-statements.ts';
import { ownWords } from './own-words.ts';
import { knownStatement, stemsOf, type Statement } from './statement.ts';

/** Prefix for the ids of known memories among the sources of a question. */
const KNOWN = 'known:';

/** Returns a memory in the form in which a model sees what is known. */
export function knownSource(memory: Source): Source {
  return { ...memory, id: `${KNOWN}${memory.id}`, speaker: 'known memory' };
}

/** Removes known memories from the sources of facts: they explain, but support nothing. */
export function saidFacts(facts: readonly AnswerFact[]): readonly AnswerFact[] {
  return facts.map((fact) => ({
    ...fact,
    sources: fact.sources.filter((id) => !id.startsWith(KNOWN)),
  }));
}

/**
 * Returns turns as far as their speakers say them themselves, by id: what memories may rest on.
 * What stands only in a document, a quotation or a text to translate supports nothing here.
 */
export function ownSources(sources: readonly Source[]): ReadonlyMap<string, Source> {
  const own = ownWords(
    sources.map(({ id, role, text }) => ({ id, role: role ?? '', content: text })),
  );
  return new Map(sources.map((each, at) => [each.id, { ...each, text: own[at] ?? '' }]));
}

interface SessionText {
  readonly messages: readonly Message[];
  readonly sources: readonly Source[];
  /** The answers of a verifier, if one was asked. */
  readonly confirms?: Confirms;
}

/**
 * Returns the facts that last according to the model and that grounding supports. Users must say
 * them; of what an assistant says, only lessons are kept, as with rules.
 */
export function rememberedStatements(
  facts: readonly AnswerFact[],
  { messages, sources, confirms }: SessionText,
): readonly Extracted[] {
  const said = saidFacts(facts);
  const judged = groundEach(said, ownSources(sources), { confirms });
  const byId = new Map(messages.map((message) => [message.id, message]));
  return said.flatMap((fact, at): readonly Extracted[] => {
    const kind = fact.kind ?? null;
    if (kind === null || judged[at]?.reason !== null) return [];
    const role = kind === 'Lesson' ? 'assistant' : 'user';
    const message = fact.sources.map((id) => byId.get(id)).find((each) => each?.role === role);
    if (message === undefined) return [];
    const replaces = (fact.replaces ?? [])
      .filter((id) => id.startsWith(KNOWN))
      .map((id) => id.slice(KNOWN.length));
    return [extractedOf({ ...statementOf(fact.text), kind }, message, replaces)];
  });
}

/** Reads a text by the rules, to compare it like their statements; else compares its words. */
function statementOf(text: string): Statement {
  const read = knownStatement(text, []);
  if (read !== null) return { ...read, isMentioned: false, text, quote: text };
  const language = languageOf(text);
  const values = stemsOf(text, language);
  const words = { values, ended: [] };
  const said = { text, quote: text, language, kind: 'Self', topic: 'said' } as const;
  return { ...said, single: false, negative: false, isMentioned: false, ...words };
}
