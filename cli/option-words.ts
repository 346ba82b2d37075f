/** What is wrong with an option, by its own name and with the form that it takes. */
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import {
  BLOCK_KEY_LENGTH_MAX,
  HEADING_LENGTH_MAX,
  LINE_SOURCES_MAX,
} from '#core/records/document.ts';
import { REASON_LENGTH_MAX } from '#core/records/proposal.ts';

const INSTANT = '2026-11-21T14:30:00+01:00';

/** By the field of the input that the option fills. */
const WORDS: Readonly<Record<string, string>> = {
  tenant: '--tenant takes 1 to 63 characters of a-z, 0-9 and -.',
  subject: '--subject takes user/ID or agent/ID, such as user/ann.',
  at: `--at takes a date and a time with its offset, such as ${INSTANT}.`,
  heading: `--heading takes one line of 1 to ${String(HEADING_LENGTH_MAX)} characters.`,
  key: `--key takes 1 to ${String(BLOCK_KEY_LENGTH_MAX)} characters.`,
  sources: `--source takes an id, at most ${String(LINE_SOURCES_MAX)} times.`,
  reason: `--reason takes some words, at most ${String(REASON_LENGTH_MAX)} characters.`,
  period: '--period takes a calendar month, YYYY-MM, such as 2026-11.',
  id: 'A dream is named by its id, as varve dream list shows it.',
};

const Issues = z.object({ issues: z.array(z.object({ path: z.string() })).min(1) });

/**
 * What is said of an input is said of the option that filled it.
 * @throws what the call throws; VarveError INVALID_INPUT in the words of the command line
 */
export async function inOptionWords<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (cause) {
    const words = wordsOf(cause);
    if (words === undefined) throw cause;
    throw new VarveError('INVALID_INPUT', words, { cause });
  }
}

function wordsOf(failure: unknown): string | undefined {
  if (!(failure instanceof VarveError) || failure.code !== 'INVALID_INPUT') return undefined;
  const { data } = Issues.safeParse(failure.details);
  const [field = ''] = data?.issues[0]?.path.split('.') ?? [];
  return Object.hasOwn(WORDS, field) ? WORDS[field] : undefined;
}
