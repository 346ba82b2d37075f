/**
 * Detects sentences that depend on the one before, without which their subject is unknown. Their
 * beginning shows it: a pronoun, a repetition, an answer or an ellipsis.
 */
import { oneOf } from './pattern.ts';

/** Words that join a sentence to the one before; pronouns and answers are listed below. */
const ENGLISH = String.raw`
  this, that, these, those, also, again, still, then, so, therefore, thus, hence, but, and, or,
  nor, however, otherwise, instead, nevertheless, besides, moreover, meanwhile, because, correct,
  exactly, yes, no, nope, yep, the other, after that, since then, for that reason, as a result
`;
const GERMAN = String.raw`
  dies, das, diese, dieses, derselbe, dieselbe, dasselbe, aber, und, oder, auch, deshalb, daher,
  darum, dagegen, trotzdem, genau, stimmt, ja, nein, dann, außerdem
`;
const SPANISH = String.raw`
  ello, esto, eso, igual, también, pero, y, o, además, entonces, por eso, sin embargo, sí, exacto
`;
const HAN =
  '它, 他, 她, 这, 那, 其, 此, 同样, 也, 但, 不过, 而且, 所以, 因此, 另外, 已确认, 确认, 同意, 对, 是的, 不是';
const OPENS = new RegExp(
  String.raw`^[\s"'“«(*_-]*${oneOf([ENGLISH, GERMAN, SPANISH].join(','))}(?![\p{L}\p{N}'’])`,
  'iu',
);
const OPENS_HAN = new RegExp(String.raw`^[\s"“「]*${oneOf(HAN)}`, 'u');
/** `Das Haus`: the noun follows the word, which then points to no other sentence. */
const HAS_NOUN = /^\P{L}*(?:Das|Diese[rs]?)\s+\p{Lu}/u;

/** Whether a sentence depends on the one before. */
export function dependsOnPrevious(sentence: string): boolean {
  if (HAS_NOUN.test(sentence)) return false;
  return OPENS.test(sentence) || OPENS_HAN.test(sentence) || cannotStandAlone(sentence);
}

const ANSWERS = String.raw`
  confirmed, agreed, approved, rejected, denied, done, likewise, ditto, same here, same for,
  the same, the latter, the former, not yet, as before, as above, bestätigt, ebenso, genau so,
  confirmado, aprobado, lo mismo
`;
const ANSWER = new RegExp(String.raw`^[\s"'“«(*_-]*${oneOf(ANSWERS)}(?![\p{L}\p{N}'’])`, 'iu');

/** Whether a sentence answers the one before: `Confirmed again on Friday.` */
export function isAnswer(sentence: string): boolean {
  return ANSWER.test(sentence);
}

/** Words for somebody or something that the sentence before names. */
const POINTERS = String.raw`
  it, its, it's, he, she, they, his, her, their, both, neither, either, one of (?:them|these|those),
  (?:the|an)other (?:one|two|three), the (?:first|second|third|last) one, the others, so did,
  so does, er, sie, es, dieser, ihr, ihre, sein, seine, beide, él, ella, ellos, ellas, ambos, ambas
`;
/** `Cancelled by the board.`: the sentence before says what was cancelled. */
const HAPPENED = String.raw`
  cancell?ed, postponed, moved, delayed, pushed, shipped, fixed, merged, reverted, signed, declined,
  dropped, closed, reopened, approved, rejected, decided, only, until, exactly, correct, too \p{L}+,
  abgesagt, verschoben, genehmigt, abgelehnt, cancelado, aplazado, rechazado
`;
const AFTER_IT = 'by, to, for, from, on, in, at, as, until, again, von, auf, bis, por, para, hasta';
const FOLLOWS = String.raw`(?=\s+${oneOf(AFTER_IT)}(?!\p{L})|\s*[.,;:!])`;
const ALONE = new RegExp(
  String.raw`^[\s"'“«(*_-]*(?:${oneOf(POINTERS)}(?![\p{L}\p{N}'’])|${oneOf(HAPPENED)}${FOLLOWS})`,
  'iu',
);
/** `Priya approved it on Monday.`: the few words before `it` name nothing that it may mean. */
const BEHIND_IT =
  'on, in, at, by, for, with, again, too, twice, already, yesterday, today, last, this';
