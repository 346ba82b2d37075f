/** The length of lines; the linter checks how long files and functions may be. */
import type { Rule, SourceFile } from '../source-file.ts';

const LINE_CHARACTERS_MAX = 100;
/** The name of a test is one sentence, and a formatter cannot break it. */
const NAME_CHARACTERS_MAX = 120;
const NAME = /^\s*(?:describe|it|test)\(['"`]/u;

export const shortLines: Rule = (file) => {
  if (!isWritten(file)) return [];
  return file.text.split('\n').flatMap((line, index) => {
    const limit = NAME.test(line) ? NAME_CHARACTERS_MAX : LINE_CHARACTERS_MAX;
    const problem = `has ${String(line.length)} characters; ${String(limit)} is the limit`;
    return line.length > limit ? [{ path: file.path, line: index + 1, problem }] : [];
  });
};

/** Written by a person: go.mod and lock files are not. */
function isWritten({ path }: SourceFile): boolean {
  return /\.(?:ts|mjs|go)$/u.test(path);
}
