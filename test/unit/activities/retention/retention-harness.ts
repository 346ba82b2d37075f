/** Sessions over a real store, whose turns grow old when a test says so. */
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { Turn } from '#core/records/turn.ts';
import { openFixture, type Fixture, type FixtureOptions } from '../refresh-fixture.ts';

export const DAY_MS = 86_400_000;
export const TENANT = 'acme';
/** A month and a moment: turns that were said before are past their retention time. */
export const OLD_MS = 31 * DAY_MS;
const TURNS_MAX = 1_000;
const EVENTS_MAX = 1_000;
const ROUNDS_MAX = 40;

export interface RetentionHarness {
  readonly fixture: Fixture;
  say(sessionId: string, contents: readonly string[]): Promise<void>;
  /** Makes every summary that is pending. */
  refresh(): Promise<void>;
  compact(dryRun?: boolean): ReturnType<typeof OPERATIONS.memory.compact.call>;
  turns(sessionId: string): Promise<readonly Turn[]>;
  /** What a reader is served, without when and how it was made. */
  served(sessionId: string): Promise<unknown>;
  context(sessionId: string): Promise<string>;
  events(type: EventRecord['type']): Promise<readonly EventRecord[]>;
}

export async function openRetentionHarness(
  options: FixtureOptions = {},
): Promise<RetentionHarness & AsyncDisposable> {
  const fixture = await openFixture(options);
  const { ports, parts } = fixture;
  const named = (sessionId: string) => ({ tenant: TENANT, identifiers: { sessionId } });
  return {
    fixture,
    say: async (sessionId, contents) => {
      const turns = contents.map((content) => ({ role: 'user' as const, content }));
      await OPERATIONS.conversation.append.call(ports, LOCAL_OPERATOR, {
        tenant: TENANT,
        sessionId,
        turns,
      });
    },
    refresh: async () => {
      for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
        const { generated, advanced, unchanged } = await fixture.round(TENANT);
        if (generated + advanced + unchanged === 0) return;
      }
      throw new Error('The refresh has no end.');
    },
    compact: (dryRun = false) =>
      OPERATIONS.memory.compact.call(ports, LOCAL_OPERATOR, { tenant: TENANT, dryRun }),
    turns: (sessionId) => parts.store.turns.latest({ tenant: TENANT, sessionId }, TURNS_MAX),
    served: (sessionId) =>
      OPERATIONS.summary.get.call(ports, LOCAL_OPERATOR, {
        ...named(sessionId),
        layer: 'session',
        depth: 'detailed',
      }),
    context: async (sessionId) => {
      const asked = { ...named(sessionId), query: 'What was said?' };
      return (await OPERATIONS.context.assemble.call(ports, LOCAL_OPERATOR, asked)).text;
    },
    events: async (type) => {
      const all = await parts.store.events.list(TENANT, { afterId: null, limit: EVENTS_MAX });
      return all.filter((event) => event.type === type);
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

/** Statements that a summarizer finds worth a fact, each of something else. */
export function statements(count: number, about: string): readonly string[] {
  return Array.from({ length: count }, (_, at) => {
    const n = at + 1;
    const noise = n % 3 === 0 ? ' Well, hello there.' : '';
    const budget = `${about} budget of team ${String(n)}`;
    return `We decided that the ${budget} is ${String(n * 100)} euros.${noise}`;
  });
}
