/** What writes the summaries: the models by class, and whether their endpoint has them. */
import { ModelClass } from '#core/records/model-class.ts';
import type { PartsSettings } from '../settings.ts';
import { guarded, type Finding } from './finding.ts';

const PART = 'models';

/** Asks the endpoint for its list alone: a look at an installation costs nothing. */
export function modelFindings({ models }: PartsSettings): Promise<readonly Finding[]> {
  return guarded(PART, async () => {
    if (models === undefined) {
      const text = 'extractive: summaries are sentences of their sources; no model is set';
      return { part: PART, state: 'note', text };
    }
    const { listModels } = await import('#providers/openai/model-list.ts');
    const endpoint = { baseUrl: models.url, apiKey: models.apiKey ?? null };
    const listed = await listModels(endpoint, Date.now);
    const named = ModelClass.options.map((each) => `${models[each].name} (${each})`).join(', ');
    // An address may hold a password; its host never does.
    const place = `${named} at ${new URL(models.url).host}`;
    if (listed === null) {
      return { part: PART, state: 'note', text: `${place}, which has no list of models` };
    }
    const missing = ModelClass.options
      .map((each) => models[each].name)
      .filter((name) => !listed.includes(name));
    if (missing.length === 0) return { part: PART, state: 'ok', text: `${place} are there` };
    const text = `${place} answers and does not list ${[...new Set(missing)].join(', ')}`;
    return { part: PART, state: 'wrong', text };
  });
}
