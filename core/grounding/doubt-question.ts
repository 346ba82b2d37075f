/** Doubts of grounding as the items of a question, and what its answer confirms. */
import type { Confirms, Doubt } from './doubt.ts';
import type { Digest } from '../hash.ts';
import type { BatchItem } from '../ports/model.ts';
import type { Source } from '../sources/source.ts';
import { answeredItems } from '../prompt/parse-answer.ts';

/** The source of an item that is judged by the others, whose ids are numbered. */
const CLAIM = 'claim';

/**
 * A claim and what it rests on, as data; its name in questions and answers reveals nothing about
 * it.
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

/** An answer that broke off within an item, or says nothing of it, confirms nothing. */
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

/** The same words on the same ground have one name, so that a changed source confirms nothing. */
function nameOf(digest: Digest, { claim, evidence }: Doubt): string {
  const shown = evidence.map(({ at, speaker, text }) => [at, speaker, text]);
  return digest(JSON.stringify(['Verify', claim, shown]));
}
