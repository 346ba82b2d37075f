/** The models of an installation by class, and the summariser that stands beside them. */
import type { Models } from '#activities/refresh-ports.ts';
import { ModelClass } from '#core/policy.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import type { ModelsSettings } from './settings.ts';

const MICRO_DOLLARS = 1_000_000;

/** Those of the settings are always to be had. */
export interface OwnModels extends Models {
  ofClass(modelClass: ModelClass): SummaryModel;
}

export interface ModelParts {
  readonly tokens: TokenCounter;
  readonly platform: Platform;
}

/**
 * Without settings the extractive summariser serves both classes. It stays beside any model: for
 * tenants whose budget ended, and for scopes of which the model makes nothing that holds.
 */
export async function loadModels(
  settings: ModelsSettings | undefined,
  parts: ModelParts,
): Promise<OwnModels> {
  const { createExtractiveModel } = await import('#providers/extractive/extractive-model.ts');
  const extractive = createExtractiveModel(parts.tokens);
  if (settings === undefined) return catalog(extractive, () => extractive);
  const { createOpenAiSummaryModel } = await import('#providers/openai/summary-model.ts');
  const byName = new Map<string, SummaryModel>();
  for (const modelClass of ModelClass.options) {
    const { name, contextTokens, outputTokensMax, thinkingTokens, ...prices } =
      settings[modelClass];
    const classes = ModelClass.options.filter((each) => settings[each].name === name);
    const price = {
      inputMicroDollarsPerMillion: microDollars(prices.inputDollarsPerMillion),
      outputMicroDollarsPerMillion: microDollars(prices.outputDollarsPerMillion),
    };
    const model = createOpenAiSummaryModel({
      baseUrl: settings.url,
      apiKey: settings.apiKey ?? null,
      model: name,
      classes,
      price,
      contextTokens,
      outputTokensMax,
      thinkingTokens,
      ...parts,
    });
    if (!byName.has(name)) byName.set(name, model);
  }
  return catalog(extractive, (modelClass) => byName.get(settings[modelClass].name) ?? extractive);
}

/** One model for both classes, as tests of budgets and crashes want it. */
export function catalogOfOne(extractive: SummaryModel, model: SummaryModel): OwnModels {
  return catalog(extractive, () => model);
}

function catalog(
  extractive: SummaryModel,
  ofClass: (modelClass: ModelClass) => SummaryModel,
): OwnModels {
  const all = [extractive, ...ModelClass.options.map(ofClass)];
  const named = new Map(all.map((model) => [model.name, model]));
  return { ofClass, byName: (name) => named.get(name), extractive };
}

/** Rounded up, and not by the digits that only binary fractions have. */
function microDollars(dollars: number): number {
  return Math.ceil(Number((dollars * MICRO_DOLLARS).toFixed(3)));
}
