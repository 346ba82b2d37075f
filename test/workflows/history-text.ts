/** The text of a history: names and texts as they are, payloads decoded. */
import type { Stack } from './fixture.ts';

/** The least that a payload has to stay below (TMP-04). */
export const PAYLOAD_BYTES_MAX = 64 * 1_024;

export interface HistoryText {
  readonly texts: string[];
  /** Bytes of each payload. */
  readonly payloads: number[];
}

/** Walked by hand: the JSON of a history hides its payloads in base64. */
export function readHistory(
  part: unknown,
  into: HistoryText = { texts: [], payloads: [] },
): HistoryText {
  if (part instanceof Uint8Array) {
    into.payloads.push(part.length);
    into.texts.push(Buffer.from(part).toString('utf8'));
  } else if (typeof part === 'object' && part !== null) {
    for (const [name, value] of Object.entries(part)) {
      into.texts.push(name);
      readHistory(value, into);
    }
  } else if (typeof part === 'string') {
    into.texts.push(part);
  }
  return into;
}

export interface RunHistory {
  readonly workflowId: string;
  readonly runId: string;
  readonly history: unknown;
}

/** Of every run of a tenant's refresh that the server lists, the earliest first. */
export function historiesOf(
  stack: Pick<Stack, 'temporal'>,
  tenant: string,
): Promise<readonly RunHistory[]> {
  return historiesOfWorkflow(stack, `refresh/${tenant}`);
}

export async function historiesOfWorkflow(
  { temporal: { client } }: Pick<Stack, 'temporal'>,
  id: string,
): Promise<readonly RunHistory[]> {
  const query = `WorkflowId = "${id}"`;
  const runs = await Array.fromAsync(client.workflow.list({ query }));
  const inOrder = runs.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime());
  return Promise.all(
    inOrder.map(async ({ workflowId, runId }) => {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      return { workflowId, runId, history };
    }),
  );
}
