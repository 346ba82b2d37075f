/** Two memories for input that is all turns, so that a change and a deletion can be shown too. */
import type { ApiClient } from '../api-client.ts';
import { noteMemory, type IngestReport } from '../ingest-report.ts';
import type { Scenario } from './scenario.ts';
import { count } from './text.ts';

export async function addNotes(
  api: ApiClient,
  { tenant, projectId }: Pick<Scenario, 'tenant' | 'projectId'>,
  ingested: IngestReport,
): Promise<void> {
  const sessions = count(ingested.scopes.size, 'session');
  const notes = [
    `The input of this demo is ${count(ingested.turns, 'turn')} of ${sessions}.`,
    'Each sentence of a summary names the turns or memories that it rests on.',
  ];
  const identifiers = { projectId };
  for (const content of notes) {
    const added = await api.memory.add({ tenant, layer: 'project', identifiers, content });
    noteMemory(ingested, { layer: 'project', identifiers }, added.memory);
  }
}
