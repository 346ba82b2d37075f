/** The lines of `varve export`: what one person has, to move it to another tenant or folder. */
import { z } from 'zod';
import { IDENTIFIER_OF, Identifiers } from '#core/identifiers.ts';
import { Layer } from '#core/layer.ts';
import { Turn } from '#core/records/turn.ts';
import { CONTENT_KEY } from '#memory/new-memory.ts';
import type { ImportItem, MemoryItem, TurnItem } from './import-item.ts';
import { type InputPlace, parsed, refusal } from './input-file.ts';

/** The session whose turns follow, as the export lists them. */
export interface ExportedSession {
  readonly sessionId: string;
  readonly identifiers: Identifiers;
}

/** What the lines before told, and whose the lines become. */
interface ExportCursor {
  readonly identifiers: Identifiers;
  exported: ExportedSession | null;
}

/** Loose, since an export has every field of a record; only these are imported. */
const SAID = { at: z.int(), utcOffset: z.int().optional() };
const HeldMemory = z.looseObject({
  id: z.string(),
  layer: Layer,
  scopeId: z.string(),
  kind: z.enum(['memory', 'entity']),
  content: z.string(),
  key: z.string().nullable(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  validFrom: z.int(),
  utcOffset: z.int().optional(),
  expiresAt: z.int().nullable(),
  state: z.string(),
  origin: z.looseObject({ channel: z.string(), sources: z.array(z.string()) }),
  supersededBy: z.string().nullable(),
  isRepeat: z.boolean().default(false),
});
const HeldSession = z.looseObject({ sessionId: z.string(), identifiers: z.looseObject({}) });
const HeldTurn = z.looseObject({
  id: z.string(),
  role: Turn.shape.role,
  speaker: z.string().nullable(),
  content: z.string(),
  toolCalls: Turn.shape.toolCalls,
  toolCallId: z.string().nullable(),
  ...SAID,
});

const EXAMPLE =
  '{"held":"Turn","id":"t1","role":"user","speaker":null,"content":"Hi","at":1790848800000}';

/** Whether an object is a line of `varve export`. */
export function isExported(value: object): boolean {
  return 'held' in value;
}

/**
 * Returns the memories, and the turns in their sessions; with the user of the import, if it names
 * one. Nothing else of an export is imported: summaries and files are made again.
 */
export function exportedItems(
  value: unknown,
  place: InputPlace,
  cursor: ExportCursor,
): readonly ImportItem[] {
  const { held } = parsed(z.looseObject({ held: z.string() }), value, { place, example: EXAMPLE });
  if (held === 'Memory') return memoryOf(value, place, cursor);
  if (held === 'Turn') return [turnOf(value, place, cursor)];
  if (held === 'Session') cursor.exported = sessionOf(value, place, cursor);
  return [];
}

function memoryOf(value: unknown, place: InputPlace, cursor: ExportCursor): readonly MemoryItem[] {
  const memory = parsed(HeldMemory, value, { place, example: EXAMPLE });
  if (memory.state === 'quarantined') return [];
  const { supersededBy, isRepeat, origin, state } = memory;
  const extracted = extractionOf(origin, memory.metadata);
  // A memory that holds is imported even if another will end it, which has the same key.
  const ends = extracted === null && state === 'active' ? null : supersededBy;
  const { id, layer, scopeId, kind, content: text, key, tags, metadata, expiresAt } = memory;
  const { validFrom: at, utcOffset } = memory;
  const owner = layer === 'user' ? (cursor.identifiers.userId ?? scopeId) : scopeId;
  return [
    {
      kind: 'memory',
      layer,
      identifiers: { [IDENTIFIER_OF[layer]]: owner },
      text,
      key: key === null || key.startsWith(CONTENT_KEY) ? null : key,
      tags,
      metadata,
      at,
      utcOffset,
      id,
      memoryKind: kind,
      ...(expiresAt === null ? {} : { expiresAt }),
      ...(extracted === null ? {} : { extracted, isRepeat }),
      ...(ends === null ? {} : { supersededBy: ends }),
    },
  ];
}

/** Returns the turn that a memory is deleted with; null for one of no turn. */
function extractionOf(
  { channel, sources: [turnId] }: { channel: string; sources: readonly string[] },
  { session: sessionId }: Readonly<Record<string, unknown>>,
): NonNullable<MemoryItem['extracted']> | null {
  if (channel !== 'extraction' || turnId === undefined) return null;
  return typeof sessionId === 'string' ? { sessionId, turnId } : null;
}

function sessionOf(value: unknown, place: InputPlace, cursor: ExportCursor): ExportedSession {
  const { sessionId, identifiers } = parsed(HeldSession, value, { place, example: EXAMPLE });
  const { userId } = cursor.identifiers;
  const known = Identifiers.parse(identifiers);
  return { sessionId, identifiers: userId === undefined ? known : { ...known, userId } };
}

function turnOf(value: unknown, place: InputPlace, { exported }: ExportCursor): TurnItem {
  const turn = parsed(HeldTurn, value, { place, example: EXAMPLE });
  if (exported === null) {
    throw refusal(place, {
      problem: 'a "Turn" stands before its "Session"',
      expected: 'Import the file as `varve export` wrote it, with each session before its turns.',
    });
  }
  const { id, role, speaker, content: text, toolCalls, toolCallId, at, utcOffset } = turn;
  const called = toolCallId === null ? {} : { toolCallId };
  const said = { id, role, speaker, text, toolCalls, ...called, at, utcOffset };
  return { kind: 'turn', ...said, ...exported };
}
