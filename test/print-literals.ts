/**
 * Derives the literals of all patterns that are tried by them: `npm run literals`. A test derives
 * them again and compares, so that no pattern is changed without its literals.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHANGE_PATTERNS } from '#core/extraction/changed-to.ts';
import { ASKS, ERRAND } from '#core/extraction/open-tasks.ts';
import { RULE_PATTERNS } from '#core/extraction/rule-index.ts';
import { NAME_PATTERNS } from '#core/extraction/restated/restated-name.ts';
import { TIME } from '#core/extraction/valid-time.ts';
import { CHANGE_WORDS } from '#core/recall/outdated/change-signs.ts';
import { SIGN_PATTERNS } from '#core/recall/question/answer-types.ts';
import { STYLE_PATTERNS } from '#core/recall/question/style-preferences.ts';
import type { Pattern } from '#core/text/pattern.ts';
import { literalsKey } from '#core/text/prefilter.ts';
import { literalsOf } from '#test/derive-literals.ts';

const FILE = path.resolve(import.meta.dirname, '../core/text/pattern-literals.json');

/** All patterns with stored literals. */
export const PATTERNS: readonly Pattern[] = [
  ...[RULE_PATTERNS, NAME_PATTERNS, SIGN_PATTERNS, STYLE_PATTERNS, CHANGE_PATTERNS].flat(),
  ...[ASKS, ERRAND, TIME, CHANGE_WORDS],
];

/** By the keys of their patterns, a pattern a line. */
export function printedLiterals(): string {
  const lines = PATTERNS.map(
    (each) => `${JSON.stringify(literalsKey(each))}: ${JSON.stringify(literalsOf(each))}`,
  );
  return `{\n${[...new Set(lines)].toSorted().join(',\n')}\n}\n`;
}

const [, started = ''] = process.argv;
if (import.meta.url === pathToFileURL(started).href) writeFileSync(FILE, printedLiterals());
