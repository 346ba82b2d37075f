/** The models that a policy would use, and the cost of their calls. */
import type { Digest } from '#core/hash.ts';
import { modelNameOf, desiredModel } from '#core/refresh/model-choice.ts';
import type { ModelProvider } from '#core/records/model-provider.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { ModelBatch, Price, SummaryModel } from '#core/ports/model.ts';
import { promptOf } from '#core/prompt/summary-prompt.ts';
import { answerSchema, answerTokensMax } from '#core/prompt/answer-schema.ts';
import { askedTexts, type AskedTexts } from '#core/refresh/call-size.ts';
import { recipeHash, segmentRecipeHash, type RecipeModel } from '#core/refresh/recipe.ts';
import { utf8Bytes } from '#core/storable-text.ts';

interface ForecastModel extends RecipeModel, Pick<SummaryModel, 'usageMax'> {
  /** Null if calls cost nothing. */
  readonly price: Price | null;
  readonly inputTokensMax: number;
  /** False if a policy names a model that no provider has, so that its price is not known. */
  readonly isKnown: boolean;
}

type OwnModel = Pick<SummaryModel, 'name' | 'revision' | 'price' | 'inputTokensMax' | 'usageMax'>;

/** The installation's own models, and those of the ModelProviders by name. */
export interface ForecastModels {
  readonly own: {
    ofClass(modelClass: ModelClass): OwnModel;
    readonly extractive: OwnModel;
  };
  readonly providers: ReadonlyMap<string, ModelProvider>;
  readonly digest: Digest;
}

/** What the summaries of a layer would be made with under a policy. */
export interface LayerRecipe {
  readonly model: ForecastModel;
  readonly asked: AskedTexts;
  readonly recipeHash: string;
  /** Hash for the segments of a large scope, which survive a change of depths. */
  readonly segmentHash: string;
  /** Hash for the fallback text, used if the model could not be paid. */
  readonly fallbackHash: string;
}

/** Returns the model of a class under a policy, available or not. */
export function modelOfClass(
  policy: TenantPolicy,
  modelClass: ModelClass,
  { own, providers, digest }: ForecastModels,
): ForecastModel {
  const desired = desiredModel(policy, modelClass, own);
  const known = [own.ofClass(modelClass), own.extractive].find(({ name }) => name === desired.name);
  if (known !== undefined) return knownModel(known);
  const choice = policy.models?.[modelClass] ?? null;
  const models = choice === null ? [] : (providers.get(choice.provider)?.openai?.models ?? []);
  const served = models.find(({ name }) => name === choice?.model);
  const usageMax = promptUsageMax(digest);
  if (choice === null || served === undefined) {
    const name = choice === null ? desired.name : modelNameOf(choice);
    return {
      ...desired,
      name,
      price: null,
      inputTokensMax: UNKNOWN_WINDOW,
      usageMax,
      isKnown: false,
    };
  }
  const { inputMicroDollarsPerMillion, outputMicroDollarsPerMillion, outputTokensMax } = served;
  return {
    ...desired,
    price: { inputMicroDollarsPerMillion, outputMicroDollarsPerMillion },
    inputTokensMax: served.contextTokens - outputTokensMax,
    usageMax,
    isKnown: true,
  };
}

function knownModel(model: OwnModel): ForecastModel {
  const { name, revision, price, inputTokensMax } = model;
  const usageMax: OwnModel['usageMax'] = (batch) => model.usageMax(batch);
  return { name, revision, price, inputTokensMax, usageMax, isKnown: true };
}

/** Returns what the summaries of a layer would be made with. */
export function layerRecipe(
  policy: TenantPolicy,
  layer: keyof TenantPolicy['layers'],
  models: ForecastModels,
): LayerRecipe {
  const settings = policy.layers[layer];
  const model = modelOfClass(policy, settings.modelClass, models);
  const { digest, own } = models;
  return {
    model,
    asked: askedTexts(settings),
    recipeHash: recipeHash(digest, { layer: settings, model }),
    segmentHash: segmentRecipeHash(digest, { model, about: null }),
    fallbackHash: recipeHash(digest, { layer: settings, model: own.extractive }),
  };
}

/** Assumed for a model whose window is not known; wide, so that a scope counts as read whole. */
const UNKNOWN_WINDOW = 128_000;

/** Returns the bound that a prompted model gives: the bytes of all that is sent. */
function promptUsageMax(digest: Digest): SummaryModel['usageMax'] {
  return (batch: ModelBatch) => {
    const { system, user } = promptOf(batch, { attemptId: '', digest, now: 0 });
    const texts = [system, user, JSON.stringify(answerSchema(batch))];
    const inputTokens = texts.reduce((sum, text) => sum + utf8Bytes(text), 0);
    return { inputTokens, outputTokens: answerTokensMax(batch) };
  };
}
