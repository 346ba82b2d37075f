/** How a command ends: the one mapping of errors to messages and exit statuses. */
import { ERRORS, VarveError } from '#core/errors.ts';
import { explainMissingPackage } from './optional-packages.ts';

/** Said for anything that is not an error of ours: a bug, whose stack is for the log. */
const UNEXPECTED_EXIT = 70;

export interface Ending {
  readonly status: number;
  readonly message: string;
}

/** One message a person can act on; never a stack. */
export function endingOf(thrown: unknown, verbose: boolean): Ending {
  const error = explainMissingPackage(firstOf(thrown));
  if (error instanceof VarveError) {
    return { status: ERRORS[error.code].exit, message: `${error.code}: ${error.message}` };
  }
  const stack = error instanceof Error ? error.stack : String(error);
  const hint = 'CORRUPT: varve failed in a way it should not. Run again with VARVE_LOG_LEVEL=debug';
  return { status: UNEXPECTED_EXIT, message: verbose ? String(stack) : `${hint} to see where.` };
}

/** What failed first: closing what is open may fail as well then, and hides it. */
function firstOf(thrown: unknown): unknown {
  let error = thrown;
  while (error instanceof SuppressedError) error = error.suppressed;
  return error;
}
