/**
 * What is refused before YAML is parsed. The parser calls itself for what is nested, and takes
 * minutes for some texts of a megabyte; its lexer reads any text once, so the lexer decides.
 */
import { Lexer } from 'yaml';

export const DOCUMENTS_MAX = 1_000;
/** Lexical tokens of one file; a full megabyte of ordinary fields has fewer. */
const TOKENS_MAX = 500_000;
/**
 * Brackets within brackets, pairs within pairs there (`[a: b: c]`), or `-` and `?` one after the
 * other; our resources need two.
 */
const NESTING_MAX = 64;

export interface BrokenLimit {
  readonly expected: string;
  readonly found: string;
}

/** The limit that a text breaks, or null. */
export function brokenLimit(text: string): BrokenLimit | null {
  let [tokens, documents, markers] = [0, 1, 0];
  const flow = new FlowNesting();
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token === '---') documents += 1;
    flow.read(token);
    if (token === '-' || token === '?') markers += 1;
    else if (token.trim() !== '' || token.includes('\n')) markers = 0;
    if (documents > DOCUMENTS_MAX + 1) return atMost(DOCUMENTS_MAX, 'documents in a file');
    if (tokens > TOKENS_MAX) return atMost(TOKENS_MAX, 'values and marks in a file');
    if (flow.depth > NESTING_MAX || markers > NESTING_MAX) return TOO_DEEP;
  }
  return null;
}

/** How deep a text is inside brackets, where the value of a pair may be a pair without any. */
class FlowNesting {
  depth = 0;
  /** Colons since the last comma, by bracket. */
  readonly #pairs: number[] = [];

  read(token: string): void {
    if (token === '[' || token === '{') {
      this.depth += 1;
      this.#pairs.push(0);
    } else if (token === ']' || token === '}') {
      if (this.#pairs.length === 0) return;
      this.#leavePairs();
      this.#pairs.pop();
      this.depth -= 1;
    } else if (token === ',') this.#leavePairs();
    else if (token === ':') this.#enterPair();
  }

  #enterPair(): void {
    const pairs = this.#pairs.at(-1);
    if (pairs === undefined) return;
    this.#pairs[this.#pairs.length - 1] = pairs + 1;
    // The first pair is what the bracket holds.
    if (pairs > 0) this.depth += 1;
  }

  #leavePairs(): void {
    const pairs = this.#pairs.at(-1) ?? 0;
    if (pairs === 0) return;
    this.#pairs[this.#pairs.length - 1] = 0;
    this.depth -= pairs - 1;
  }
}

function atMost(count: number, what: string): BrokenLimit {
  return { expected: `at most ${count} ${what}`, found: 'more' };
}

export const TOO_DEEP = atMost(NESTING_MAX, 'lists and mappings one within the other');
