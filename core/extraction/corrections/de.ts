/** How people say in German that something no longer holds. */
import { anyWholeWord, oneOf } from '../../text/pattern.ts';
import { byWord, wordSet } from '../../text/word-lists.ts';
import { correctionMaker, RULE_OPTIONS, type CorrectionBook } from '../correction-book.ts';
import { IN_PASSING } from './medicines-and-events.ts';

const NAME = String.raw`\p{Lu}\p{Ll}[\p{L}-]+`;
const POSSESS = anyWholeWord(String.raw`
  habe, haben, hat, besitz\p{L}*, fahr\p{L}*, fährt, (?:mein|unser)\p{L}* \p{L}+ (?:ist|heißt)
`);
/** Says that somebody does or uses something regularly. */
const HABIT = anyWholeWord(String.raw`
  arbeit\p{L}*, studier\p{L}*, lern\p{L}*, spiel\p{L}*, rauch\p{L}*, trink\p{L}*, ess\p{L}*, isst,
  nehme, nimmt, mache, macht, trainier\p{L}*, gehe, geht, Mitglied, lese, bin, sind, ist, bei, mit,
  nutz\p{L}*, benutz\p{L}*, verwend\p{L}*, unterricht\p{L}*, sing\p{L}*, besuch\p{L}*, läuft,
  laufen, fahr\p{L}*, kauf\p{L}*, bestell\p{L}*, planen?, habe, haben, hat
`);
const COUPLE = anyWholeWord(`
  Freund, Freundin, Partner, Partnerin, Mann, Frau, zusammen, verheiratet, verlobt
`);
const KIN = `
  Bruder, Schwester, Mutter, Vater, Eltern, Sohn, Tochter, Kinder, Kind, Frau, Mann, Partner,
  Partnerin, Freund, Freundin, Kollege, Kollegin, Cousin, Cousine, Tante, Onkel, Oma, Opa
`;
/** Names somebody who does something for the speaker, such as a boss or a doctor. */
const SERVES =
  String.raw`^(?:mein|unser)e? (?!${oneOf(KIN)})\p{L}+ (?:ist|heißt)|` +
  `ist (?:mein|unser)e? (?!${oneOf(KIN)})`;
/** Says that somebody works toward something or waits for it. */
const PURSUIT = anyWholeWord(
  'lern\\p{L}* für, suche, suchen, warte auf, Warteliste, lese, schreibe, bereite',
);
const MANY = 'Hund, Katze, Freund, Kolleg, Projekt, Kunde, Buch, Idee, Nachbar';
const DETERMINER = oneOf('[Dd]er, [Dd]ie, [Dd]as, [Dd]en, [Mm]eine?n?, [Uu]nsere?n?');

/** A day, as the older sentence gives it. */
const DATED = String.raw`^(?=.*(?:\d|\p{Lu}\p{Ll}+tag(?!\p{L})|Mittwoch)).*?`;
/** How people say with whom an appointment is, as group `who`: `Friseurtermin`. */
const APPOINTMENTS = [
  String.raw`(?<!\p{L})(?<who>\p{Lu}\p{L}+?)-?[Tt]ermin(?!\p{L})`,
  String.raw`(?<!\p{L})Termin (?:beim|(?:bei|mit) (?:de[mr]|meine[mr]|unsere[mr])) ` +
    String.raw`(?<who>\p{Lu}\p{L}+)`,
];
/** Words of what is still to come. */
const PLANNED = 'werden?, wird, will, wollen, muss, müssen, soll, möchte, kommt';
const A_DAY =
  String.raw`auf (?:de[nr] |nächste\p{Ll}* )*` +
  String.raw`(?<value>\d{1,2}\.|\p{Lu}\p{Ll}+tag|Mittwoch)`;

