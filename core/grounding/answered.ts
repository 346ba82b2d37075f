/** Answered questions: what was asked and answered by yes or no is said by whoever answers. */
import type { Told } from './attribution.ts';
import type { Statement } from './statement.ts';
import { lowerAt, tokensOf, type Token } from './token.ts';

/** How far from its beginning a question may have its first verb: `hey, so do you`. */
const LEAD_TOKENS_MAX = 4;
const ASKING =
  /^(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|don't|didn't|isn't)$/u;
const OPEN_QUESTION = /^(?:what|which|who|whom|whose|when|where|why|how)$/u;
const NO = /^(?:no|nope|nah|nein|non)$/u;
const YES = /^(?:yes|yeah|yep|yup|sure|exactly|correct|right|indeed|ja|oui)$/u;
const ARTICLE = /^(?:the|my|your|our|his|her|their|a|an)$/u;
const [NOT] = tokensOf(' not');

/** Statements in their order, with each answered question as a statement that is said or denied. */
export function withAnswers(all: readonly Told[]): readonly Told[] {
  return all.map((told, index) => {
    const answer = all[index + 1];
    if (!told.statement.isQuestion || answer === undefined) return told;
    const first = lowerAt(answer.statement.tokens, 0);
    if (!NO.test(first) && !YES.test(first)) return told;
    const statement = said(told.statement, YES.test(first));
    return statement === null ? told : { ...told, statement };
  });
}

/** Null for a question that yes and no do not answer. */
function said(question: Statement, isTrue: boolean): Statement | null {
  const { tokens, stems } = question;
  const lead = tokens.slice(0, LEAD_TOKENS_MAX);
  const verb = lead.findIndex(({ lower }) => ASKING.test(lower));
  const isOpen = lead.some(({ lower }) => OPEN_QUESTION.test(lower));
  if (verb < 0 || isOpen || tokens.some(({ lower }) => lower === 'or' || isDenying(lower))) {
    return null;
  }
  if (isTrue || NOT === undefined) return { ...question, isQuestion: false };
  const at = verb + (ARTICLE.test(lowerAt(tokens, verb + 1)) ? 3 : 2);
  return {
    ...question,
    isQuestion: false,
    tokens: inserted<Token>(tokens, at, NOT),
    stems: inserted(stems, at, ''),
  };
}

function isDenying(word: string): boolean {
  return word === 'not' || word === 'no' || word === 'never' || word.endsWith("n't");
}

function inserted<Item>(items: readonly Item[], at: number, item: Item): readonly Item[] {
  return [...items.slice(0, at), item, ...items.slice(at)];
}
