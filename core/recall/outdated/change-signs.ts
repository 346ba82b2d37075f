/**
 * Finds signs of a change that a text mentions in passing, by words of English, German, Spanish and
 * Chinese: something holds from some time on, something has ended, or a text names one of several
 * values of which one holds at a time, such as `window` and `aisle`.
 */
import { HAN } from '../../text/language.ts';
import { ownSentences } from '../../extraction/statement.ts';
import { isQuestionQuoteOrJoke } from '../../extraction/passing-remarks.ts';
import { once } from '../../once.ts';
import { MONTHS, WEEKDAYS } from '../../text/calendar-words.ts';
import { anyWholeWord, oneOf } from '../../text/pattern.ts';
import { likelyTest } from '../../text/prefilter.ts';
import { isContentWord, plainWords } from '../../text/words.ts';
import { EXCLUSIVE_VALUES, EXCLUSIVE_PRODUCTS } from './exclusive-values.ts';
import { changedTopic, isSideWord, NO_TOPIC, type ChangedTopic } from '../words/topic-words.ts';

/** Each sign is computed on first use: most texts need few of them. */
export interface ChangeSigns {
  /** The text says that something holds from some time on. */
  readonly isTurn: () => boolean;
  /** The text asks for something, or says what its speaker likes. */
  readonly isWish: () => boolean;
  /** By clause that says that something has ended: the words that name it. */
  readonly over: () => readonly (readonly string[])[];
  /** The text says that something is booked or requested. */
  readonly isBooked: () => boolean;
  /** The text cancels something that it does not name: `I've cancelled there`. */
  readonly isCancelled: () => boolean;
  /** Values that exclude each other, each with its group. */
  readonly values: () => ReadonlyMap<string, string>;
  /** Those of them that the text only ends: `I no longer drink tea`. */
  readonly ended: () => ReadonlySet<string>;
  /** Products, each with its group. */
  readonly products: () => ReadonlyMap<string, string>;
  /** The text says that people use another product from now on. */
  readonly isSwitch: () => boolean;
  readonly words: () => readonly string[];
  /** All words except those values, sorted: equal for texts that differ only in a value. */
  readonly frame: () => string;
  /** The sentences that tell of a change, and which of their words name no topic. */
  readonly changed: () => ChangedTopic;
}

export const CHANGE_WORDS = new RegExp(
  anyWholeWord(`
    from (?:now|here|today|next \\w+|this \\w+) on, going forward, these days, nowadays, finally,
    at last, no longer, any ?more, instead, now, ever since, for good, switch\\w*,
    since (?:the|my|our|I|we|last|then|that|it|\\p{Lu}\\p{Ll}+),
    ab (?:jetzt|sofort|nun|heute), von nun an, künftig, in Zukunft, jetzt, nun, nur noch,
    nicht mehr, keine?[nrms]?(?: \\p{L}+)? mehr, stattdessen, umgestiegen, neuerdings, endlich,
    seitdem, seit (?:de[mr]|mein\\w*|letzte\\w*|ich|wir|\\p{Lu}\\p{Ll}+), mittlerweile, inzwischen,
    a partir de, de ahora en adelante, ahora, ya no, en vez de, en lugar de, al final, por fin,
    desde (?!siempre)(?:que|lo|el|la|mi|hace|\\p{L}{4}\\p{L}*), finalmente, últimamente
  `) + '|以后|之后|[从打自].{1,8}[起始]|终于|现在|如今|不再|改|换|只[喝吃用坐]|都.{1,8}了',
  'iu',
);

const testTurn = likelyTest(CHANGE_WORDS);

const WISH = new RegExp(
  anyWholeWord(`
    please, prefer\\w*, like, love, always, rather, (?:call|send|text|email) me, make it,
    bitte, lieber, gerne?, immer, bevorzug\\w+, mag, möchte, (?:nenn|schick\\w*|ruf) mir?(?:ch)?,
    prefiero, por favor, mejor, siempre, me gusta\\w*, quiero, (?:llám|mánd|escríb)[ae]me
  `) + '|请|喜欢|最好|都.{0,6}吧|给我|爱',
  'iu',
);

