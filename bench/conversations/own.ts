/** The library as users have it, over a temporary folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { openVarve } from '#cli/open-varve.ts';

import type { Asked } from './baselines.ts';
import type { Person } from './data.ts';

const MODEL = 'multilingual-e5-small';
const DIMENSIONS = 384;
/** Most turns of one call. */
const TURNS_OF_A_CALL_MAX = 1_000;

/** Long, since the measurement is about what vectors find, however slowly they are made. */
const WAIT_MS = 60_000;

export interface OwnOptions {
  /** Base URL of an embedding endpoint; absent for the built-in embedder. */
  readonly embedding?: string | undefined;
  /** A model on this machine, by name or folder; absent for none. */
  readonly local?: string | undefined;
  /** Whether each session is flushed at its end, which adds memories and a daily file. */
  readonly withFlush?: boolean;
}

export interface Own extends AsyncDisposable {
  /** Appends the sessions of a person, then deletes the marked turns. */
  tell(person: Person): Promise<void>;
  contextFor(asked: Asked): Promise<string>;
}

export async function openOwn({ embedding, local, withFlush = false }: OwnOptions): Promise<Own> {
  await using held = new AsyncDisposableStack();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-conversations-'));
  held.defer(() => rm(dataDir, { recursive: true, force: true }));
  const settings =
    embedding === undefined
      ? {}
      : {
          embedding: {
            url: embedding,
            model: MODEL,
            dimensions: DIMENSIONS,
            searchWaitMs: WAIT_MS,
          },
        };
  const embedder = local === undefined ? {} : { embedder: { model: local } };
  const varve = held.use(await openVarve({ dataDir, settings, ...embedder }));
  const tenant = 'bench';
  const open = held.move();
  return {
    async tell(person) {
      for (const { id, at, turns } of person.sessions) {
        for (let from = 0; from < turns.length; from += TURNS_OF_A_CALL_MAX) {
          await varve.conversation.append({
            tenant,
            sessionId: `${person.id}/${id}`,
            identifiers: { userId: person.id },
            turns: turns.slice(from, from + TURNS_OF_A_CALL_MAX).map((turn) => ({
              id: turn.id,
              role: turn.role,
              content: turn.text,
              at,
              ...(turn.speaker === null ? {} : { speaker: turn.speaker }),
            })),
          });
        }
        const turnIds = turns.map((turn) => turn.id).filter((turn) => person.deleted.has(turn));
        const session = { tenant, sessionId: `${person.id}/${id}` };
        if (turnIds.length > 0) await varve.conversation.delete({ ...session, turnIds });
        if (withFlush) await varve.conversation.flush(session);
      }
    },
    async contextFor({ person, question, limit }) {
      const { text } = await varve.context.assemble({
        tenant,
        identifiers: { userId: person.id, sessionId: `${person.id}/asked/${question.id}` },
        query: question.text,
        maxTokens: limit,
        at: question.at,
      });
      return text;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
