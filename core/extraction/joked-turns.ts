/**
 * Finds changes that their speaker at once takes back as a joke: "I moved to Porto!", then "Just
 * kidding!". A joke is about the turn of the same speaker right before it, and about nothing older.
 */
import { oneOf } from '../text/pattern.ts';
import { correctionsIn, isCertainlyEndedBy, readClauses } from './correction.ts';
import { languagesOf, ownSentences, statementsOf, tellsOfMove } from './statement.ts';

/** Words before it, such as a laugh. */
const LEAD =
  `^(?:${oneOf(`
    ha(?:ha)*, he(?:he)*, lol, (?:no|nope|nah|nein)(?=[.!…—–-]|\\x2c| I | that ), oh, ok(?:ay)?,
    relax, well, hey, and, but, don['’]?t worry, quatsch, ach, sorry, keine Sorge, ja(?:ja)*,
    perdona, perdón, tranquil[oa], no te preocupes, bueno, y, pero, aber, und
  `)}` + String.raw`(?!\p{L})[\s,.!¡…–—-]*)*¡?`;
/** The end of a clause, after which the speaker may say what holds. */
const END = String.raw`(?=\s*(?:[.!…,;:–—)]|$))`;
/** What the joke was about; it must occur in the turn before. */
const ABOUT = '(?: (?:about|over|mit|über|sobre|(?:con )?lo de) (?<about>[^.,;!?]{2,40}))?';
const MERE = oneOf('just, only, all, totally, nur, bloß, doch, solo, sólo');
const OF_JOKE = '(?:ein |einen |kleiner? |kleinen )*(?:Scherz|Spaß|Witz)(?: gemacht)?';
const SAYINGS = oneOf(`
  (?:I['’]?m |I am |I was |we were )?(?:${MERE} )*(?:kidding|joking|messing with you|jk),
  I was (?:${MERE} )*pulling your leg, got you, gotcha, (?:just|only) a joke,
  (?:that|this|it)(?:['’]s| is| was) (?:${MERE} |obviously )*(?:a |my )(?:joke|prank),
  april fools?(?: day)?,
  (?:(?:das )?(?:war|ist) (?:natürlich |alles )?|ich mach(?:e|te) )?(?:${MERE} )*${OF_JOKE},
  (?:(?:eso )?(?:${MERE} )*(?:es|era|fue|ha sido) )?(?:${MERE} )*(?:una )?broma,
  (?:estaba |estoy )?bromeando, (?:${MERE} )*bromeaba, te estaba tomando el pelo
`);
const SURELY = '(?: (?:of course|obviously|everyone|natürlich|claro|haha))?';
const JOKE = new RegExp(`${LEAD}${SAYINGS}${SURELY}${ABOUT}${END}`, 'iu');

const JOKE_HAN = new RegExp(
  String.raw`^(?:[哈呵嘿]|(?:不是|没有)(?=[，,。])|好吧|别当真)*[，,。！!]?\s*我?(?:刚才|刚刚)?` +
    '(?:只是|就是|是)?在?(?:[跟和]你)?(?:开(?:个|了个)?玩笑|逗你玩?|骗你)(?:而已|罢了)?的?' +
    String.raw`[啦呢哦哈]?(?=\s*[，,。！!；;…]|$)`,
  'u',
);

/** A quick check of a whole turn: every saying has one of these. */
const MAY_JOKE =
  /kidding|joking|messing|jk|pulling|got|joke|prank|april|scherz|spaß|witz|brom|pelo|玩笑|逗你|骗你/iu;

/** What a comparison of neighboring turns needs of each. */
interface SaidTurn {
  readonly role: string;
  readonly speaker: string | null;
  readonly content: string;
}

/** A turn that says in jest that something has changed. */
interface JokedTurn {
  /** The sentences that are taken back. */
  readonly sentences: readonly string[];
  /** The place of the turn that takes them back. */
  readonly by: number;
}

/** Returns, by its place, each user's turn whose changes that user's next turn calls a joke. */
export function jokedTurns(turns: readonly SaidTurn[]): ReadonlyMap<number, JokedTurn> {
  const found = new Map<number, JokedTurn>();
  let before = -1;
  for (const [by, turn] of turns.entries()) {
    if (turn.role !== 'user' || turn.content.trim() === '') continue;
    const last = turns[before];
    const joked = before;
    before = by;
    if (last === undefined || last.speaker !== turn.speaker) continue;
    if (!MAY_JOKE.test(turn.content)) continue;
    if (!isJokeAbout(turn.content, last.content) || denies(turn.content, last.content)) continue;
    const sentences = changesIn(last.content);
    if (sentences.length > 0) found.set(joked, { sentences, by });
  }
  return found;
}

/** Whether one of the sentences contains the words, or is among them. */
export function isAmong(words: string, sentences: readonly string[]): boolean {
  return sentences.some((each) => each.includes(words) || words.includes(each));
}

function isJokeAbout(content: string, before: string): boolean {
  const [first = ''] = ownSentences(content);
  const second = ownSentences(content)[1] ?? '';
  // A laugh may be a sentence of its own: `Haha! Just kidding.`
  const said = /^\P{L}*(?:ha|he|lol|no|哈|嘿)+\P{L}*$/iu.test(first) ? second : first;
  if (/[?？]\s*$/u.test(said)) return false;
  const match = JOKE.exec(said);
  if (match === null) return JOKE_HAN.test(said);
  const about = match.groups?.['about'];
  if (about === undefined) return true;
  const words = about.toLowerCase().split(/\s+/u);
  return before.toLowerCase().includes(words.at(-1) ?? '');
}

/** Whether a turn says itself what did not happen, which ends it: `Kidding, I did not move`. */
function denies(content: string, before: string): boolean {
  if (statementsOf(content).some(({ negative }) => negative)) return true;
  const corrections = correctionsIn(ownSentences(content), languagesOf(content));
  return corrections.some((each) =>
    readClauses(ownSentences(before), each.language).some((clause) =>
      isCertainlyEndedBy(clause, each),
    ),
  );
}

/** Returns the sentences that may end something: changes, or else values that replace others. */
function changesIn(content: string): readonly string[] {
  const sentences = ownSentences(content);
  const languages = languagesOf(content);
  const changes = sentences.filter(
    (each) => tellsOfMove(each) || correctionsIn([each], languages).length > 0,
  );
  if (changes.length > 0) return changes;
  return sentences.filter((each) => statementsOf(each).some(({ single }) => single));
}
