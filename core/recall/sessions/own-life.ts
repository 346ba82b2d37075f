/**
 * Recognizes an assistant that is a person. Chats between two people are stored with one of them
 * in the role `assistant`; what that one tells of his own life counts like a user's words. An
 * assistant that is a program rarely speaks so: in 2 % of its turns, in drafts and in role play.
 */
import { anyOf, oneOf } from '../../text/pattern.ts';

/** What is read of a passage, in UTF-16 code units. */
const UNITS_MAX = 600;

/** What a program says of its own answers. */
const OWN_ANSWERS = {
  of: oneOf(`
    best(?!\\p{L}), advice, suggest, recommend, answer, guess, repl(?:y|ies), apolog, bad(?!\\p{L}),
    mistake, opinion, pleasure, view, take(?!\\p{L}), summary, list(?!\\p{L}), previous,
    last (?:message|answer|reply|note), earlier, point, understanding, knowledge, response,
    training, memory, honest, side, end(?!\\p{L}), notes?(?!\\p{L}), draft, vote, favou?rite,
    friend(?!\\p{L})
  `),
  verb: oneOf(`
    mention, suggest, recommend, list, add(?:ed)?(?!\\p{L}), draft, noted, flag, attach, includ,
    assum, kept, remov, chang, correct, updat, record, wrote, said, made, put, meant, need
  `),
  doing: oneOf(`
    going to(?!\\p{L}), looking, assuming, afraid, wondering, guessing, hoping, suggesting, talking,
    leaving, using, keeping, asking, thinking, missing, reading (?:it|this|that), treating, adding,
    counting
  `),
};

const TELLS = anyOf(
  String.raw`(?<![\p{L}'’])my (?!${OWN_ANSWERS.of})\p{L}`,
  String.raw`(?<![\p{L}'’])(?:I|we) (?!${OWN_ANSWERS.verb})` +
    String.raw`(?:(?:just|also|even|almost|finally|actually|never|only|both) )?` +
    String.raw`(?:\p{L}{2,}ed|went|took|got|gave|bought|had|was|were|saw|met|ate|drove|lost|` +
    String.raw`left|came|slept|woke|ran|grew|sold|won|spent|built|brought|fell|began|taught|` +
    String.raw`paid|quit)\b`,
  String.raw`(?<![\p{L}'’])I['’]ve been\b`,
  String.raw`(?<![\p{L}'’])I['’]m (?!${OWN_ANSWERS.doing})\p{L}+ing\b`,
  String.raw`(?<!\p{L})mein(?:e[mnrs]?)? (?!Vorschl|Rat\b|Empfehl|Tipp|Fehler|Antwort|Meinung|` +
    String.raw`Entwurf|Notiz|Liste|Eindruck)\p{L}`,
  String.raw`(?<!\p{L})(?:ich|wir) (?:war(?:en)?|hatten?|ging(?:en)?|kam(?:en)?|fuhr(?:en)?|` +
    String.raw`wollten?|mussten?)(?!\p{L})`,
  String.raw`(?<!\p{L})(?:war|hatte|habe?) (?:ich|wir) ` +
    String.raw`(?:gestern|heute|neulich|mir|mich|auch|schon)`,
  String.raw`(?<!\p{L})mis? (?!sugeren|consejo|recomend|respuest|opini|lista|propuest|error|` +
    String.raw`borrador|nota)\p{L}`,
  String.raw`(?<!\p{L})(?:yo|ya|me|nos) ` +
    String.raw`(?:\p{L}+(?:é|amos|imos)|fui|dio|dieron|tocó|regal\p{L}+)(?!\p{L})`,
  '我(?:妈|爸|老公|老婆|先生|太太|家(?!长)|女儿|儿子|姐|哥|弟|妹|同事|室友|去了|买了|昨天|今天|' +
    '上周|上个月|前天|小时候|以前|刚从|那个|自己(?!的)|搬|结婚|辞)',
);

/** Whether a passage tells something of its speaker's own life. */
export function tellsOwnLife(text: string): boolean {
  return TELLS.test(text.slice(0, UNITS_MAX));
}

/** The turns of an assistant, and how many of them tell of an own life. */
export interface AssistantTurns {
  readonly turns: number;
  readonly ofOwnLife: number;
}

/** From this share of the assistant's turns on, the assistant is a person. */
const PERSON_SHARE = 0.15;
/** Turns with the usual share of a program that each share is smoothed with. */
const USUAL = { turns: 20, share: 0.05 };
/** How many turns of the session's own the share of all sessions counts for. */
const ALL_TURNS = 16;

/**
 * Returns, by session, whether its assistant is a person. One user may talk with a program in one
 * app and with a friend in another, so each session counts, beside all of them together.
 */
export function assistantsWhoArePeople(sessions: readonly AssistantTurns[]): readonly boolean[] {
  const all = sessions.reduce(
    (sum, each) => ({
      turns: sum.turns + each.turns,
      ofOwnLife: sum.ofOwnLife + each.ofOwnLife,
    }),
    { turns: USUAL.turns, ofOwnLife: USUAL.turns * USUAL.share },
  );
  const share = all.ofOwnLife / all.turns;
  return sessions.map(
    ({ turns, ofOwnLife }) =>
      turns > 0 && (ofOwnLife + ALL_TURNS * share) / (turns + ALL_TURNS) >= PERSON_SHARE,
  );
}