/** Plans that are called off: `the picnic is off`, unlike an oven. */
const PLANS = oneOf(`
  wedding, engagement, party, trip, holiday, vacation, dinner, lunch, brunch, meeting, call, date,
  game, match, concert, picnic, barbecue, launch, deal, plan, offsite, event, reunion, hike, visit,
  workshop, interview, appointment, move, course, class
`);

/** Matches words that say that the thing named in the same clause has ended. */
const OVER = new RegExp(
  anyWholeWord(`
    gone, dead, sold, stolen, cancell?ed, closed(?: down)?, shut down, discontinued, scrapped,
    history, fired, laid off, retire[ds], replaced, resigned, quit, died, passed away, left, axed,
    moved (?:out|away|abroad), stepped down, went (?:bust|under), dropped, ditched, dumped, miss,
    got rid of, gave up, (?:pulled|backed|bowed|fell) (?:out|through), called off, unsubscribed,
    handed in (?:my|his|her|our|their) notice, outgrown, outgrew, off the table, no longer,
    any ?more, instead of, rather than, goodbye to,
    (?<=\\b${PLANS} )(?:is|are)(?: now| all)? off(?=$|[.!]),
    weg, fort, verkauft, gestohlen, geklaut, gekündigt, geschlossen, dichtgemacht, pleite,
    eingestellt, abgeschafft, abgelöst, abgemeldet, entlassen, ausgezogen, weggezogen, gestorben,
    tot, in Rente, im Ruhestand, aufgehört, aufgegeben, ersetzt, ausgestiegen, getrennt, raus,
    abgesagt, abgesprungen, ausgefallen, versetzt, an den Nagel gehängt, gekippt,
    fällt (?:leider |doch |jetzt |nun )*aus(?=$|[.!]),
    findet (?:leider |doch |jetzt |nun )*nicht statt,
    Geschichte, statt, nicht mehr, keine?[nrms]? mehr, verabschiedet,
    se (?:fue|marchó|salió|ha ido|jubiló|ha jubilado|mudó|murió|acabó|retiró), murió, ha muerto,
    falleció,
    cerró, han? cerrado, cerraron, vend[ií], hemos vendido, he vendido, vendimos, robaron, dej[éóo],
    dejamos, he dejado, hemos dejado, quitamos, cancel(?:é|amos|aron), he cancelado, renunci[éó],
    despidieron, despedí, (?:di|dimos|dado) de baja, colg(?:ué|ó|amos), ya no(?: hay)?, en vez de,
    en lugar de, adiós a, abandon(?:é|amos), quebró,
    (?<!no )(?:se (?:ha |han )?cancel(?:ó|aron|ado)|est[áa]n? (?:cancelad|anulad|suspendid)[oa]s?)
  `) +
    '|离职了?|退休了?|走了|关门了?|倒闭了?|卖了|卖掉了?|被偷了?|去世了?|死了|换掉了?|不[用去干做吃喝]了|' +
    '停了|取消了?|辞了|辞职了?|扔了|送人了?|分手了?|搬走了?|关了|停产了?|解散了?|不在了|丢了|' +
    '退订了?|戒了|不碰|不再',
  'giu',
);

/** Matches words that do not name the thing that has ended. */
const BESIDE = new RegExp(
  anyWholeWord(`
    finally, just, already, now, as, well, too, also, so, is, are, was, were, has, have, had,
    been, got, the, my, our, we, i, they, it, and, but, that, all, us, in, on, at, of, to, for,
    from, with, last,
    this, week, month, year, weekend, spring, summer, autumn, fall, winter, company, team,
    firm, practice, clinic,
    job, since, by the way, sadly, finally, good, don, do, did, ve, s, t, after, ago, recently,
    \\p{L}+day, ${MONTHS.en}, ${MONTHS.de}, ${MONTHS.es}, ${WEEKDAYS.es},
    gestern, heute, endlich, jetzt, nun, ist, sind, hat, haben, habe, wurde, der, die, das,
    den, dem, mein\\w*, unser\\w*, ich, wir, letzte\\w*, woche, monat, jahr, im, am, seit, firma,
    team, aus, und, ja, leider, übrigens, schon, sich, es, zum, zur, von, in, frühling, sommer,
    herbst,
    el, la, los, las, mi, mis, nuestr[oa]s?, nos, me, se, ha, han, he, hemos, ya, por, fin,
    pasad[oa], mes, semana, año, ayer, hoy, negocio, piso, empresa, equipo, casa, del?, en, y,
    desde, a, que, ahora,
    al, final
  `) +
    '|上个?[周月]|去年|[一二三四五六七八九十]+月|终于|已经|我们?|公司|家|的|把|被|刚|最近|也|都|了',
  'giu',
);

