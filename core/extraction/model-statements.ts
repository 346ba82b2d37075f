/**
 * Statements out of a model's answer, under the same support rule as the facts of summaries and as
 * the sentences that rules find: what its messages do not say as it is worded is not kept. Pure.
 */
import type { Confirms } from '../grounding/doubt.ts';
import { groundEach } from '../grounding/grounding.ts';
import type { AnswerFact } from '../prompt/parse-answer.ts';
import type { Source } from '../sources/source.ts';
import { languageOf } from '../text/language.ts';
import { extractedOf, type Extracted, type Message } from './extract-statements.ts';
import { knownStatement, stemsOf, type Statement } from './statement.ts';

/** Before the ids of known memories among the sources of a question. */
const KNOWN = 'known:';

/** A memory as a model is shown what is known. */
export function knownSource(memory: Source): Source {
  return { ...memory, id: `${KNOWN}${memory.id}`, speaker: 'known memory' };
}

/** Facts without what is known among their sources: it explains, and supports nothing. */
export function saidFacts(facts: readonly AnswerFact[]): readonly AnswerFact[] {
  return facts.map((fact) => ({
    ...fact,
    sources: fact.sources.filter((id) => !id.startsWith(KNOWN)),
  }));
}

interface SessionText {
  readonly messages: readonly Message[];
  readonly sources: readonly Source[];
  /** Where a verifier was asked. */
  readonly confirms?: Confirms;
}

/**
 * Those that last, by what the model says, and that hold, by grounding. A user says it; of what an
 * assistant says only lessons are kept, as by rules.
 */
export function rememberedStatements(
  facts: readonly AnswerFact[],
  { messages, sources, confirms }: SessionText,
): readonly Extracted[] {
  const said = saidFacts(facts);
  const known = new Map(sources.map((source) => [source.id, source]));
  const judged = groundEach(said, known, { confirms });
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

/** As the rules read it, so that it is compared like their own; by its words where they can't. */
function statementOf(text: string): Statement {
  const read = knownStatement(text, []);
  if (read !== null) return { ...read, text, quote: text };
  const language = languageOf(text);
  const values = stemsOf(text, language);
  const words = { values, ended: [] };
  const said = { text, quote: text, language, kind: 'Self', topic: 'said' } as const;
  return { ...said, single: false, negative: false, ...words };
}