const POINTS = new RegExp(
  String.raw`^\P{L}*(?:[\p{L}'’]+ ){2,3}(?:it|this|that|them|so|there)` +
    String.raw`(?= ${oneOf(BEHIND_IT)}(?!\p{L})|[.!;,])`,
  'iu',
);

/** `There it costs 40 euros.`: the sentence before names the place; `There is a gym` needs none. */
const THERE = new RegExp(
  String.raw`^[\s"'“«(*_-]*(?:` +
    String.raw`there(?:,| (?:it|he|she|they|we|you|I|the|a|an|each|every(?:one|body)?|` +
    String.raw`everything)\b)|` +
    String.raw`dort(?:hin)?\s+\p{L}|(?:allí|ahí|allá),?\s+\p{L})|` +
    String.raw`^\s*(?:那里|那儿|那边|当地)`,
  'iu',
);
/** `The reason was the rent.`: the sentence before says what the reason is for. */
const REASONS = String.raw`
  here(?: is|['’]s) (?:why|how), that['’]s (?:why|how), the reason(?: (?:is|was)|:),
  hier (?:ist|steht)\W+(?:warum|wieso|weshalb), der grund(?: (?:ist|war|dafür)|:),
  (?:aquí|he aquí)(?: está)? (?:por qué|el motivo|la razón), (?:el motivo|la razón) (?:es|fue|era)
`;
const REASON = new RegExp(
  String.raw`^[\s"'“«(*_-]*${oneOf(REASONS)}(?!\p{L})|^\s*(?:原因|理由)(?:如下|是|在于|[:：])`,
  'iu',
);
/** `Until Friday, it stays closed.`: after a time or a place, the subject is a pronoun. */
const TIMED = String.raw`
  until, till, by, from, since, before, after, on, in, at, bis, ab, seit, vor, nach, hasta, desde,
  antes de, después de
`;
const SUBJECTS = String.raw`
  it, its, he, she, they, his, her, their, this, these, both, er, sie, es, dies, ihr, ihre, beide,
  él, ella, ellos, ellas, eso, esto, ambos, ambas
`;
const TIMED_SUBJECT = new RegExp(
  String.raw`^[\s"'“«(*_-]*${oneOf(TIMED)} [^,.;:]{2,30}(?:, ${oneOf(SUBJECTS)}(?![\p{L}'’-])|` +
    String.raw`(?<=^\P{L}*(?:Bis|Ab|Seit|Vor|Nach) .*) \p{Ll}+ (?:er|sie|es|dies)(?!\p{L}))|` +
    String.raw`^\s*(?:直?到|在)[^，。]{1,10}(?:之?前|为止|之?后)?，(?:它|他|她|这|那|其)`,
  'iu',
);
const UNTIL_THEN = String.raw`
  until then, till then, by then, from then on, before that, bis dahin, ab da, davor, danach,
  hasta entonces, desde entonces, antes de eso, después de eso, 在那之前, 在此之前, 到那时, 之后
`;
const THEN = new RegExp(String.raw`^[\s"'“«(*_-]*${oneOf(UNTIL_THEN)}(?!\p{Ll})`, 'iu');

const NOT_ALONE = [ALONE, POINTS, ANSWER, THERE, REASON, TIMED_SUBJECT, THEN];

/** Whether a sentence cannot be understood without the one before. */
export function cannotStandAlone(sentence: string): boolean {
  if (HAS_NOUN.test(sentence)) return false;
  return NOT_ALONE.some((pattern) => pattern.test(sentence));
}
