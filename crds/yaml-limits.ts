/**
 * What is refused before YAML is parsed. The parser calls itself for what is nested, and takes
 * minutes for some texts of a megabyte; its lexer reads any text once, so the lexer decides.
 */
import { Lexer } from 'yaml';

export const DOCUMENTS_MAX = 1_000;
/** Lexical tokens of one file; a full megabyte of ordinary fields has fewer. */
const TOKENS_MAX = 500_000;
/** Brackets within brackets, or `-` and `?` one after the other; our resources need two. */
const NESTING_MAX = 64;

export interface BrokenLimit {
  readonly expected: string;
  readonly found: string;
}

/** The limit that a text breaks, or null. */
export function brokenLimit(text: string): BrokenLimit | null {
  let [tokens, documents, brackets, markers] = [0, 1, 0, 0];
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token === '---') documents += 1;
    else if (token === '[' || token === '{') brackets += 1;
    else if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1);
    if (token === '-' || token === '?') markers += 1;
    else if (token.trim() !== '' || token.includes('\n')) markers = 0;
    if (documents > DOCUMENTS_MAX + 1) return atMost(DOCUMENTS_MAX, 'documents in a file');
    if (tokens > TOKENS_MAX) return atMost(TOKENS_MAX, 'values and marks in a file');
    if (brackets > NESTING_MAX || markers > NESTING_MAX) return atMost(NESTING_MAX, NESTING);
  }
  return null;
}

const NESTING = 'lists and mappings one within the other';

function atMost(count: number, what: string): BrokenLimit {
  return { expected: `at most ${count} ${what}`, found: 'more' };
}
