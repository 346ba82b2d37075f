/** Parses an input, and says what is wrong with it in words a caller can act on. */
import type { z } from 'zod';
import { VarveError } from '#core/errors.ts';

const ISSUES_SHOWN_MAX = 10;
/** Names of fields are the caller's and may be of any length; a beginning tells which it is. */
const SHOWN_LENGTH_MAX = 200;

/**
 * @throws VarveError INVALID_INPUT with the path and expectation of each issue. What was found is
 * not repeated: it may be memory text.
 */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, ISSUES_SHOWN_MAX).map((issue) => ({
    path: shortened(issue.path.map(String).join('.')),
    expected: shortened(issue.message),
  }));
  const shown = issues.map(({ path, expected }) => `${path === '' ? 'input' : path}: ${expected}`);
  throw new VarveError('INVALID_INPUT', shown.join('; '), { details: { issues } });
}

function shortened(text: string): string {
  return text.length <= SHOWN_LENGTH_MAX ? text : `${text.slice(0, SHOWN_LENGTH_MAX)}…`;
}
