/** Makes one addition, one change, one deletion, and a note that is added and deleted again. */
import type { ScopeSummary } from '#api/summaries.ts';
import type { Identifiers } from '#core/identifiers.ts';
import { type Layer, PRECEDENCE } from '#core/layer.ts';
import type { ApiClient } from '../api-client.ts';
import type { ImportReport } from '../import/write-imported-items.ts';
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
  const { api, tenant, imported, before, texts } = input;
  const changes: DemoChange[] = [];
  const noteChange = (target: ScopeSummary, done: string, text: string): void => {
    const what = `${done} "${shortenToWidth(text, lineWidth() - WORDS_WIDTH)}"`;
    changes.push({ scope: scopeName(target), what });
  };
  const pick = (layers: readonly Layer[]) =>
    layers.map((layer) => before.find(({ scope }) => scope.layer === layer)).find(Boolean) ??
    before[0];
  const citedMemory = async (fact: { readonly sources: readonly string[] } | undefined) => {
    const [id] = fact?.sources ?? [];
    return id === undefined ? null : api.memory.get({ tenant, id });
  };
  const add = (target: ScopeSummary, content: string) => {
    const identifiers = idsOf(imported, target);
    return api.memory.add({ tenant, layer: target.scope.layer, identifiers, content });
  };

  const grown = pick(['team', 'session', 'project']);
  if (grown !== undefined) {
    await add(grown, texts.added);
    noteChange(grown, 'added', texts.added);
  }
  const changed = pick(['project', 'user']);
  const old = await citedMemory(changed?.summary?.facts.at(-1));
  if (changed !== undefined && old !== null) {
    const content = `${old.content} ${texts.appended}`;
    await api.memory.update({ tenant, id: old.id, content });
    noteChange(changed, 'changed', content);
  }
  // The shortest text is based on this memory: its sentence is gone at once.
  const cut = pick(['user', 'project']);
  const basis = await citedMemory(cut?.summary?.facts[0]);
  if (cut !== undefined && basis !== null) {
    await api.memory.delete({ tenant, id: basis.id });
    noteChange(cut, 'deleted', basis.content);
  }
  const org = before.find(({ scope }) => scope.layer === 'org');
  if (org !== undefined) {
    const { memory } = await add(org, NOTE);
    await api.memory.delete({ tenant, id: memory.id });
    changes.push({ scope: scopeName(org), what: 'added a note and deleted it again' });
  }
  return changes;
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
