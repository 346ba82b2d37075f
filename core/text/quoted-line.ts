/**
 * Lines in which a speaker hands on what another wrote, such as a sentence of a pasted document:
 * `user: “Every pump is checked.”`
 */

/** What one long turn takes of a text, at most. */
export const LONG_TURN_SHARE = 1 / 4;

const QUOTED_LINE = /^[^“”]{1,80}: “.*”\p{P}*$/su;

export function quotedLine(speaker: string, said: string): string {
  return said.startsWith('“') ? `${speaker}: ${said}` : `${speaker}: “${said}”`;
}

export function isQuotedLine(line: string): boolean {
  return QUOTED_LINE.test(line);
}

/** Without quoted lines beyond so many tokens; of the others every one stays. */
export function withFewQuotes<Line extends { readonly text: string }>(
  lines: readonly Line[],
  tokensMax: number,
  countTokens: (text: string) => number,
): readonly Line[] {
  let left = tokensMax;
  return lines.filter(({ text }) => {
    if (!isQuotedLine(text)) return true;
    left -= countTokens(text);
    return left >= 0;
  });
}
