/** Turns doubts of grounding into items of a question, and reads what its answer confirms. */
import type { Confirms, Doubt } from './doubt.ts';
import type { Digest } from '../hash.ts';
import type { BatchItem } from '../ports/model.ts';
import type { Source } from '../sources/source.ts';
import { answeredItems } from '../prompt/parse-answer.ts';

/** The id of the claim among an item's sources; the others, with numbered ids, are evidence. */
const CLAIM = 'claim';

/**
 * Returns a claim and its evidence as an item of a question. The item's name in questions and
 * answers reveals nothing about the claim.
 */
export function verifyItem(digest: Digest, doubt: Doubt): BatchItem {
  const { claim, evidence } = doubt;
  const [first] = evidence;
  if (first === undefined) throw new Error('A doubt has evidence.');
  const last: Source = { ...first, id: CLAIM, speaker: CLAIM, text: claim };
  return {
    item: nameOf(digest, doubt),
    layer: 'session',
    depths: [],
    task: 'Verify',
    tokensMax: 1,
    audience: null,
    sources: [...evidence, last],
  };
}

/** Reads what answers confirm. An item that an answer cuts off or omits is not confirmed. */
export function confirmedBy(
  digest: Digest,
  answers: readonly { readonly text: string | null }[],
): Confirms {
  const confirmed = new Set(
    answers.flatMap(({ text }) =>
      [...answeredItems(text ?? '')].flatMap(([item, { kept, isCut }]) =>
        kept?.length === 1 && kept[0] === CLAIM && !isCut ? item : [],
      ),
    ),
  );
  return (doubt) => confirmed.has(nameOf(digest, doubt));
}

/** A name for a claim with its evidence: if a source changes, no earlier answer confirms it. */
function nameOf(digest: Digest, { claim, evidence }: Doubt): string {
  const shown = evidence.map(({ at, speaker, text }) => [at, speaker, text]);
  return digest(JSON.stringify(['Verify', claim, shown]));
}