const BOOKED = new RegExp(
  anyWholeWord(`
    booked, booking, reserved, reservation, ordered, signed up, angefragt, gebucht, reserviert,
    bestellt, angemeldet, Buchung, Reservierung, reserv\\p{L}+, pedid[oa], apuntad[oa]
  `) + '|订了|预订|预约|订的|报了名',
  'iu',
);
const CANCELLED = new RegExp(
  anyWholeWord(`
    (?:I|we|they)(?:['’]ve| have)? cancell?ed (?:there|it|that|those|them),
    (?:dort|da|das|es|die) (?:wieder )?(?:storniert|abgesagt|abbestellt),
    l[oa]s? (?:he|hemos|han) cancelado, l[oa]s? cancel(?:é|amos|aron)
  `) + '|(?:那边|那个|那家|都)(?:退|取消)了',
  'iu',
);

const SWITCHED = oneOf('switched, moved, migrated, changed, upgraded, downgraded');
const SWITCHED_DE = oneOf(`
  umgestiegen, gewechselt, migriert, umgestellt, (?:hoch|herab|herunter)gestuft, geupgradet
`);
/** Says that its speaker uses another product from now on. */
const SWITCH = new RegExp(
  anyWholeWord(`
    (?:I|we)(?:['’]ve| have| just| finally| all)* ${SWITCHED}(?: over)? to,
    (?:ich|wir) (?:bin|sind|haben?) .*${SWITCHED_DE},
    nos (?:hemos )?(?:pasado|pasamos|cambiamos|cambiado|mudamos) al?,
    me (?:he )?(?:pasado|pasé|cambié|cambiado) al?, migramos al?, hemos migrado al?,
    (?:cambi|baj|sub)(?:é|amos|imos|í) al,
    (?:he actualizado|hemos actualizado|actualicé|actualizamos) al?
  `) + '|我们?(?:都|已经|最近|终于)*(?:换成|换到|改用|迁移?到|转用|换了|[升降]级?[到成为])',
  'iu',
);

