/** The context vector of a summary (SUM-09). */
import { VarveError } from '#core/errors.ts';
import type { Summary } from '#core/records/summary.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';

export type Embed = (text: string) => Promise<Summary['contextVector']>;

/**
 * A text that grounding left as it was is not embedded again. Null where the embedder fails: the
 * summary is worth more than its place among others, which then goes by precedence alone.
 */
export function embedOnce({ embedder, platform }: RefreshPorts, { signal }: ActivityCall): Embed {
  const { generation } = embedder;
  let last: { readonly text: string; readonly vector: Summary['contextVector'] } | null = null;
  const embed: Embed = async (text) => {
    try {
      const [values] = await embedder.embed([text], { purpose: 'passage', signal });
      return values === undefined ? null : { generation, values: [...values] };
    } catch (error) {
      if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
      platform.log.warn({ code: error.code }, 'summary committed without its context vector');
      return null;
    }
  };
  return async (text) => {
    if (last?.text !== text) last = { text, vector: await embed(text) };
    return last.vector;
  };
}
