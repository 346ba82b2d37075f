/**
 * Activity: looks whether a subject has anything that no dream was done with, and settles what the
 * dream is to read. Where there is nothing, the subject is marked so, and no model is called.
 */
import type { DreamInput, DreamReading } from '#core/dreams/dream-contract.ts';
import { dreamStart } from '#core/dreams/dream-skip.ts';
import { isGivenUp } from '#core/dreams/refused-answers.ts';
import { hasNewAfter, type LookedAt } from '#core/dreams/subject-news.ts';
import { readMaterial } from './dream-material.ts';
import type { DreamPorts } from './dream-ports.ts';
import { dreamerOf } from './dreamer.ts';
import { askedDream } from './dream-question.ts';
import { readSubject } from './dream-subject.ts';
import { changeSubject } from './subject-change.ts';

/** @throws VarveError PROVIDER_REJECTED, CONTEXT_LIMIT_TOO_SMALL for a model that cannot do it */
export async function gatherDream(ports: DreamPorts, input: DreamInput): Promise<DreamReading> {
  const { store, platform } = ports;
  const subject = await readSubject(ports, input);
  if (subject === null) return { kind: 'Gone' };
  const { record, rules } = subject;
  if (input.round !== null && isGivenUp(record)) return { kind: 'Skip', outcome: 'GivenUp' };
  const gatheredAt = platform.clock();
  const lookedAt: LookedAt = { subjectVersion: record.version, gatheredAt };
  const material = await readMaterial(
    { documents: store.documents, record },
    {
      day: ports.calendar.dayOf(gatheredAt, rules.timeZone),
      lookbackDays: input.lookbackDays ?? rules.lookbackDays,
    },
  );
  const start = dreamStart(material.fresh, record, platform.digest);
  if (start.kind === 'Skip') {
    await noteNothing(ports, input, lookedAt);
    return start;
  }
  const model = dreamerOf(ports.models, ports.models.ofClass(rules.modelClass).name);
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
      ...lookedAt,
      model: model.name,
    },
  };
}

/** Nothing that was announced is left: no round starts it before the next block. */
async function noteNothing(
  ports: DreamPorts,
  { tenant, subjectId }: DreamInput,
  lookedAt: LookedAt,
): Promise<void> {
  await changeSubject(ports, { tenant, subjectId }, (record) => {
    const hasNew = hasNewAfter(record, lookedAt);
    return hasNew === record.hasNew ? null : { ...record, hasNew };
  });
}