const { pattern, gone, state, stateOf } = correctionMaker({
  NAME,
  WHO:
    String.raw`(?:${oneOf('[Ii]ch, [Ww]ir, [Dd]er Nutzer, [Dd]ie Nutzerin')} ` +
    String.raw`${oneOf('habe, haben, hat, bin, sind, ist')}|(?:[Hh]aben?|[Bb]in|[Ss]ind) ` +
    String.raw`(?:ich|wir)|(?<who>(?:${oneOf('[Mm]eine?, [Uu]nsere?')} )?${NAME}) (?:hat|ist))\s`,
  FILL: String.raw`(?:(?:\p{Ll}+|letzte\p{Ll}* \p{L}+|[ai]m \p{Lu}\p{L}+)\s){0,3}?`,
  GONE: String.raw`(?:(?:mein|unser|d)\p{Ll}*\s)?(?<gone>[\p{L}\p{N}][^.,;:!?]{1,40}?)`,
  REST: String.raw`(?<gone>[\p{L}\p{N}][^.,;:!?]{1,30}?)(?=[.,;:!?]|$)`,
  THE: `${oneOf('Den, Die, Das, Unseren?, Meinen?, Unsere, Meine')} `,
  LEAVES: oneOf(`
    dichtgemacht, zugemacht, geschlossen, aufgehört, gekündigt, in Rente(?: gegangen)?,
    in den Ruhestand gegangen, weggezogen, ausgewandert, verstorben
  `),
  ITS: String.raw`${DETERMINER}\s`,
  THING: String.raw`(?<thing>[\p{L}-]+)`,
  TO:
    String.raw`(?:\s\p{Ll}+)?(?:\svo[nm]\s.{1,20}?)?\s(?:auf|bis|in|nach|zu[mr]?)\s` +
    String.raw`(?<value>(?:[^.,;:!?]|(?<=\d)[.,:]){1,40}?)\s`,
  /** A new day or time, to which something is moved. */
  DAY:
    String.raw`auf\s(?:de[nr]\s|die\s|das\s|nächste\p{Ll}*\s)*(?<when>` +
    String.raw`(?:${oneOf('Mon, Diens, Donners, Frei, Sams, Sonn')}tag|Mittwoch|Sonnabend|` +
    String.raw`\d{1,2}\.\s?(?:\d{1,2}\.?|\p{Lu}\p{Ll}+)|\d{1,2}(?:[:.]\d\d)?\sUhr)` +
    String.raw`[^.,;:!?]{0,20})`,
  /** Words up to the new day; who looks forward to a day moves nothing. */
  MOVES:
    String.raw`(?!\p{Ll}*(?:freu|wart|hoff|bereit|spar|tipp|dauer))\p{Ll}+\s` +
    String.raw`(?:(?!${oneOf('sich, uns, mich, nicht, nie, bis')}\s)\p{Ll}+\s){0,3}?`,
  /** What is moved to another day. */
  IT: oneOf('[Dd]en Termin, meinen Termin, unseren Termin, ihn, mich, uns'),
  FRIEND: '(?<who>Freund|Freundin|Partner|Partnerin)',
  DONE: oneOf(`
    gesenkt, gekürzt, erhöht, angehoben, reduziert, verschoben, verlegt, verlängert, vorgezogen,
    geändert, gestiegen, gefallen, gesunken, gewachsen, geschrumpft, aufgestockt, umgestellt,
    aktualisiert, umgezogen, gedrückt, gesetzt
  `),
  ENDED: oneOf(`
    aufgegeben, abgebrochen, gekündigt, geschmissen, abgesetzt, an den Nagel gehängt, aufgelöst,
    niedergelegt, abgesagt, beendet, geschlossen
  `),
  LEFT: oneOf('gekündigt, aufgehört, ausgeschieden, ausgestiegen, ausgetreten'),
  SOLD: oneOf('verkauft, weggegeben, verschenkt, abgegeben, verloren'),
});

