/** Finds the speaker of a line that begins with a name and a colon. */
import { oneOf } from './pattern.ts';

/** The role with which the flush of a session begins a line of a file. */
export const LINE_ROLE = /^(?<role>user|assistant|tool|system): /u;

interface SpokenLine {
  readonly speaker: string;
  readonly said: string;
}

/** Words of a name, as in `Professor C` and `Baroness Jones of Whitchurch`. */
const NAME = String.raw`\p{Lu}[\p{L}\p{M}\p{N}.'_-]*`;
const PARTICLES = String.raw`\p{N}+, of, de, da, di, du, la, le, del, van, von, der, den, bin, al`;
const SPEAKER = new RegExp(
  String.raw`^(?<speaker>${NAME}(?: (?:${NAME}|${oneOf(PARTICLES)})){0,5}):\s+(?<said>\S.*)$`,
  'u',
);
/** Labels of notes, which are no speakers. */
const LABELS = String.raw`
  actions?(?: items?)?, agreements?, assumptions?, budgets?, corrections?, costs?, dates?,
  deadlines?, decided,
  decisions?, due, facts?, goals?, important, issues?, lessons?(?: learned)?, next(?: steps?)?,
  notes?, outcomes?, owners?, plans?, polic(?:y|ies), preferences?, priorit(?:y|ies), problems?,
  reminders?, requirements?, results?, risks?, rules?, status, summary, tasks?, to-?dos?, updates?,
  warnings?, (?:small |quick )?changes?, (?:kleine )?(?:plan)?änderung(?:en)?, korrektur,
  (?:pequeño )?cambios?, corrección
`;
const IS_LABEL = new RegExp(String.raw`^${oneOf(LABELS)}$`, 'iu');

/** Returns null if nobody speaks: `Checkout moved: it launches in May`, `Deadline: 3 May`. */
export function spokenLine(line: string): SpokenLine | null {
  const { speaker, said } = SPEAKER.exec(line)?.groups ?? {};
  if (speaker === undefined || said === undefined || IS_LABEL.test(speaker)) return null;
  return { speaker, said };
}
