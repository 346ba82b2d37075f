/** The model that dreams. */
import { VarveError } from '#core/errors.ts';
import type { DreamModel } from '#core/ports/dream-model.ts';
import type { Models } from '../refresh-ports.ts';

/** @throws VarveError PROVIDER_REJECTED where it is not to be had */
export function dreamerOf({ dreamerByName, extractiveDreamer }: Models, name: string): DreamModel {
  const model = name === extractiveDreamer.name ? extractiveDreamer : dreamerByName(name);
  if (model !== undefined) return model;
  const message =
    'The model that is to dream is not to be had. Configure it, or choose another for the class ' +
    'that the DeepDream names.';
  throw new VarveError('PROVIDER_REJECTED', message, { details: { model: name } });
}