/** A comma within a number ends nothing; whoever writes no capitals ends sentences by a period. */
const CLAUSE_END = new RegExp(
  String.raw`[,:](?!\d)|[;，；。！–—()]|[.!?](?=\s\p{Ll})|` +
    String.raw`\s(?:and|so|but|because|und|also|aber|y|así que|pero|porque)\s`,
  'u',
);
/** Why or when: `over the price`, `wegen der Kosten`. */
const REASON = new RegExp(
  String.raw`\s(?:because of|due to|over|after|since|wegen|aus Kostengründen|nach|seit|por|tras)` +
    String.raw`\s.{1,60}$`,
  'iu',
);
const QUOTES = /["“”„«»「」]/u;
/** A clause with more words is about something else too. */
const OVER_WORDS_MAX = 4;
const CLAUSES_MAX = 16;
/** Longer texts tell more than one thing. */
const UNITS_MAX = 300;

const NOTHING: ChangeSigns = {
  isTurn: () => false,
  isWish: () => false,
  over: () => [],
  isBooked: () => false,
  isCancelled: () => false,
  values: () => new Map(),
  ended: () => new Set(),
  products: () => new Map(),
  isSwitch: () => false,
  words: () => [],
  frame: () => '',
  changed: () => NO_TOPIC,
};

export function changeSigns(text: string): ChangeSigns {
  if (text.length > UNITS_MAX) return NOTHING;
  const over = once(() => (mayBeOver(text) ? ownSentences(text).flatMap(overIn) : []));
  const values = once(() => GROUPED_VALUES.in(text));
  return {
    isTurn: once(() => testTurn(text)),
    isWish: once(() => WISH.test(text)),
    over,
    isBooked: once(() => BOOKED.test(text)),
    isCancelled: once(() => CANCELLED.test(text)),
    values,
    ended: once(() => endedValues(values(), over())),
    products: once(() => GROUPED_PRODUCTS.in(text)),
    isSwitch: once(() => SWITCH.test(text)),
    words: once(() => plainWords(text).filter(isContentWord)),
    frame: once(() => frameOf(text)),
    changed: once(() => changedTopic(text)),
  };
}

/** Another value of the same group may replace the one that has ended: `tea instead of coffee`. */
function endedValues(
  values: ReadonlyMap<string, string>,
  over: readonly (readonly string[])[],
): ReadonlySet<string> {
  const named = over.flatMap((words) => [...GROUPED_VALUES.in(words.join(' ')).keys()]);
  const isAlone = (value: string): boolean =>
    [...values.values()].filter((group) => group === values.get(value)).length === 1;
  return new Set(named.filter(isAlone));
}

/** A fast check before a text is split into sentences. Leaving out code can form new phrases. */
function mayBeOver(text: string): boolean {
  return text.includes('`') || text.search(OVER) >= 0;
}

function overIn(sentence: string): readonly (readonly string[])[] {
  if (isQuestionQuoteOrJoke(sentence) || QUOTES.test(sentence)) return [];
  return splitIntoClauses(sentence).flatMap((clause) => {
    const said = clause.replace(REASON, ' ');
    const others = said.replace(OVER, ' ');
    if (others === said) return [];
    const words = plainWords(others.replace(BESIDE, ' '));
    return words.every(isSideWord) || words.length > OVER_WORDS_MAX ? [] : [words];
  });
}

/** Returns the clauses of a sentence, 16 at most. */
export function splitIntoClauses(sentence: string): readonly string[] {
  return sentence.split(CLAUSE_END).slice(0, CLAUSES_MAX);
}

/** Finds the values of groups in a text. */
interface GroupedValues {
  readonly pattern: RegExp;
  /** Returns the values, each with its group. */
  readonly in: (text: string) => ReadonlyMap<string, string>;
}

/** The ends of a word, which may stand between Chinese characters: `用Slack沟通`. */
const BEFORE = String.raw`(?<!(?!\p{Script=Han})[\p{L}\p{N}])`;
const BEHIND = String.raw`(?!(?!\p{Script=Han})[\p{L}\p{N}])`;

function groupedValues(groups: readonly (readonly string[])[]): GroupedValues {
  const entries = groups.flatMap((values, group) =>
    values.flatMap((words, value) =>
      words
        .split(',')
        .map(
          (word) => [word.trim(), [String(group), `${String(group)}:${String(value)}`]] as const,
        ),
    ),
  );
  const known = new Map(entries);
  const [han, spaced] = [true, false].map((isHan) =>
    [...known.keys()]
      .filter((word) => HAN.test(word) === isHan)
      .toSorted((a, b) => b.length - a.length)
      .join(','),
  );
  const pattern = new RegExp(`${BEFORE}${oneOf(spaced ?? '')}${BEHIND}|${oneOf(han ?? '')}`, 'giu');
  const valuesIn = (text: string): ReadonlyMap<string, string> => {
    const found = new Map<string, string>();
    for (const [word] of text.matchAll(pattern)) {
      const [group, value] = known.get(word.toLowerCase()) ?? [];
      if (group !== undefined && value !== undefined) found.set(value, group);
    }
    return found;
  };
  return { pattern, in: valuesIn };
}

const GROUPED_VALUES = groupedValues(EXCLUSIVE_VALUES);
const GROUPED_PRODUCTS = groupedValues(EXCLUSIVE_PRODUCTS);

function frameOf(text: string): string {
  return plainWords(text.replace(GROUPED_VALUES.pattern, ' ')).toSorted().join(' ');
}
