/** The models of an installation by class, and the summarizer that needs no model. */
import type { Models } from '#activities/refresh-ports.ts';
import { ModelClass } from '#core/records/model-class.ts';
import type { DreamModel } from '#core/ports/dream-model.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import type { ModelsSettings } from './store-and-model-settings.ts';

const MICRO_DOLLARS = 1_000_000;

/** Models of the settings, which are always available. */
export interface OwnModels extends Models {
  ofClass(modelClass: ModelClass): SummaryModel;
}

export interface ModelParts {
  readonly tokens: TokenCounter;
  readonly platform: Platform;
}

/**
 * Loads the models. Without settings, the extractive summarizer serves both classes. It also stays
 * next to any model: for tenants whose budget is used up, and for scopes for which the model gives
 * no valid answer.
 */
export async function loadModels(
  settings: ModelsSettings | undefined,
  parts: ModelParts,
): Promise<OwnModels> {
  const own = await loadExtractive(parts.tokens);
  if (settings === undefined) return catalogOf([], own, () => own.extractive.name);
  const [{ createOpenAiSummaryModel }, { createOpenAiDreamModel }] = await Promise.all([
    import('#providers/openai/summary-model.ts'),
    import('#providers/openai/dream-model.ts'),
  ]);
  const served = ModelClass.options.map((modelClass): ServedModel => {
    const { name, contextTokens, outputTokensMax, thinkingTokens, ...prices } =
      settings[modelClass];
    const options = {
      baseUrl: settings.url,
      apiKey: settings.apiKey ?? null,
      model: name,
      classes: ModelClass.options.filter((each) => settings[each].name === name),
      price: {
        inputMicroDollarsPerMillion: microDollars(prices.inputDollarsPerMillion),
        outputMicroDollarsPerMillion: microDollars(prices.outputDollarsPerMillion),
      },
      contextTokens,
      outputTokensMax,
      thinkingTokens,
      ...parts,
    };
    return {
      summary: createOpenAiSummaryModel(options),
      dreamer: createOpenAiDreamModel(options),
    };
  });
  return catalogOf(served, own, (modelClass) => settings[modelClass].name);
}

/** A model for both purposes: summaries and dreams. */
interface ServedModel {
  readonly summary: SummaryModel;
  readonly dreamer: DreamModel;
}

/** What every process has: the summarizer and the dreamer without a model. */
type Extractive = Pick<Models, 'extractive' | 'extractiveDreamer'>;

async function loadExtractive(tokens: TokenCounter): Promise<Extractive> {
  const [{ createExtractiveModel }, { createExtractiveDreamModel }] = await Promise.all([
    import('#providers/extractive/extractive-model.ts'),
    import('#providers/extractive/dream-model.ts'),
  ]);
  return {
    extractive: createExtractiveModel(tokens),
    extractiveDreamer: createExtractiveDreamModel(tokens),
  };
}

/** Makes one model serve both classes, for tests; its dreams are extractive. */
export function catalogOfOne(own: Extractive, summary: SummaryModel): OwnModels {
  const dreamer = { ...own.extractiveDreamer, name: summary.name };
  return catalogOf([{ summary, dreamer }], own, () => summary.name);
}

/** If two have the same name, the first one counts. */
function catalogOf(
  served: readonly ServedModel[],
  own: Extractive,
  nameOf: (modelClass: ModelClass) => string,
): OwnModels {
  const { extractive, extractiveDreamer: dreamer } = own;
  const all = [...served, { summary: extractive, dreamer }].toReversed();
  const summaries = new Map(all.map(({ summary }) => [summary.name, summary]));
  const dreamers = new Map(all.map(({ summary, dreamer }) => [summary.name, dreamer]));
  return {
    ...own,
    ofClass: (modelClass) => summaries.get(nameOf(modelClass)) ?? extractive,
    byName: (name) => summaries.get(name),
    dreamerByName: (name) => dreamers.get(name),
  };
}

/** Rounds up, but ignores digits that come only from binary fractions. */
function microDollars(dollars: number): number {
  return Math.ceil(Number((dollars * MICRO_DOLLARS).toFixed(3)));
}
