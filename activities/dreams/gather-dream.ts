/**
 * Activity: checks whether a subject has anything that no dream has read, and settles what this
 * dream reads. If there is nothing, the subject is marked so, and no model is called. Paid attempts
 * that fail do not repeat forever: the dream without a model is the fallback, and scheduled dreams
 * set a block aside or pause.
 */
import { isFresh } from '#core/dreams/daily-files-to-read.ts';
import type { DreamInput, DreamReading } from '#core/dreams/dream-contract.ts';
import { setAsideDiaryEntry } from '#core/dreams/dream-diary.ts';
import { decideDream, hasNewAfter, type GatheredVersion } from '#core/dreams/whether-to-dream.ts';
import {
  isSkippedByScheduledDreams,
  needsFallback,
  blockToSetAside,
} from '#core/dreams/failed-dreams.ts';
import { SET_ASIDE_AT } from '#core/records/document.ts';
import { hasLaterBlocks, readMaterial, askedDream } from './read-dream-material.ts';
import { unlessErased } from '../write-unless-erased.ts';
import { type DreamPorts, dreamerOf, readSubject, type DreamSubject } from './dream-ports.ts';
import { changeSubject } from './write-dream-records.ts';

/** @throws VarveError PROVIDER_REJECTED, CONTEXT_LIMIT_TOO_SMALL if the model cannot be used */
export async function gatherDream(given: DreamPorts, input: DreamInput): Promise<DreamReading> {
  const ports = await unlessErased(given, input.tenant);
  const { store, platform } = ports;
  const found = await readSubject(ports, input);
  if (found === null) return { kind: 'Gone' };
  const mayGiveUp = input.round !== null || input.isBound === true;
  if (mayGiveUp && isSkippedByScheduledDreams(found.record))
    return { kind: 'Skip', outcome: 'DeadLettered' };
  const isAside = mayGiveUp && (await setAside(ports, found));
  const subject = isAside ? await readSubject(ports, input) : found;
  if (subject === null) return { kind: 'Gone' };
  const { record, rules } = subject;
  const gatheredAt = platform.clock();
  const gathered: GatheredVersion = { subjectVersion: record.version, gatheredAt };
  const of = { store, platform, record };
  const day = ports.calendar.dayOf(gatheredAt, rules.timeZone);
  const material = await readMaterial(of, {
    day,
    lookbackDays: input.lookbackDays ?? rules.lookbackDays,
  });
  const start = decideDream(material.fresh, record, platform.digest);
  if (start.kind === 'Skip') {
    await noteNothing(ports, input, { ...gathered, hasLeft: await hasLaterBlocks(of, day) });
    return isAside && start.outcome === 'NothingNew'
      ? { ...start, outcome: 'DeadLettered' }
      : start;
  }
  const { models } = ports;
  const { name } = needsFallback(record, start.oldest)
    ? models.extractiveDreamer
    : models.ofClass(rules.modelClass);
  const model = dreamerOf(models, name);
  const { question } = askedDream(ports, material, model);
  const sources = [...question.memory, ...question.daily];
  return {
    kind: 'Ready',
    blocks: question.daily.length,
    lines: question.memory.length,
    sourceTokens: sources.reduce((sum, { tokens }) => sum + tokens, 0),
    cut: {
      memoryVersion: material.base?.version ?? 0,
      ...material.files,
      ...gathered,
      oldest: start.oldest,
      model: model.name,
    },
  };
}

/** Keeps rounds from starting the subject before its next block, unless a later day has one. */
async function noteNothing(
  ports: DreamPorts,
  { tenant, subjectId }: DreamInput,
  gathered: Parameters<typeof hasNewAfter>[1],
): Promise<void> {
  await changeSubject(ports, { tenant, subjectId }, (record) => {
    const hasNew = hasNewAfter(record, gathered);
    return hasNew === record.hasNew ? null : { ...record, hasNew };
  });
}

type Ports = Pick<DreamPorts, 'store' | 'platform' | 'calendar'>;

/**
 * Sets aside a block that keeps failing; returns whether there was one.
 * @throws VarveError CONFLICT, retryable, while others keep writing
 */
async function setAside(ports: Ports, { record, rules }: DreamSubject): Promise<boolean> {
  const place = blockToSetAside(record);
  if (place === null) return false;
  const { documents } = ports.store;
  const { tenant, subject } = record;
  const block = await documents.get({ tenant, subject, ...place });
  const isUnread = block !== null && isFresh(block);
  if (isUnread) {
    const { newId, clock } = ports.platform;
    const at = clock();
    const day = ports.calendar.dayOf(at, rules.timeZone);
    const ids = { block: newId(), line: newId() };
    await documents.append(setAsideDiaryEntry(block, { ids, day, at }), record);
    await documents.markDreamed(record, [place], SET_ASIDE_AT);
  }
  await changeSubject(ports, record, (current) =>
    current.refused?.dreamId === record.refused?.dreamId ? { ...current, refused: null } : null,
  );
  return isUnread;
}
