/**
 * Takes statements from a model's answer, under the same support rule as facts of summaries and
 * sentences that rules find: a statement is kept only if the speakers' own words support its
 * wording. Pure.
 */
import type { Confirms } from '../grounding/doubt.ts';
import { foldedText } from '../grounding/comparable-text.ts';
import { groundEach } from '../grounding/grounding.ts';
import type { AnswerFact } from '../prompt/parse-answer.ts';
import type { StatementKind } from '../records/extracted-statement.ts';
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
}

/** A fact that lasts according to the model, as one person's. */
interface Credited {
  readonly fact: AnswerFact;
  readonly kind: StatementKind;
  /** The message with its quote, else the first one that it cites. */
  readonly message: Message;
}

/**
 * Credits each fact with a kind to one speaker, who has to support it alone: a user, or the
 * assistant for a lesson. Otherwise, words of one person could become those of another, and a
 * memory would outlive the message that it rests on.
 */
function creditedFacts(
  facts: readonly AnswerFact[],
  messages: readonly Message[],
): readonly Credited[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  return saidFacts(facts).flatMap((fact): readonly Credited[] => {
    const { kind } = fact;
    if (kind == null) return [];
    const role = kind === 'Lesson' ? 'assistant' : 'user';
    const cited = fact.sources.flatMap((id) => byId.get(id) ?? []);
    const able = cited.filter((each) => each.role === role);
    const quote = foldedText(fact.quote ?? '');
    const message = able.find(({ content }) => foldedText(content).includes(quote)) ?? able[0];
    if (message === undefined) return [];
    const isOther = (id: string): boolean => {
      const said = byId.get(id);
      return said !== undefined && (said.role !== role || said.speaker !== message.speaker);
    };
    const sources = fact.sources.filter((id) => !isOther(id));
    const derived = fact.derived?.ids.some(isOther) === true ? null : fact.derived;
    return [{ fact: { ...fact, sources, derived }, kind, message }];
  });
}

/** Judges the facts of an answer that may become memories by what their speakers say themselves. */
export function judgeCredited(
  facts: readonly AnswerFact[],
  { messages, sources }: SessionText,
  confirms?: Confirms,
): readonly (Credited & { readonly isSupported: boolean })[] {
  const credited = creditedFacts(facts, messages);
  const said = credited.map(({ fact }) => fact);
  const judged = groundEach(said, ownSources(sources), { confirms });
  return credited.map((each, at) => ({ ...each, isSupported: judged[at]?.reason === null }));
}

/**
 * Returns the facts that last according to the model and that grounding supports. Users must say
 * them; of what an assistant says, only lessons are kept, as with rules.
 * @param confirms the answers of a verifier, if one was asked
 */
export function rememberedStatements(
  facts: readonly AnswerFact[],
  text: SessionText,
  confirms?: Confirms,
): readonly Extracted[] {
  return judgeCredited(facts, text, confirms).flatMap(({ fact, kind, message, isSupported }) => {
    if (!isSupported) return [];
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
