/** Statements: a text cut into what is said one after the other, each with its content words. */
import { cardinalOf } from './number-word.ts';
import { stemOf } from './stem.ts';
import { lowerAt, type Token } from './token.ts';

export interface Statement {
  readonly tokens: readonly Token[];
  /** Stems of its content words in the order of its tokens; empty for the others. */
  readonly stems: readonly string[];
  readonly content: ReadonlySet<string>;
  readonly isQuestion: boolean;
}

const FUNCTION_WORDS = new Set(
  (
    'a an the this that these those and or but so if then than as of to in on at by for ' +
    'from with ' +
    'into onto over under about after before during until since between through is are was were ' +
    'be been being am do does did done has have had having will would shall should can could may ' +
    'might must not no nor never n t it its he she they them his her their him hers we our ' +
    'us you ' +
    'your i me my mine who whom whose which what when where why how there here also too ' +
    'just only ' +
    'very really still yet already again all any some each every both either neither more most ' +
    "much many few own same such s d ll re ve m let ok okay yes please now don't doesn't didn't " +
    "won't can't cannot isn't aren't wasn't weren't hasn't haven't hadn't wouldn't shouldn't " +
    "couldn't without according said says say saying told tell tells asked asks ask stated " +
    'states mentioned ' +
    'mentions reported reports according user users assistant agent because while because up out ' +
    'off get gets got get one ones thing things going'
  ).split(' '),
);

export function isFunctionWord(lower: string): boolean {
  return FUNCTION_WORDS.has(lower) || FUNCTION_WORDS.has(lower.replace(/'\p{L}+$/u, ''));
}

/** Words that begin a statement of their own where a name or a pronoun follows. */
const LINKS = new Set('and but while whereas although though however or so because'.split(' '));

/**
 * Cuts at the end of a sentence, at semicolons, and at a conjunction before a new subject, as in
 * `Ann leads search and Bob leads billing`.
 */
export function statementsOf(
  tokens: readonly Token[],
  isName: (token: Token) => boolean,
): readonly Statement[] {
  const statements: Statement[] = [];
  let start = 0;
  let isNaming = false;
  const close = (end: number): void => {
    if (end > start) statements.push(statementOf(tokens.slice(start, end)));
    start = end;
    isNaming = false;
  };
  for (const [index, token] of tokens.entries()) {
    if (endsSentence(tokens, index)) close(index + 1);
    else if (beginsClause(tokens, index, isName)) close(index);
    else if (isNaming && beginsPair(tokens, index, isName)) close(index);
    else if (/[;；]/u.test(token.text)) close(index + 1);
    else if (
      token.text === ':' &&
      index - start >= LEAD_TOKENS_MIN &&
      tokens[index + 1]?.glued !== true
    )
      close(index + 1);
    isNaming ||= isName(token);
  }
  close(tokens.length);
  return statements;
}

/** What stands before a colon is a statement of its own from this length on. */
const LEAD_TOKENS_MIN = 3;
/** How far behind a comma a name makes what stands there a statement of its own. */
const PAIR_REACH_TOKENS = 8;

/** `372 tickets by the team of Ann and 70 tickets by the team of Bob`: what belongs to whom. */
function beginsPair(
  tokens: readonly Token[],
  index: number,
  isName: (token: Token) => boolean,
): boolean {
  const token = tokens[index];
  const next = tokens[index + 1];
  if (token?.text !== ',' && token?.lower !== 'and') return false;
  if (next === undefined || !beginsAmount(next)) return false;
  for (let at = index + 2; at < index + 2 + PAIR_REACH_TOKENS; at += 1) {
    const each = tokens[at];
    if (each === undefined || each.text === ',' || endsSentence(tokens, at)) return false;
    if (isName(each)) return true;
  }
  return false;
}

function beginsAmount({ kind, lower }: Token): boolean {
  return (
    kind === 'Number' || /^(?:the|a|an|its|our)$/u.test(lower) || cardinalOf(lower) !== undefined
  );
}

function statementOf(tokens: readonly Token[]): Statement {
  const stems = tokens.map((token, index) =>
    token.kind === 'Mark' || isFunctionWord(token.lower) ? '' : stemAt(tokens, index),
  );
  const isQuestion = tokens.some(({ text }) => text === '?' || text === '？');
  return { tokens, stems, content: new Set(stems.filter((stem) => stem !== '')), isQuestion };
}

/** Numbers in words are told in digits: `forty-two` is 42, and its second part nothing. */
function stemAt(tokens: readonly Token[], index: number): string {
  const word = lowerAt(tokens, index);
  const value = cardinalOf(word);
  if (value === undefined) return stemOf(word.replaceAll(',', ''));
  const isLinked = lowerAt(tokens, index - 1) === '-';
  const before = cardinalOf(lowerAt(tokens, index - (isLinked ? 2 : 1))) ?? 0;
  if (value < 10 && before >= 20 && before < 100) return '';
  const isLinking = lowerAt(tokens, index + 1) === '-';
  const ones = cardinalOf(lowerAt(tokens, index + (isLinking ? 2 : 1))) ?? 0;
  return String(value + (value >= 20 && value < 100 && ones < 10 ? ones : 0));
}

function endsSentence(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token?.kind !== 'Mark' || !/[.!?。！？…]/u.test(token.text)) return false;
  const next = tokens[index + 1];
  if (token.text !== '.') return true;
  if (/^(?:mr|mrs|ms|dr|prof|st|vs|etc|no|nr|e|g|i|approx|ca)$/u.test(lowerAt(tokens, index - 1))) {
    return false;
  }
  return next?.glued !== true || next.kind === 'Mark';
}

/** What begins a clause behind a comma or a conjunction. */
const PRONOUNS = new Set('i we you he she they it please pls'.split(' '));

function beginsClause(
  tokens: readonly Token[],
  index: number,
  isName: (token: Token) => boolean,
): boolean {
  const token = tokens[index];
  const next = tokens[index + 1];
  const before = tokens[index - 1];
  if (token === undefined || next === undefined || before === undefined) return false;
  if (!LINKS.has(token.lower) && token.text !== ',') return false;
  if (!isName(next) && !PRONOUNS.has(next.lower.replace(/'\p{L}+$/u, ''))) return false;
  if (isName(before)) return false;
  const after = tokens[index + 2];
  return (
    after?.kind === 'Word' &&
    !isName(after) &&
    /^\p{Ll}/u.test(after.text) &&
    !/^(?:and|or|in|on|at|from|for|to|with|by|of)$/u.test(after.lower)
  );
}

/** How much of what a fact says a statement says too. */
export interface Overlap {
  readonly shared: number;
  /** Share of the fact's content words. */
  readonly share: number;
}

export function overlapOf(fact: ReadonlySet<string>, told: ReadonlySet<string>): Overlap {
  let shared = 0;
  for (const stem of fact) if (told.has(stem)) shared += 1;
  return { shared, share: fact.size === 0 ? 0 : shared / fact.size };
}
