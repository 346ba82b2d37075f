/** What a write that happened does to its scope (core/scope-change.ts). */
import { sourceLane, type Digest } from '#core/hash.ts';
import type { ScopeChange } from '#core/scope-change.ts';

import { NEVER, type ScopeDocument, type SourceState, type WriteIntent } from './scope-document.ts';

interface Seen {
  /** The scope as it is now. */
  readonly document: ScopeDocument;
  /** Whether a current summary cites the memory. */
  readonly cited: boolean;
  readonly digest: Digest;
}

type MemoryWrite = Extract<WriteIntent['of'], { kind: 'Memory' }>;

/** None where the memory is no source and not cited: then the scope does not see the write. */
export function changesOf(intent: WriteIntent, seen: Seen): readonly ScopeChange[] {
  const { of: write } = intent;
  if (write.kind === 'Touch' || write.kind === 'Compaction') return [];
  if (write.kind === 'Turns') {
    const { lanes, tokens, bytes } = write;
    const sources = lanes.length;
    return [{ ...NOTHING, lanes, sources, tokens, bytes, changes: sources }];
  }
  const { yielded } = write;
  const own = memoryChange(intent.id, write, seen);
  const freed = yielded === null ? null : removal(yielded.state, seen);
  return [freed, own].filter((change) => change !== null);
}

function memoryChange(id: string, write: MemoryWrite, seen: Seen): ScopeChange | null {
  const { before, after, drops } = write;
  if (before === null) return after === null ? null : addition(after, seen);
  const dropped = drops !== null && seen.cited ? [{ id, reason: drops }] : [];
  if (after === null) {
    const removed = removal(before, seen);
    if (removed !== null) return { ...removed, dropped };
    return dropped.length === 0 ? null : { ...NOTHING, dropped };
  }
  if (!isCounted(before, seen)) return dropped.length === 0 ? null : { ...NOTHING, dropped };
  const lanes = [before, after].map((state) => sourceLane(seen.digest, state));
  const tokens = after.tokenCount - before.tokenCount;
  const bytes = after.bytes - before.bytes;
  return { ...NOTHING, lanes, tokens, bytes, dropped };
}

const NOTHING: ScopeChange = {
  lanes: [],
  sources: 0,
  tokens: 0,
  bytes: 0,
  dropped: [],
  expiresAt: null,
};

function addition(state: SourceState, { digest }: Seen): ScopeChange | null {
  if (!state.counted) return null;
  const expiresAt = state.endsAt === NEVER ? null : state.endsAt;
  return {
    ...NOTHING,
    lanes: [sourceLane(digest, state)],
    sources: 1,
    tokens: state.tokenCount,
    bytes: state.bytes,
    expiresAt,
  };
}

function removal(state: SourceState, seen: Seen): ScopeChange | null {
  if (!isCounted(state, seen)) return null;
  const lanes = [sourceLane(seen.digest, state)];
  return { ...NOTHING, lanes, sources: -1, tokens: -state.tokenCount, bytes: -state.bytes };
}

/** A recount leaves out what had ended by itself, though its document still says otherwise. */
function isCounted({ counted, endsAt }: SourceState, { document }: Seen): boolean {
  return counted && endsAt >= document.forgottenBefore;
}
