/** `--layer` of the commands that look at some layers only. */
import { VarveError } from '#core/errors.ts';
import { LAYERS, type Layer } from '#core/layer.ts';

/** @throws VarveError INVALID_LAYER naming the layers that there are */
export function layerOf(name: string): Layer {
  const layer = LAYERS.find((each) => each === name);
  if (layer !== undefined) return layer;
  const message = `--layer takes one of ${LAYERS.join(', ')}, and not "${name}".`;
  throw new VarveError('INVALID_LAYER', message);
}
