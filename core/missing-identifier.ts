import { VarveError } from './errors.ts';
import { IDENTIFIER_OF } from './identifiers.ts';
import type { Layer } from './layer.ts';

/** The error for a layer whose identifier is neither given nor derivable from the hierarchy. */
export function missingIdentifier(layer: Layer): VarveError {
  const identifier = IDENTIFIER_OF[layer];
  const message = `The ${layer} layer needs ${identifier}; give it in identifiers.`;
  return new VarveError('MISSING_IDENTIFIER', message, { details: { identifier, layer } });
}
