/** The form of names; the glossary says which words they use. */
import type { Rule } from '../source-file.ts';

const KEBAB_CASE = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/u;
/** Modules of Python are named in its own way (PEP 8). */
const PYTHON_FILE = /\.py$/u;
/** Names that other programs and people look for as they are. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'Chart.yaml',
  'Dockerfile',
  'LICENSE',
  'NOTES.txt',
  'README.md',
  'SECURITY.md',
  '_helpers.tpl',
]);

export const kebabCase: Rule = ({ path }) =>
  path
    .split('/')
    .filter((part) => !KNOWN_NAMES.has(part) && !KEBAB_CASE.test(part) && !PYTHON_FILE.test(part))
    .map((part) => ({ path, line: 1, problem: `"${part}" is not kebab-case` }));
