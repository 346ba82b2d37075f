/** Makes one addition, one change, one deletion, and a note that is added and deleted again. */
import type { ScopeSummary } from '#api/summaries.ts';
import type { Identifiers } from '#core/identifiers.ts';
import { type Layer, PRECEDENCE } from '#core/layer.ts';
import type { ApiClient } from '../api-client.ts';
import type { ImportReport } from '../write-imported-items.ts';
import { lineWidth, shortenToWidth } from '../terminal-text.ts';

/** Width of the rest of a line: the scope's name, what was done, quotes. */
const WORDS_WIDTH = 36;

/** What was done, and to which scope. */
export interface DemoChange {
  readonly scope: string;
  readonly what: string;
}

interface ChangeInput {
  readonly api: ApiClient;
  readonly tenant: string;
  readonly imported: ImportReport;
  readonly before: readonly ScopeSummary[];
  readonly texts: ChangeTexts;
}

/** The texts of the demo's changes. */
export interface ChangeTexts {
  readonly added: string;
  /** Appended to the text of the changed memory. */
  readonly appended: string;
}

const NOTE = 'A note that was written by mistake.';

/** Makes each change in a scope of its own, which keeps their effects apart. */
export async function makeChanges(input: ChangeInput): Promise<readonly DemoChange[]> {
  const { before } = input;
  const pick = (layers: readonly Layer[]) =>
    layers.map((layer) => before.find(({ scope }) => scope.layer === layer)).find(Boolean) ??
    before[0];
  const changes = [
    await addition(input, pick(['team', 'session', 'project'])),
    await change(input, pick(['project', 'user'])),
    await deletion(input, pick(['user', 'project'])),
    await comeAndGo(
      input,
      before.find(({ scope }) => scope.layer === 'org'),
    ),
  ];
  return changes.filter((each) => each !== null);
}

async function addition(
  { api, tenant, imported, texts }: ChangeInput,
  target: ScopeSummary | undefined,
): Promise<DemoChange | null> {
  if (target === undefined) return null;
  const { layer } = target.scope;
  const identifiers = idsOf(imported, target);
  await api.memory.add({ tenant, layer, identifiers, content: texts.added });
  return {
    scope: scopeName(target),
    what: `added "${shortenToWidth(texts.added, lineWidth() - WORDS_WIDTH)}"`,
  };
}

async function change(
  { api, tenant, texts }: ChangeInput,
  target: ScopeSummary | undefined,
): Promise<DemoChange | null> {
  const memory = await citedMemory(api, tenant, target?.summary?.facts.at(-1)?.sources);
  if (target === undefined || memory === null) return null;
  const content = `${memory.content} ${texts.appended}`;
  await api.memory.update({ tenant, id: memory.id, content });
  return {
    scope: scopeName(target),
    what: `changed "${shortenToWidth(content, lineWidth() - WORDS_WIDTH)}"`,
  };
}

/** Deletes a memory that the shortest text is based on: its sentence is gone at once. */
async function deletion(
  { api, tenant }: ChangeInput,
  target: ScopeSummary | undefined,
): Promise<DemoChange | null> {
  const memory = await citedMemory(api, tenant, target?.summary?.facts[0]?.sources);
  if (target === undefined || memory === null) return null;
  await api.memory.delete({ tenant, id: memory.id });
  return {
    scope: scopeName(target),
    what: `deleted "${shortenToWidth(memory.content, lineWidth() - WORDS_WIDTH)}"`,
  };
}

async function comeAndGo(
  { api, tenant, imported }: ChangeInput,
  target: ScopeSummary | undefined,
): Promise<DemoChange | null> {
  if (target === undefined) return null;
  const { layer } = target.scope;
  const identifiers = idsOf(imported, target);
  const { memory } = await api.memory.add({ tenant, layer, identifiers, content: NOTE });
  await api.memory.delete({ tenant, id: memory.id });
  return { scope: scopeName(target), what: 'added a note and deleted it again' };
}

async function citedMemory(
  api: ApiClient,
  tenant: string,
  sources: readonly string[] | undefined,
): Promise<{ id: string; content: string } | null> {
  const [id] = sources ?? [];
  return id === undefined ? null : api.memory.get({ tenant, id });
}

function idsOf({ scopes }: ImportReport, { scope }: ScopeSummary): Identifiers {
  for (const { layer, identifiers } of scopes.values()) {
    const named = Object.values(identifiers);
    if (layer === scope.layer && named.includes(scope.scopeId)) return identifiers;
  }
  return {};
}

/** Reads the summaries of the demo's scopes through the API, one by one. */
export async function readScopes(
  api: ApiClient,
  tenant: string,
  { scopes }: Pick<ImportReport, 'scopes'>,
): Promise<readonly ScopeSummary[]> {
  const read: ScopeSummary[] = [];
  for (const { layer, identifiers } of scopes.values()) {
    const { summaries } = await api.summary.list({ tenant, identifiers });
    const found = summaries.find(({ scope }) => scope.layer === layer);
    if (found !== undefined) read.push(found);
  }
  return read.toSorted((a, b) => PRECEDENCE[a.scope.layer] - PRECEDENCE[b.scope.layer]);
}

/** Returns one name per scope, for people. */
export function scopeName({ scope }: Pick<ScopeSummary, 'scope'>): string {
  return `${scope.layer} ${scope.scopeId}`;
}
