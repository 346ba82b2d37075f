/**
 * Lines in which a speaker passes on what another wrote, such as a sentence of a pasted document:
 * `user: “Every pump is checked.”`
 */

import { speakerLabel } from './speaker-label.ts';

/** Maximum share of a text that one long turn takes. */
export const LONG_TURN_SHARE_MAX = 1 / 4;

const QUOTED_LINE = /^(?:“[^“”\n]{1,256}”|[^“”]{1,80}): “.*”\p{P}*$/su;

export function quotedLine(speaker: string, said: string): string {
  return speakerLabel(speaker) + (said.startsWith('“') ? said : `“${said}”`);
}

export function isQuotedLine(line: string): boolean {
  return QUOTED_LINE.test(line);
}

/** Removes quoted lines beyond a number of tokens; all other lines stay. */
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
