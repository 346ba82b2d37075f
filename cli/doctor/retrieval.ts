/** What finds memories: the embedder, and whether it serves what the tenants' memories have. */
import type { Parts } from '../compose.ts';
import { isLocalModelThere, isModelFolder, localModelFolder } from '../embedders.ts';
import { count } from '../demo/text.ts';
import { LOCAL_OFFER } from '../local-model-settings.ts';
import type { PartsSettings } from '../settings.ts';
import { guarded, type Finding } from './finding.ts';

/** Tenants whose embedding model is looked at. */
const TENANTS_MAX = 200;
/** Generations named in one line. */
const SHOWN_MAX = 3;

export async function retrievalFindings(
  parts: Parts,
  settings: PartsSettings,
): Promise<readonly Finding[]> {
  return [
    ...(await guarded('embedder', () => embedderFinding(parts, settings))),
    ...(await guarded('retrieval', () => generationFindings(parts))),
  ];
}

/** Asks a model for one vector: only that shows that address, key, files and dimensions fit. */
async function embedderFinding(
  { embedders: { configured } }: Parts,
  { embedding, local }: PartsSettings,
): Promise<Finding> {
  const { generation } = configured;
  if (embedding === undefined && local === undefined) {
    const text = `keyword quality (${generation}): no embedding model is set. ${LOCAL_OFFER}`;
    return { part: 'embedder', state: 'note', text };
  }
  await configured.embed(['Is the embedding model there?'], { purpose: 'query' });
  // An address may hold a password; its host never does.
  const place =
    local === undefined ? `at ${new URL(embedding?.url ?? '').host}` : 'on this machine';
  const text = `${generation} ${place} answers, semantic quality`;
  return { part: 'embedder', state: 'ok', text };
}

/** A model that is not there: looking must not download it. */
export async function localModelFindings({ local }: PartsSettings): Promise<readonly Finding[]> {
  if (local === undefined || (await isLocalModelThere(local))) return [];
  const part = 'embedder';
  const folder = localModelFolder(local);
  if (isModelFolder(local.model)) {
    const { findModel } = await import('#providers/onnx/model-files.ts');
    return guarded(part, async () => {
      await findModel(folder);
      return [];
    });
  }
  const text =
    `${local.model} is not in ${folder} yet; the next command that embeds downloads it from ` +
    `${new URL(local.url).host}.`;
  return [{ part, state: 'note', text }];
}

async function generationFindings({ store, embedders }: Parts): Promise<readonly Finding[]> {
  const tenants = await store.embeddings.tenants({ after: null, limit: TENANTS_MAX });
  const states = await Promise.all(tenants.map((tenant) => store.embeddings.state(tenant)));
  const active = states.flatMap((state) => (state === null ? [] : [state.active]));
  const unserved = active.filter((generation) => embedders.ofGeneration(generation) === null);
  const { generation: configured } = embedders.configured;
  const others = active.filter(
    (generation) => generation !== configured && !unserved.includes(generation),
  );
  const part = 'retrieval';
  if (unserved.length > 0) {
    const text =
      `${count(unserved.length, 'tenant')} found by words alone: no embedder is set for ` +
      `${named(unserved)}. Set it again, or run varve embeddings migrate.`;
    return [{ part, state: 'wrong', text }];
  }
  if (others.length > 0) {
    const text =
      `${count(others.length, 'tenant')} still compared by ${named(others)}; ` +
      'varve embeddings migrate changes that.';
    return [{ part, state: 'note', text }];
  }
  const text = `every tenant is compared by ${configured}`;
  return [{ part, state: 'ok', text }];
}

function named(generations: readonly string[]): string {
  const names = [...new Set(generations)];
  const more = names.length > SHOWN_MAX ? ', …' : '';
  return names.slice(0, SHOWN_MAX).join(', ') + more;
}
