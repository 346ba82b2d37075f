/** Where the next page of a list begins: opaque, and good for the same list only. */
import { VarveError } from '#core/errors.ts';
import type { Digest } from '#core/hash.ts';
import type { ListRequest } from '#core/ports/memory-provider.ts';
import { canonicalJson } from './idempotency.ts';

/** Digits of the hash of what was asked for: enough that two lists never share them. */
const MARK_DIGITS = 16;

type Asked = Pick<ListRequest, 'scopes' | 'conditions' | 'order'>;

/** @param after id of the last memory of a page */
export function cursorOf(digest: Digest, asked: Asked, after: string): string {
  return Buffer.from(`${markOf(digest, asked, after)}${after}`, 'utf8').toString('base64url');
}

/**
 * The id that a cursor stands for.
 * @throws VarveError INVALID_INPUT for a cursor of another list, or of none
 */
export function readCursor(digest: Digest, asked: Asked, cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const after = text.slice(MARK_DIGITS);
  if (after !== '' && cursorOf(digest, asked, after) === cursor) return after;
  throw new VarveError(
    'INVALID_INPUT',
    'The cursor is not one of this list. Send it with the very conditions that it was given for, ' +
      'or begin without one.',
    { details: { issues: [{ path: 'cursor', expected: 'a cursor of this list' }] } },
  );
}

function markOf(digest: Digest, { scopes, conditions, order }: Asked, after: string): string {
  return digest(canonicalJson([scopes, conditions, order, after])).slice(0, MARK_DIGITS);
}
