/** The kinds of Varve as in the paths of a Kubernetes API. */
import type { ResourceType } from '#core/ports/kubernetes-api.ts';
import { API_GROUP, API_VERSION } from './metadata.ts';

export const MEMORY_TENANT = typeOf('MemoryTenant', 'memorytenants');
export const LAYER_SUMMARY_POLICY = typeOf('LayerSummaryPolicy', 'layersummarypolicies');
export const MODEL_PROVIDER = typeOf('ModelProvider', 'modelproviders');
export const DEEP_DREAM = typeOf('DeepDream', 'deepdreams');

function typeOf(kind: string, plural: string): ResourceType {
  const version = API_VERSION.slice(API_GROUP.length + 1);
  return { group: API_GROUP, version, kind, plural, isNamespaced: true };
}
