/** Writes the label in front of what somebody says, such as `Ben: `, and reads it again. */
import { oneLine } from './lines.ts';
import { oneOf } from './pattern.ts';
import { SURNAMES } from './chinese-surnames.ts';

/** The role with which the flush of a session begins a line of a file. */
export const LINE_ROLE = /^(?<role>user|assistant|tool|system): /u;

interface LabeledLine {
  readonly speaker: string;
  readonly said: string;
}

/** Words of a name, as in `Professor C` and `Baroness Jones of Whitchurch`. */
const NAME = String.raw`\p{Lu}[\p{L}\p{M}\p{N}.'_-]*`;
const PARTICLES = String.raw`\p{N}+, of, de, da, di, du, la, le, del, van, von, der, den, bin, al`;
/** What a call adds to a name, as in `Ben (Sales)`. */
const ADDED = String.raw` \([^():\n]{1,40}\)`;
const SPEAKER = new RegExp(
  String.raw`^(?<speaker>(?<name>${NAME}(?: (?:${NAME}|${oneOf(PARTICLES)})){0,5})(?:${ADDED})?)` +
    String.raw`:\s+(?<said>\S.*)$`,
  'u',
);
/** Any other name stands in quotes: `“ben”: I moved.` */
const QUOTED_SPEAKER = /^“(?<speaker>[^“”\n]{1,256})”:\s+(?<said>\S.*)$/su;
/** Labels of notes, which name no speaker. */
const NOTE_LABELS = String.raw`
  actions?(?: items?)?, agreements?, assumptions?, budgets?, corrections?, costs?, dates?,
  deadlines?, decided,
  decisions?, due, facts?, goals?, important, issues?, lessons?(?: learned)?, next(?: steps?)?,
  notes?, outcomes?, owners?, plans?, polic(?:y|ies), preferences?, priorit(?:y|ies), problems?,
  reminders?, requirements?, results?, risks?, rules?, status, summary, tasks?, to-?dos?, updates?,
  warnings?, achtung, aufgaben?, aviso, beschl(?:uss|üsse), decisi(?:ón|ones), entscheidung(?:en)?,
  ergebnis(?:se)?, fecha, frist, hinweise?, importante, info, notas?, notiz(?:en)?, ojo, pd, plazo,
  ps, recordatorio, resultados?, tareas?, termin, übrigens, wichtig, (?:small |quick )?changes?,
  (?:kleine )?(?:plan)?änderung(?:en)?, korrektur, (?:pequeño )?cambios?, corrección
`;
const IS_NOTE_LABEL = new RegExp(String.raw`^${oneOf(NOTE_LABELS)}$`, 'iu');
/** Labels of notes in Chinese, whose names have no capital letters. */
export const HAN_NOTE_LABELS =
  '截止, 日期, 时间, 地点, 决定, 结论, 状态, 备注, 注意, 任务, 风险, 问题, 预算, 目标, 计划, 总结';
/** Words that begin with a surname, but are no names. */
const HAN_WORDS =
  '余额, 方案, 方法, 钱包, 高度, 马上, 于是, 顾客, 万一, 毛利, 白天, 路线, 石油, 黄金';
const HAN_SPEAKER = new RegExp(
  String.raw`^(?!${oneOf(`${HAN_NOTE_LABELS}, ${HAN_WORDS}`)})` +
    String.raw`(?<speaker>[${SURNAMES}]\p{Script=Han}{1,2})[:：]\s*(?<said>\S.*)$`,
  'u',
);
/** Roles of a chat, which name nobody. */
const ROLE = /^(?:user|human|assistant|ai|agent|model|bot|tool|system|developer|function)$/u;

/**
 * Returns the label of a speaker, whose name is in quotes if a reader could not tell it from the
 * label of a note, such as `note: `; empty for an empty name.
 */
export function speakerLabel(speaker: string): string {
  const name = oneLine(speaker).replaceAll(/[“”]/gu, '"');
  if (name === '') return '';
  const plain = `${name}: `;
  return ROLE.test(name) || labeledLine(`${plain}…`)?.speaker === name ? plain : `“${name}”: `;
}

/** Returns a text without the label of a speaker at its beginning. */
export function withoutSpeakerLabel(text: string, speaker: string): string {
  const label = speakerLabel(speaker);
  return text.startsWith(label) ? text.slice(label.length) : text;
}

/**
 * Returns the speaker of a line and what is said; null if nobody speaks:
 * `Checkout moved: it launches in May`, `Deadline: 3 May`.
 */
export function labeledLine(line: string): LabeledLine | null {
  const { speaker, name, said } =
    (SPEAKER.exec(line) ?? QUOTED_SPEAKER.exec(line) ?? HAN_SPEAKER.exec(line))?.groups ?? {};
  if (speaker === undefined || said === undefined) return null;
  return name !== undefined && IS_NOTE_LABEL.test(name) ? null : { speaker, said };
}
