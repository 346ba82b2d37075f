/** The settings that enforce rules elsewhere are in place. */
import { z } from 'zod';
import type { Finding, SourceFile } from '../source-file.ts';
import { ARROWS } from './arrows.ts';

const Rules = z.object({ rules: z.record(z.string(), z.unknown()) });
const Project = z.object({ references: z.array(z.object({ path: z.string() })).default([]) });

/** What the linter must be told; an editor shows it while the code is written. */
const LINT_RULES: Readonly<Record<string, unknown>> = {
  'max-lines': ['error', { max: 600 }],
  'max-lines-per-function': ['error', { max: 100 }],
  'max-params': ['error', { max: 5 }],
  'max-depth': ['error', { max: 3 }],
  'no-empty': 'error',
  'import/no-cycle': ['error', { ignoreTypes: false }],
  'typescript/no-floating-promises': ['error', { ignoreVoid: false }],
  'typescript/no-explicit-any': 'error',
  'vitest/no-focused-tests': 'error',
  'vitest/no-disabled-tests': 'error',
};

export function lintRulesSet(config: SourceFile): readonly Finding[] {
  const { rules } = Rules.parse(JSON.parse(config.text));
  return Object.entries(LINT_RULES)
    .filter(([name, wanted]) => JSON.stringify(rules[name]) !== JSON.stringify(wanted))
    .map(([name, wanted]) => ({
      path: config.path,
      line: 1,
      problem: `set "${name}" to ${JSON.stringify(wanted)}`,
    }));
}

/** A rule that is off has its reason in a record; a row without its rule is left over. */
export function offRulesExplained(config: SourceFile, record: SourceFile): readonly Finding[] {
  const { rules } = Rules.parse(JSON.parse(config.text));
  const off = Object.keys(rules).filter((name) => rules[name] === 'off');
  const rows = [...record.text.matchAll(/^\| `([^`]+)` *\|/gmu)].map(({ 1: name = '' }) => name);
  return [
    ...off
      .filter((name) => !rows.includes(name))
      .map((name) => ({
        path: config.path,
        line: 1,
        problem: `"${name}" is off; say why in ${record.path}`,
      })),
    ...rows
      .filter((name) => !off.includes(name))
      .map((name) => ({ path: record.path, line: 1, problem: `"${name}" is not off` })),
  ];
}

/** The compiler's references allow no arrow that the table of arrows does not. */
export function referencesFollowArrows(config: SourceFile): readonly Finding[] {
  const folder = config.path.replace(/\/tsconfig\.json$/u, '');
  const allowed = ARROWS[folder]?.parts ?? [];
  const upwards = '../'.repeat(folder.split('/').length);
  return Project.parse(JSON.parse(config.text))
    .references.map((reference) => reference.path.replace(upwards, ''))
    .filter((target) => !allowed.includes(target))
    .map((target) => ({
      path: config.path,
      line: 1,
      problem: `refers to ${target}; ${folder} may import ${allowed.join(', ') || 'nothing'}`,
    }));
}