export const DE_CORRECTIONS: CorrectionBook = {
  gone: [
    gone(String.raw`{WHO}{FILL}(?:bei|mit|aus) (?:de[mr] )?{GONE}\s{FILL}{LEFT}`, HABIT),
    gone(
      String.raw`^(?:Aus|Bei) (?:de[mr] )?(?<gone>[\p{L}\p{N}-]+) (?:bin|habe) ich {FILL}{LEFT}`,
      HABIT,
    ),
    gone(String.raw`{WHO}{FILL}{GONE}\s{FILL}{ENDED}`, HABIT),
    gone(String.raw`{WHO}{FILL}{GONE}\s{FILL}{SOLD}`, POSSESS),
    gone(
      String.raw`^{ITS}(?<gone>[\p{L}\p{N}][^.,;:!?]{1,40}?)\s(?:habe ich|haben wir)\s{FILL}` +
        '(?:{ENDED}|{SOLD})',
      `${POSSESS}|${HABIT}`,
    ),
    gone(
      String.raw`{ITS}(?<gone>[\p{L}-]+) (?:ist|wurde)\s(?:.{0,20}\s)?` +
        oneOf('gestorben, eingeschläfert, verkauft, gestohlen, weggelaufen, weg'),
      POSSESS,
    ),
    gone('{WHO}{FILL}von (?:der |dem )?{GONE} (?:auf|zu[mr]?|nach)\\s', HABIT),
    gone(
      String.raw`{WHO}{FILL}{GONE} (?:durch|gegen)\s[^.,;:!?]+\s(?:ersetzt|(?:aus|ge)tauscht)`,
      HABIT,
    ),
    gone(
      String.raw`[Ss]tatt (?<gone>[\p{L}\p{N}-]+) (?:ist|macht|leitet)`,
      '',
      RULE_OPTIONS.replaced,
    ),
    gone(
      String.raw`\s(?:statt|anstatt|anstelle von|und nicht|, nicht)\s` +
        String.raw`(?:${oneOf('am, im, in, um, als, die, der, das')}\s)*{REST}`,
      '',
      RULE_OPTIONS.replaced,
    ),
    gone(
      String.raw`^(?:[Vv]ergiss|[Vv]ergesst|[Ss]treich)\s(?:d\p{Ll}+ )?{REST}`,
      '',
      RULE_OPTIONS.replaced,
    ),
    gone(
      String.raw`^{THE}(?<gone>[\p{L}\p{N}-]+) (?:hat|fährt|nutzt|bekommt|gehört) ` +
        String.raw`(?:jetzt|nun|inzwischen) (?:mein|unser|die|der|dem|einem|{NAME})`,
      POSSESS,
    ),
    gone(
      String.raw`(?:^|[,;]\s|[Ss]eit )(?<gone>(?:Dr\. )?{NAME}) (?:hat|ist)\s` +
        String.raw`(?:.{1,30}\s)?{LEAVES}`,
      SERVES,
      RULE_OPTIONS.anybody,
    ),
    gone(
      String.raw`(?:^|[,;]\s|[Ss]eit )(?:mein\p{Ll}* )?(?<gone>{NAME}) (?:ist )?` +
        '(?:gestorben|tot ist|weggelaufen)',
      POSSESS,
    ),
    gone(
      String.raw`{WHO}{FILL}{GONE}\s(?:bestanden|geschafft|fertig|ausgelesen|gefunden|bekommen)`,
      PURSUIT,
    ),
    gone('(?<gone>{NAME}) und ich (?:haben uns|sind) getrennt', COUPLE, RULE_OPTIONS.kin),
    gone('[Ii]ch habe mich von (?<gone>{NAME}) getrennt', COUPLE, RULE_OPTIONS.kin),
    gone(
      String.raw`(?:^|[,;]\s)(?<gone>(?:(?:Dr\.|Frau|Herr) )?{NAME}) geht ` +
        String.raw`(?:\p{Ll}+ )?in (?:den Ruhestand|Rente)`,
      SERVES,
      RULE_OPTIONS.anybody,
    ),
    ...IN_PASSING.de.gone,
  ],
  set: [
    pattern(String.raw`(?:^|,\s){ITS}{THING}\s(?:wurde|ist|sind|wird){TO}{DONE}`),
    pattern(
      String.raw`(?:^|,\s){ITS}{THING}\s(?:wurde|ist|sind|wird)(?:\s\p{Ll}+)?\s{DONE}` +
        String.raw`\s(?:auf|bis|in|nach|zu[mr]?)\s(?<value>(?:[^.,;:!?]|(?<=\d)[.,:]){1,40})`,
    ),
    pattern(
      oneOf('[Mm]an hat, [Ss]ie haben, [Ww]ir haben, [Ii]ch habe, Chef\\w* hat') +
        String.raw`\s(?:uns\s|mir\s)?{ITS}{THING}{TO}{DONE}`,
    ),
    pattern(
      String.raw`(?:hat|haben)\s(?:uns\s|mir\s)?{ITS}{THING}\s{DONE}[,;:]\s(?:\p{Ll}+\s){1,3}?` +
        String.raw`(?:nur noch|jetzt|nun)\s(?<value>[^.,;:!?]{1,30})`,
    ),
    pattern(String.raw`(?:^|[,:]\s){ITS}{THING}\s{MOVES}{DAY}`),
    pattern(
      String.raw`(?:${oneOf('[Ww]ir, [Ii]ch, [Mm]an, [Ss]ie')})\s(?!freu|wart|hoff)\p{Ll}+\s` +
        String.raw`(?:uns\s|mir\s)?{ITS}{THING}\s{DAY}`,
    ),
    pattern(
      String.raw`{ITS}{THING} (?:findet|trifft|läuft|kommt|beginnt|startet|ist)\s(?:\p{Ll}+\s)?` +
        String.raw`(?:jetzt|nun|neuerdings|inzwischen|künftig) (?:am |um )?(?<when>[^.,;!?]{1,30})`,
    ),
    pattern(`\\sist (?:jetzt|nun) {ITS}(?!${oneOf(MANY)}){THING}(?=[.,;!]|$)`),
    pattern(`{ITS}neue[rs]? {THING} ${oneOf('ist, lautet, heißt, wird, liegt, beträgt')}`),
    pattern(
      String.raw`(?:[Ii]ch habe?|[Ww]ir haben) (?:jetzt |nun )?einen? neue[nrs]? ` +
        `(?!${oneOf(MANY)}){THING}(?=[.,;:!?]|$)`,
    ),
  ],
  states: [
    // Ein Wechsel, den es nicht gab.
    state(
      String.raw`(?:^|[,;]\s)(?:aber |und |also )?(?:[Ii]ch bin|[Ww]ir sind|[Bb]in|[Ss]ind)` +
        String.raw`(?: \p{Ll}+){0,3}? nicht (?:wirklich )?(?:um|weg)gezogen(?=[.,;!]|$)`,
      String.raw`^(?:Ich bin|Wir sind).* (?:nach|in) .*(?:ge|umge)zogen(?!\p{L})`,
      RULE_OPTIONS.certain,
    ),
    state(
      String.raw`(?:^|[,;]\s)(?:aber |und |also )?[Ii]ch habe(?: \p{Ll}+){0,2}? ` +
        String.raw`(?:nicht|keinen Job|den Job nicht) gewechselt(?=[.,;!]|$)`,
      '^Ich bin .*zu .*gewechselt(?!\\p{L})',
      RULE_OPTIONS.certain,
    ),
    state(
      String.raw`(?<who>[Ii]ch|{ITS}\p{L}+|{NAME}) (?:bin|ist|wurde)` +
        String.raw`(?: \p{Ll}+)?(?: Woche| Monat)? ` +
        String.raw`(?<value>\d{1,3})(?: Jahre(?: alt)?)? geworden`,
      String.raw`^(?<who>Ich|{ITS}\p{L}+(?: {NAME})?|{NAME}) (?:bin|ist) ` +
        String.raw`(?<value>\d{1,3})(?: Jahre alt)?(?=[.,!]|$| und )`,
    ),
    // Ein Kind mehr: `Unser drittes kam zur Welt`.
    state(
      String.raw`\b(?:[Uu]nser|[Mm]ein)\w* (?:zweite|dritte|vierte|fünfte|jüngste)\w*\b.*` +
        String.raw`(?:\b(?:geboren|auf der Welt|zur Welt)\b)|` +
        String.raw`zur Welt.*\b(?:[Uu]nser|[Mm]ein)\w* (?:zweite|dritte|vierte|fünfte)\w*`,
      String.raw`^(?:Ich habe|Wir haben) \p{L}+ (?:Kind(?:er)?|Söhne|Sohn|Töchter|Tochter)\b`,
    ),
    state(
      String.raw`(?<who>{ITS}\p{L}+) (?:ist|wurde|läuft|geht|funktioniert)(?: \p{Ll}+)? ` +
        oneOf('repariert, wieder, ersetzt, heil'),
      String.raw`^(?<who>{ITS}\p{L}+) ist (?:kaputt|defekt|außer Betrieb)`,
    ),
    state(
      String.raw`\b(?<who>{NAME}) ist (?:\p{Ll}+ )*ausgezogen`,
      String.raw`\b(?:[Mm]itbewohner(?:in)? (?:ist|heißt)|(?:wohne|teile).* mit) (?<who>{NAME})`,
    ),
    state(
      String.raw`\b[Ii]ch (?:habe|bin)\b.*(?:geheiratet|verheiratet|verlobt)`,
      '^Ich bin (?:Single|ledig|geschieden|alleinstehend)',
    ),
    state(
      String.raw`\b[Ii]ch esse\b.*\b(?:wieder|doch)\b.*\b(?:Fleisch|Fisch|Käse|Eier)`,
      '^Ich (?:bin (?:eine? )?(?:Vegetarier|Veganer|vegetarisch|vegan)|' +
        '(?:esse|lebe) (?:kein|nie|vegetarisch|vegan|nicht))',
    ),
    state(
      String.raw`(?:habe?|[Ii]n) (?:ich )?(?:jetzt |nun |endlich )?(?:m?eine eigene Wohnung)`,
      '^Ich (?:wohne|lebe) (?:bei meinen Eltern|in einer WG|mit)',
    ),
    state(
      String.raw`(?<who>Mein(?:e Tochter| Sohn)) geht (?:jetzt|nun|seit \p{L}+) (?:in|auf|zu)`,
      '^(?<who>Mein(?:e Tochter| Sohn)) geht (?:in|auf|zu)',
    ),
    ...APPOINTMENTS.map((older) =>
      state(
        String.raw`(?:[Dd]er|[Dd]ie|[Mm]eine?|[Uu]nsere?) (?<who>\p{Lu}[\p{L}-]+) ` +
          String.raw`(?:hat|musste|verschiebt|verlegt) (?:mir |uns )?{IT} ` +
          String.raw`(?:\p{Ll}+ ){0,3}?${A_DAY}`,
        DATED + older,
        RULE_OPTIONS.certain,
      ),
    ),
    stateOf(
      'residence',
      String.raw`^(?!.*${anyWholeWord(PLANNED)}).*?[Nn]ach (?:dem|unserem|meinem) Umzug ` +
        String.raw`nach (?<value>\p{Lu}\p{L}+)`,
    ),
    stateOf(
      'employer',
      String.raw`[Ss]eit ich (?:jetzt )?bei (?:der )?(?!(?:Dr|Frau|Herr|Prof)(?!\p{L}))` +
        String.raw`(?<value>\p{Lu}[\p{L}-]+) bin(?!\p{L})`,
    ),
    state(
      '[Mm]eine?[mnrs]? neue[mnr]? {FRIEND} (?<value>{NAME})',
      '^Meine? {FRIEND} (?:heißt|ist) (?<value>{NAME})',
    ),
    state(
      String.raw`^(?!.*${anyWholeWord('nicht')}).*?(?<!\p{L})[Mm]ein Allergietest ` +
        String.raw`.*${anyWholeWord('negativ, unauffällig')}`,
      '^Ich (?:bin|habe).*[Aa]llerg',
      RULE_OPTIONS.inPart,
    ),
    ...IN_PASSING.de.states,
  ],
  own: /^(?:übrigens,?\s)?(?:ich|wir|mein\p{L}*|unser\p{L}*|der nutzer|die nutzerin)(?!\p{L})/iu,
  kin: new RegExp(String.raw`^(?:mein|unser)e?\s${anyWholeWord(KIN)}`, 'iu'),
  determiner: /^(?:übrigens,?\s)?(?:(?:der|die|das|meine?|unsere?)\s)?/iu,
  verb: /^(?:sind|haben|\p{Ll}+t|war|wird)$/u,
  bare: /^(?=Habe?\s|Bin\s|Hab\s)/u,
  amount: new RegExp(
    String.raw`^(?:ich|wir) (?:be)?zahlen? (?<value>.{1,30}?) (?:für|an) ` +
      String.raw`(?<thing>(?:die |den |das )?\p{L}+)[.!]?$`,
    'iu',
  ),
  opening: new RegExp(
    String.raw`^(?:(?:(?:korrektur|(?:kleine )?(?:plan)?änderung)[:,]|tatsächlich|` +
      String.raw`nein,|(?:(?:das )?war )?(?:nur )?(?:ein )?(?:scherz|spaß)[,.!:]?|` +
      String.raw`es stellt sich heraus, dass)\s|` +
      // What somebody else found out about the speaker.
      String.raw`(?:der|die|das|meine?|unsere?)(?: [\p{L}-]+){1,3} ` +
      `(?:sagte?|meinte?|zeigte?|ergab),` +
      String.raw`\s(?=(?:ich|meine?|wir|unsere?)(?!\p{L})))`,
    'iu',
  ),
  addition: /\b(?:auch|ebenfalls|zusätzlich|außerdem|noch)\b/iu,
  now: new RegExp(
    anyWholeWord(`
      jetzt(?: erst)?, nun, inzwischen, mittlerweile, neuerdings, ab sofort, ab jetzt, nicht mehr,
      nur noch, doch, künftig, mehr, am ende, wieder, heute(?= \\d+ (?:Jahre (?:alt )?)?geworden)
    `),
    'giu',
  ),
  slots: wordSet('ist sind in im am um bei bis ab nach zu zum zur heißt fahre einen'),
  negated: /(?<!\p{L})(?:nicht|kein\p{L}*|nie)(?!\p{L})/iu,
  negation: wordSet('nicht mehr kein keine keinen doch'),
  generic: wordSet('konto mitgliedschaft vertrag abo stelle job amt'),
  certain: new RegExp(
    anyWholeWord(String.raw`
      verkauft, weggegeben, verschenkt, abgegeben, gekündigt, aufgehört, ausgeschieden, ausgetreten,
      ausgestiegen, aufgegeben, abgebrochen, geschmissen, an den Nagel gehängt, niedergelegt,
      aufgelöst, gestorben, eingeschläfert, gestohlen, ersetzt, getrennt, ausgezogen, repariert,
      geheiratet, verheiratet, verlobt, wieder, nicht mehr, kein\p{L}* (?:\p{L}+ )?mehr
    `),
    'iu',
  ),
  doubt: new RegExp(
    anyWholeWord(String.raw`
      bevor, als, wenn, während, bis, nachdem, einmal, nie, nicht, kein\p{L}*, noch, auch, anderen?,
      zweite\p{L}*, erste\p{L}*, alte\p{L}*, vor (?:vielen )?Jahren, (?:19|20)\d\d, sein\p{L}*,
      ihr\p{L}*, dein\p{L}*, eure?\p{L}*, Kind, für, Spiel, Traum, geträumt, zurück
    `),
    'iu',
  ),
  indefinite: /(?<!\p{L})eine[nrms]?\s/iu,
  narrower: /(?!)/u,
  several: new RegExp(
    String.raw`,|${anyWholeWord('und, oder, beide, zwei, drei, vier, mehrere, auch')}`,
    'iu',
  ),
  beside: /^(?:mit|für|über|von|vom|gegen|wie|neben|der|des|dessen|deren)$/u,
  things: byWord({
    telefonnummer: 'nummer, handynummer, mobilnummer',
    chef: 'chefin',
    vermieter: 'vermieterin',
    friseur: 'friseurin, frisör',
    zahnarzt: 'zahnärztin',
    arzt: 'ärztin',
    hausarzt: 'hausärztin',
    tierarzt: 'tierärztin',
  }),
};
