/** Every fact that rests on the sources of a session: in its summaries and in its segments. */
import type { Store } from '#core/ports/store.ts';
import { SEGMENTS_PER_CALL_MAX } from '#core/ports/segment-records.ts';
import type { Fact, Summary } from '#core/records/summary.ts';
import type { Segment } from '#core/records/segment.ts';
import type { Scope } from '#core/scope.ts';
import { GENERAL } from '#core/variants/audience.ts';

/** Pages of segments: more than a scope of the most sources that are worked on has. */
const PAGES_MAX = 1_000;

export interface ScopeFacts {
  /** The general summary; null where there is none. */
  readonly summary: Summary | null;
  readonly facts: readonly Fact[];
}

export async function scopeFacts(store: Store, scope: Scope): Promise<ScopeFacts> {
  const summary = await store.summaries.get(scope, GENERAL);
  const facts = [...(summary?.facts ?? [])];
  for (const { audience } of await store.variants.ofScope(scope)) {
    facts.push(...((await store.summaries.get(scope, audience))?.facts ?? []));
  }
  let after = '';
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page: readonly Segment[] = await store.segments.list(scope, {
      after,
      limit: SEGMENTS_PER_CALL_MAX,
    });
    facts.push(...page.flatMap((segment) => segment.facts));
    if (page.length < SEGMENTS_PER_CALL_MAX) break;
    after = page.at(-1)?.segmentId ?? after;
  }
  return { summary, facts: eachOnce(facts) };
}

/** The facts of a root are those of leaves below it, and variants choose from the general ones. */
function eachOnce(facts: readonly Fact[]): readonly Fact[] {
  return [...new Map(facts.map((fact) => [JSON.stringify(fact), fact])).values()];
}
