/** The input of a demo: the example that ships with Varve, or a person's own files. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Identifiers } from '#core/identifiers.ts';
import type { ChangeTexts } from './make-changes.ts';
import { detectInput, type Detected } from '../import/detect-format.ts';
import { readInput } from '../import/read-input.ts';
import type { ImportItem, Progress } from '../import/import-item.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

export interface Scenario {
  readonly tenant: string;
  readonly projectId: string;
  readonly policyDir: string;
  readonly question: string;
  readonly maxTokens: number;
  readonly texts: ChangeTexts;
  /** Null for all that were imported; they are read from the input. */
  readonly identifiers: Identifiers | null;
  items(options: ItemsOptions): AsyncIterable<ImportItem>;
}

interface ItemsOptions {
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

interface ScenarioOptions {
  readonly input?: readonly string[];
  readonly question?: string;
  readonly endTime: number;
}

export async function chooseScenario(options: ScenarioOptions): Promise<Scenario> {
  return options.input === undefined ? acme(options) : ownFiles(options, options.input);
}

function acme({ endTime, question }: ScenarioOptions): Scenario {
  const folder = path.join(EXAMPLES, 'acme');
  return {
    tenant: 'acme',
    projectId: 'checkout',
    policyDir: folder,
    question: question ?? 'When does the new checkout launch, and what could stop it?',
    maxTokens: 900,
    texts: {
      added: 'From December 2026 the team plans on Thursdays at 14:00 instead of Mondays.',
      appended: 'The launch on December 1 was confirmed again on 20 November 2026.',
    },
    identifiers: {
      agentId: 'release-bot',
      userId: 'dana',
      sessionId: '2026-11-planning',
      projectId: 'checkout',
    },
    items: (reading) =>
      readAll(
        [
          detectInput(path.join(folder, 'memories.jsonl')),
          // The session of the identifiers.
          detectInput(path.join(folder, '2026-11-planning.jsonl'), '2026-11-planning.jsonl'),
        ],
        { ...reading, endTime },
      ),
  };
}

async function ownFiles(
  { endTime, question }: ScenarioOptions,
  input: readonly string[],
): Promise<Scenario> {
  // Checked before anything starts: a wrong path should not cost the start of a server.
  await Promise.all(input.map((each) => detectInput(each)));
  return {
    tenant: 'demo',
    projectId: 'input',
    policyDir: path.join(EXAMPLES, 'own-files'),
    question: question ?? 'What was decided, and what is still open?',
    maxTokens: 900,
    texts: {
      added: 'This was added by the demo, to show what an addition does.',
      appended: 'This sentence was added by the demo.',
    },
    identifiers: null,
    items: (reading) =>
      readAll(
        input.map((each) => detectInput(each)),
        { ...reading, endTime },
      ),
  };
}

interface ReadAllOptions extends ItemsOptions {
  readonly endTime: number;
}

/** Reads all inputs, with one progress over all of them. */
async function* readAll(
  detected: readonly Promise<Detected>[],
  { endTime, onProgress, signal }: ReadAllOptions,
): AsyncGenerator<ImportItem> {
  const inputs = await Promise.all(detected);
  const bytesTotal = inputs.reduce((total, { bytes }) => total + bytes, 0);
  for (const [index, each] of inputs.entries()) {
    const before = inputs.slice(0, index).reduce((total, { bytes }) => total + bytes, 0);
    yield* readInput(each, {
      endTime,
      signal,
      identifiers: { projectId: 'input' },
      onProgress: ({ file, bytesRead }) => {
        onProgress({ file, bytesRead: before + bytesRead, bytesTotal });
      },
    });
  }
}
