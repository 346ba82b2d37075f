/** How far a source is trusted, and whose words are trusted how far. */
import { z } from 'zod';

/** Set by the server from principal and channel, lowest first. */
const TRUST = ['untrusted', 'observed', 'stated', 'verified'] as const;
export const Trust = z.enum(TRUST);
export type Trust = z.infer<typeof Trust>;

type Role = 'user' | 'assistant' | 'system' | 'tool';

/** A user's words are trusted more than an assistant's; tool output is not extracted. */
export const TRUST_OF_ROLE: Readonly<Record<Role, Trust>> = {
  user: 'stated',
  system: 'stated',
  assistant: 'observed',
  tool: 'untrusted',
};

/** Returns the trust of a turn: its arguments of a tool call may come from earlier tool output. */
export function trustOfTurn(turn: {
  readonly role: Role;
  readonly toolCalls: readonly unknown[];
}): Trust {
  return TRUST_OF_ROLE[turn.toolCalls.length > 0 ? 'tool' : turn.role];
}

/**
 * Returns the lowest trust of the sources, which is that of a text derived from them (design 6.29).
 */
export function leastTrust(levels: readonly Trust[]): Trust {
  return levels.reduce<Trust>(
    (least, level) => (TRUST.indexOf(level) < TRUST.indexOf(least) ? level : least),
    'verified',
  );
}
