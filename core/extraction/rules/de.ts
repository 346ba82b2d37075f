/** Rules of extraction for German. */
import { MONTHS, WEEKDAYS } from '../../text/calendar-words.ts';
import { oneOf } from '../../text/pattern.ts';
import { anyCase, namesOf, OLD_WORD, personsOf, type RuleBook, ruleMakers } from '../rule.ts';
import { capital, EVENTS, KIN, NAMED, OWN, PETS, SERVING } from './de-nouns.ts';

/** What users ask an assistant to do; a word of `STANDING` makes the request permanent. */
const ASKED = `
  antworte, schreibe?, sprich, rede, duze?, sieze?, nenne?, gib (?:mir|die|das|den|alle), verwende,
  nutze?, benutze?, sage?(?= (?:mir|bitte|ab jetzt|künftig)), erkläre?, halte? dich, fasse?, zeige?,
  mache? (?:mir|es), vermeide, beantworte, rechne, begründe, schicke?, erinnere?, formatiere
`;
const STANDING = oneOf(`
  immer(?! (?:noch|wieder|mehr)), nie(?! wieder), niemals, stets, grundsätzlich, ab jetzt,
  ab sofort, künftig, zukünftig, in Zukunft, von jetzt an, von nun an, jedes Mal
`);
const NOUN = String.raw`\p{Lu}[\p{L}-]+`;
const ROAD =
  String.raw`\p{Lu}[\p{L}-]*(?:[Ss]tra(?:ß|ss)e|[Ss]tr\.|[Ww]eg|[Gg]asse|[Pp]latz|[Aa]llee|` +
  '[Rr]ing|[Dd]amm|[Uu]fer|[Cc]haussee|[Pp]romenade|[Ss]tie?g|[Ss]teig|[Mm]arkt|[Gg]raben|[Hh]of|' +
  '[Ww]inkel|[Kk]amp)';

const rule = ruleMakers({
  ASKED: `${anyCase(ASKED)}(?!\\p{L})`,
  STANDING: `${STANDING}(?!\\p{L})`,
  HENCE: oneOf('[Aa]b (?:jetzt|sofort), [Vv]on (?:jetzt|nun) an, [Kk]ünftig, [Ii]n Zukunft'),
  PET: namesOf(capital(PETS)),
  KIN: namesOf(capital(KIN)),
  /** Employers without a name: `in einer Bank`. */
  WORKPLACE: String.raw`(?:\p{Lu}\p{L}*)?${oneOf(`
    [Bb]ank, [Kk]rankenhaus, [Kk]linik, [Ss]chule, [Uu]niversität, [Bb]ibliothek, [Ss]tartup,
    [Ss]tart-up, [Bb]äckerei, [Rr]estaurant, [Cc]afé, [Bb]ar, [Hh]otel, [Aa]potheke, [Kk]anzlei,
    [Ff]irma, [Ff]abrik, [Mm]useum, [Ll]aden, [Bb]uchhandlung, [Ss]upermarkt, [Aa]gentur, [Kk]ita,
    [Kk]indergarten, [Ww]erkstatt, [Vv]ersicherung, [Zz]eitung, [Ll]abor, [Pp]raxis, [Bb]rauerei,
    [Uu]nternehmen, [Bb]etrieb, [Bb]ehörde
  `)}`,
  STREET:
    String.raw`(?:in der|in die|im|am|an der|auf der|in)\s(?<value>(?:${NOUN}\s)*${ROAD}\s\d+` +
    String.raw`\s?[a-z]?)(?!\p{L})`,
  HOME:
    '(?:(?:[Ii]ch|[Ww]ir) wohnen?|(?:^|, )(?:[Aa]b jetzt|[Aa]b sofort|[Jj]etzt|[Nn]un|' +
    '[Ii]nzwischen|[Mm]ittlerweile|[Ss]eit [^.,;!?]{3,20}?) wohnen? (?:ich|wir)|' +
    '^(?:[Ii]ch bin|[Ww]ir sind) umgezogen,?(?: und| wir| ich)? wohnen?(?: wir| ich)?)',
  PLANNED: String.raw`(?<value>[^.,;:!?()…–—\n"“”„]{2,100}?)`,
  INF: String.raw`(?:zu \p{Ll}+|\p{Ll}+zu\p{Ll}+en)(?!\p{L})`,
  FOR: String.raw`(?:\sfür\s(?:die\s|den\s|das\s|unsere?n?\s)?(?<thing>[^.,;:!?]{3,40}?))?`,
  V:
    String.raw`(?<value>[^.,;:!?()…–—\n"“”„]{2,100}?)` +
    String.raw`(?=\s*(?:[.,;:!?()…–—\n"“”„]|$)|\s(?:und|aber|weil|denn|seit|als)\b)`,
  HARM: String.raw`(?<value>[^.,;:!?()\n]{2,60}?)`,
  HAVE: '(?:[Ii]ch habe?|habe? ich)',
  INTOLERANCE: '(?:[Aa]llergie|[Ii]ntoleranz|[Uu]nverträglichkeit)',
  NAME: String.raw`\p{Lu}[\p{L}'’&.-]*(?:\s(?:\p{Lu}[\p{L}'’&.-]*|am|an der|de))*`,
  NOW:
    String.raw`(?:\s(?:jetzt|nun|inzwischen|mittlerweile|seit \p{L}+|aktuell|` +
    String.raw`derzeit|übrigens|auch))?`,
  DATE:
    String.raw`(?:am|auf den|auf|ab dem|zum|bis zum|bis|vom)\s(?:\d{1,2}\.\s?(?:${MONTHS.de}|` +
    String.raw`\d{1,2}\.)|(?:nächsten?\s)?${WEEKDAYS.de})`,
  OWN: namesOf(capital(OWN)),
  SERVING: namesOf(capital(SERVING)),
  NAMED: namesOf(capital(NAMED)),
  EVENT: namesOf(capital(EVENTS)),
  JOB:
    '(?:Lehrer|Krankenpfleger|Krankenschwester|Pflegefachfrau|Pflegefachmann|Arzt|Ärztin|' +
    'Ingenieur|Entwickler|Programmierer|Designer|Anwalt|Anwältin|Architekt|Student|Buchhalter|' +
    'Journalist|Übersetzer|Elektriker|Tischler|Schreiner|Koch|Köchin|Bäcker|Fotograf|Musiker|' +
    'Berater|Therapeut|Tierarzt|Tierärztin|Apotheker|Mechaniker|' +
    'Gärtner|Imker|Polizist|Erzieher)(?:in)?',
  DIET: '(?:Vegetarier|Veganer|Pescetarier|Diabetiker)(?:in)?|vegetarisch|vegan|laktoseintolerant',
  TOWN: String.raw`(?<value>\p{Lu}\p{L}+(?:[ -](?:am |an der |im )?\p{Lu}\p{L}+)*)(?![\p{L}-])`,
  EMPLOYER: String.raw`(?:der |dem )?(?<value>\p{Lu}[\p{L}&.-]*(?: \p{Lu}[\p{L}&.-]*)*)`,
  PERSON: namesOf(capital(personsOf(NAMED))),
  /** Excludes what is still to come. */
  SOFAR: String.raw`(?!.*(?<!\p{L})${anyCase(`
    werde, wird, werden, will, wollen, möchte\\p{L}*, such\\p{L}+, sobald, bevor, bis, wenn, bald,
    nächste\\p{L}*, ziehe[nt]?, einziehen, besichtig\\p{L}+, gekauft, kaufen, bauen, gebaut, Makler,
    Ferien, Urlaub, vermiete\\p{L}*, Mieter, beworben, Bewerbung, Vorstellungsgespräch, beginnt,
    startet
  `)}(?!\p{L}))`,
  MY: String.raw`(?<!\p{L})(?:[Mm]ein|[Uu]nser)(?:e|em|en|er|es)?`,
  DWELLING: oneOf('Wohnung, Haus, Häuschen, Zuhause, Apartment, Bude, WG'),
  SCHOOL: oneOf('[Ss]chule, [Gg]ymnasium, [Uu]niversität, [Uu]ni, [Kk]olleg'),
  POST: oneOf('Job, Stelle, Arbeit, Arbeitgeber, Arbeitsstelle'),
});

export const DE: RuleBook = {
  rules: [
    rule.age(
      '(?:^|, |und )(?:[Mm]eine?|[Uu]nsere?) (?<thing>{KIN}) (?:ist|wurde)' +
        '(?: jetzt| schon| inzwischen)? (?<value>\\d{1,2})(?= (?:Jahre|und)(?!\\p{L})|[.,;!]|$)',
    ),
    rule.address(String.raw`{HOME}{NOW} {STREET}`),
    rule.address(
      String.raw`^(?:[Ii]ch bin|[Ww]ir sind)(?: \p{Ll}+)? (?!nicht){STREET} (?:um)?gezogen`,
    ),
    rule.residence(String.raw`{HOME}{NOW} in (?<value>{NAME})(?! \d)`),
    rule.residence(
      '^(?:[Ww]ir sind|(?:[Üü]brigens|[Jj]etzt|[Ll]etzt\\p{L}+ \\p{Lu}\\p{L}+) sind wir)' +
        '(?: jetzt| vor [^.,;!?]{3,20}| letzt\\p{L}+ \\p{Lu}\\p{L}+)?' +
        '(?: von (?<old>{NAME}))? nach (?<value>{NAME}) (?:um)?gezogen',
    ),
    rule.employer(
      '^[Ii]ch hab(?:e)? (?:den Job|die Stelle|die Firma|die Arbeit|den Arbeitgeber) ' +
        'gewechselt,? (?:und )?(?:(?:ich )?(?:bin|arbeite)(?: ich)?)(?: jetzt| nun)? (?:bei|für) ' +
        '(?:der )?(?<value>{NAME})',
    ),
    rule.employer(
      '^(?:[Ii]ch )?[Hh]abe? (?:jetzt )?(?:eine neue Stelle|einen neuen Job|eine neue Arbeit)' +
        '(?: gefunden| bekommen| angefangen)?,? (?:und bin jetzt |ich bin jetzt )?bei (?:der )?' +
        '(?<value>{NAME})',
    ),
    rule.shift(
      '^(?!.*(?:diese|nächste) Woche)[Ii]ch (?:arbeite|bin|habe?)(?: jetzt| ab jetzt| inzwischen)' +
        '(?: nur noch)?(?: in der| im)? (?<value>(?:Früh|Spät|Nacht|Tag|Abend)(?:schicht|dienst))',
    ),
    rule.shift(
      '^[Ii]ch (?:bin|habe?)(?: jetzt)? (?:in|auf|zur?) (?:die )?' +
        '(?<value>(?:Früh|Spät|Nacht|Tag)(?:schicht|dienst)) gewechselt',
    ),
    rule.shift('^[Ii]ch arbeite(?: jetzt)? (?<value>nachts|tagsüber)(?=[.,;!]|$)'),
    rule.only(
      '[Ii]ch (?<thing>trinke|esse|rauche|trage|lese|kaufe)(?: jetzt| inzwischen)? nur noch ' +
        '(?!schnell|kurz|eben|rasch|mal|eine?n?\\s){V}',
    ),
    rule.formerResidence(String.raw`(?:[Ii]ch|\b)\s?[Ww]ohne\snicht mehr\sin\s(?<value>{NAME})`),
    rule.residence(
      String.raw`(?:[Ii]ch\s(?:wohne|lebe)|(?:wohne|lebe)\sich){NOW}\sin\s(?<value>{NAME})`,
    ),
    rule.residence(
      String.raw`(?<!(?:[Aa]ls (?:Kind|ich|wir)|[Dd]amals).*)(?:[Ii]ch bin|[Bb]in ich|[Bb]in)` +
        String.raw`{NOW}(?:\s\p{L}+ (?:Monat|Woche|Jahr))?(?:\svon\s(?<old>{NAME}))?` +
        String.raw`\snach\s(?<value>{NAME})\s(?:um)?gezogen`,
    ),
    rule.formerEmployer(
      String.raw`(?:[Ii]ch arbeite|arbeite ich)\snicht mehr\s(?:bei|für)\s(?<value>{NAME})`,
    ),
    rule.employer(
      String.raw`(?:[Ii]ch arbeite|arbeite ich){NOW}\s(?:bei|für)\s(?:der\s)?(?<value>{NAME})`,
    ),
    rule.employer(
      String.raw`(?:[Ii]ch arbeite|arbeite ich){NOW}\s(?:bei|in|an|auf|für)\s` +
        String.raw`(?:einer|einem|eine)\s(?:\p{Ll}+ )?(?<value>{WORKPLACE})(?!\p{L})`,
    ),
    rule.name(String.raw`(?:[Ii]ch heiße|[Mm]ein Name ist)\s(?<value>{NAME})`),
    rule.noAllergy(
      String.raw`(?:[Ii]ch bin|bin ich)\snicht (?:mehr )?allergisch (?:gegen|auf)\s{V}`,
    ),
    rule.allergy(
      String.raw`(?:[Ii]ch bin|bin ich){NOW}(?:\sstark)?\sallergisch (?:gegen|auf)\s{V}`,
    ),
    rule.noAllergy(String.raw`(?:[Ii]ch bin|bin ich)\sgegen\s{HARM}\snicht (?:mehr )?allergisch`),
    rule.allergy(String.raw`(?:[Ii]ch bin|bin ich){NOW}(?:\sstark)?\sgegen\s{HARM}\sallergisch`),
    rule.noAllergy(String.raw`[Gg]egen\s{HARM}\sbin ich\snicht (?:mehr )?allergisch`),
    rule.allergy(String.raw`[Gg]egen\s{HARM}\sbin ich{NOW}(?:\sstark)?\sallergisch`),
    rule.noAllergy(String.raw`{HAVE}\skeine\s(?<value>\p{Lu}\p{L}{2,30}?)-?{INTOLERANCE}(?!\p{L})`),
    rule.allergy(
      String.raw`{HAVE}{NOW}\seine\s(?:\p{Ll}+e\s)?(?<value>\p{Lu}\p{L}{2,30}?)-?` +
        String.raw`{INTOLERANCE}(?!\p{L})`,
    ),
    rule.noAllergy(String.raw`{HAVE}\skeine\s{INTOLERANCE}\sgegen\s{V}`),
    rule.allergy(String.raw`{HAVE}{NOW}\seine\s(?:\p{Ll}+e\s)?{INTOLERANCE}\sgegen\s{V}`),
    rule.allergy(String.raw`[Ii]ch vertrage\s(?:keine?n?|kaum)\s{V}`),
    rule.formerDiet(
      String.raw`[Ii]ch bin\s(?:kein(?:e)?|nicht mehr)\s(?:ein(?:e)?\s)?(?<value>{DIET})\b`,
    ),
    rule.diet(String.raw`(?:[Ii]ch bin|bin ich){NOW}\s(?:ein(?:e)?\s)?(?<value>{DIET})\b`),
    rule.diet(String.raw`[Ii]ch (?:esse|lebe){NOW}\s(?<value>vegetarisch|vegan)`),
    rule.job(
      String.raw`(?:[Ii]ch bin|bin ich){NOW}\s(?:ein(?:e)?\s)?(?<value>(?:\p{Lu}\p{Ll}+)` +
        String.raw`?(?:{JOB}|\p{Lu}\p{Ll}+(?:lehrer|entwickler|ingenieur|arzt|` +
        String.raw`pfleger)(?:in)?))(?![\p{L}-])`,
    ),
    rule.job(String.raw`[Ii]ch arbeite als\s{V}`),
    rule.dislike(String.raw`[Ii]ch (?:mag|will|möchte)\s(?:keine?n?|nie)\s{V}`),
    rule.dislike(String.raw`[Ii]ch (?:hasse|verabscheue)\s{V}`),
    rule.dislike(String.raw`[Ii]ch (?:esse|trinke|nehme)\s(?:keine?n?|nie)\s{V}`),
    rule.like(
      String.raw`[Ii]ch (?:esse|trinke|nehme|mag|habe)\s(?:lieber|am liebsten|` +
        String.raw`sehr gern|gerne?)\s{V}`,
    ),
    rule.like(String.raw`[Ii]ch (?:mag|liebe|bevorzuge)\s{V}`),
    rule.favorite(String.raw`[Mm]eine? Lieblings(?<thing>\p{Ll}+)\sist\s{V}`),
    rule.dislike(
      String.raw`[Ii]ch (?:kann|darf)\skeine?n?\s(?<value>[^.,;:!?]{2,40}?)\s(?:essen|` +
        String.raw`trinken)(?=[.,;:!?]|$)`,
    ),
    rule.employer(
      String.raw`(?:[Ii]ch bin|bin ich)(?:\sseit\s\p{L}+)?\sbei\s(?:der\s|dem\s)` +
        String.raw`?(?<value>{NAME})\sangestellt`,
    ),
    rule.figure(
      String.raw`(?:^|,\s)(?:[Mm]eine?|[Uu]nsere?)\s(?!Frage|Idee|Punkt)(?<thing>\p{Lu}[\p{L}` +
        String.raw`-]{2,30})\s(?:ist|liegt bei|beträgt)(?:\sjetzt)?\s(?<value>\d[\d.,:]*(?:\s[^` +
        String.raw`.,;:!?]{2,40})?)(?=[.,;:!?]|$)`,
    ),
    rule.instruction(
      String.raw`^[Bb]itte\s(?<value>(?:keine?n?|nie|niemals)\s[^?\n]{3,60}\b(?:mir|` +
        String.raw`mich|du)\b[^?\n]{2,60})`,
    ),
    rule.instruction(
      String.raw`^[Bb]itte\s(?<value>[^?\n]{2,60}\b(?:immer|nie|niemals|stets|` +
        String.raw`grundsätzlich)\b[^?\n]{2,80})`,
    ),
    // A request is required: `Ab jetzt wohne ich in Köln` asks for nothing.
    rule.instruction(
      String.raw`^{HENCE},?\s(?<value>(?:[Bb]itte\s|{ASKED}\s|(?:keine?n?|nie|nur)\s[^?\n]{2,60}` +
        String.raw`(?:\s(?:mir|mich|du)(?!\p{L})))[^?\n]{0,120})`,
    ),
    rule.instruction(
      String.raw`^(?:[Bb]itte,?\s)?(?!.*(?<!\p{L})(?:warum|wieso|wie|was|wer|wo|ob)(?!\p{L}))` +
        String.raw`(?<value>{ASKED}\s(?:[^?,\n]{1,80}\s)?{STANDING}[^?\n]{0,80})`,
    ),
    rule.instruction(
      String.raw`^[Ii]ch (?:möchte|will),? dass du (?:mir |mich )?(?<value>{STANDING} ` +
        String.raw`[^?\n]{3,80})`,
    ),
    rule.instruction(
      String.raw`^[Dd]u (?:kannst|darfst) mich (?:ruhig |gerne? )?(?<value>duzen|siezen)`,
    ),
    rule.name(
      String.raw`^(?:[Nn]enn(?:e)? mich|[Dd]u kannst mich) (?:bitte |einfach |ruhig )*` +
        String.raw`(?!${WEEKDAYS.de})(?<value>{NAME})(?: nennen)?(?=[.,!]|$)`,
    ),
    rule.decisionAgainst(
      '[Ww]ir haben uns (?:\\p{Ll}+ )?gegen (?:das |die |den |eine?n? )?{PLANNED} entschieden',
    ),
    rule.decision(
      '[Ww]ir haben uns (?:\\p{Ll}+ )?für (?:das |die |den |eine?n? )?{PLANNED} entschieden',
    ),
    rule.decisionAgainst(
      '[Ww]ir haben (?:beschlossen|entschieden|uns entschieden|vereinbart),? (?:doch )?(?:auf )?' +
        '(?:keine?n? )?{PLANNED}{FOR} (?:(?<=keine?n? .*)|(?:doch )?nicht (?:mehr )?){INF}',
    ),
    rule.decisionAgainst(
      '[Ww]ir haben (?:beschlossen|entschieden|uns entschieden|vereinbart),? (?:doch )?auf ' +
        '(?:das |die |den )?{PLANNED}{FOR} zu verzichten',
    ),
    rule.decisionAgainst(
      '[Ww]ir haben (?:beschlossen|entschieden|uns entschieden|vereinbart), dass wir {PLANNED}' +
        '{FOR} (?:doch )?nicht (?:mehr )?\\p{Ll}+',
    ),
    rule.decisionAgainst(
      '[Ww]ir haben (?:den Plan|die Idee|das Vorhaben|den Vorschlag) ' +
        '(?:verworfen|aufgegeben|fallen (?:ge)?lassen|abgelehnt|begraben),? ' +
        '(?:auf )?{PLANNED}{FOR} {INF}',
    ),
    rule.decisionAgainst(
      '[Ww]ir (?:nehmen|nutzen|verwenden|benutzen) {PLANNED}{FOR} (?:doch nicht|nicht mehr)',
    ),
    rule.decision(
      String.raw`[Ww]ir haben\s(?:beschlossen|entschieden|uns entschieden|vereinbart|uns ` +
        String.raw`geeinigt),?\s(?![^.;:!?]*(?<!\p{L})(?:nicht|nie|keine?[nrms]?)\s)` +
        String.raw`(?<value>[^.;:!?]{3,120}?)(?:\sfür\s(?:die\s|den\s|das\s|unsere?n?\s)?` +
        String.raw`(?<thing>[^.,;:!?]{3,40}?)(?:\szu\s\p{Ll}+)?)?(?=[.;:!?]|$)`,
    ),
    rule.decision(
      String.raw`[Ww]ir (?:nehmen|nutzen|verwenden|setzen)\s(?:(?:jetzt|nun|ab jetzt|auf)\s)*` +
        String.raw`(?<value>[^.,;:!?]{2,60}?)\s(?:statt|anstatt|anstelle von)\s(?<old>\S{2,40}?)` +
        String.raw`(?:\sfür\s(?:die\s|den\s|das\s|unsere?n?\s)?(?<thing>[^.,;:!?]{3,40}?))?` +
        String.raw`(?=[.,;:!?]|$)`,
    ),
    rule.owner(
      String.raw`^(?<value>\p{Lu}[\p{Ll}'’-]+)\sist\s(?:jetzt\s|ab jetzt\s)?für\s(?:die\s|` +
        String.raw`den\s|das\s)?(?<thing>[^.,;:!?]{3,40}?)\s(?:zuständig|verantwortlich)`,
    ),
    rule.owner(
      String.raw`^Für\s(?:die\s|den\s|das\s)?(?<thing>[^.,;:!?]{3,40}?)\sist\s(?:jetzt\s)?` +
        String.raw`(?<value>{NAME})\s(?:zuständig|verantwortlich)(?=[.,;:!?]|$)`,
    ),
    rule.owner(
      String.raw`^(?<value>\p{Lu}[\p{Ll}'’-]+)\sübernimmt\s(?:ab jetzt\s|jetzt\s)?(?:die\s|den\s|` +
        String.raw`das\s)?(?<thing>[^.,;:!?]{3,40}?)(?:\svon\s(?<old>{NAME}))?(?=[.,;:!?]|$)`,
    ),
    rule.owner(
      String.raw`^(?<value>\p{Lu}[\p{Ll}'’-]+)\s(?:betreut|verantwortet)\s(?:jetzt\s)?` +
        String.raw`(?:die|den|das)\s(?<thing>[^.,;:!?]{3,40}?)(?=[.,;:!?]|$)`,
    ),
    rule.owner(
      String.raw`^(?<value>\p{Lu}[\p{Ll}'’-]+)\shat\s(?:jetzt\s)?(?:die|den|das)\s` +
        String.raw`(?<thing>[^.,;:!?]{3,40}?)(?:\svon\s(?<old>{NAME}))?\sübernommen`,
    ),
    rule.birthday(
      String.raw`[Mm]eine? (?<thing>\p{L}{3,14}) hat am (?<value>\d{1,2}\.\s?\p{L}+) Geburtstag`,
    ),
    rule.timeOff(
      String.raw`[Ii]ch (?:habe|bin) (?<value>vo[mn] \d{1,2}\.[^.;:!?]{0,20}? bis (?:zum )?` +
        String.raw`\d{1,2}\.[^,;:!?]{0,12}?) (?:Urlaub|frei|im Urlaub|weg|verreist)(?!\p{L})`,
    ),
    rule.responsible(
      String.raw`[Ii]ch bin(?: jetzt)? für (?:die |den |das )?(?<value>[^.,;:!?]{3,40}?) ` +
        String.raw`(?:zuständig|verantwortlich)(?!\p{L})`,
    ),
    rule.date(
      String.raw`(?:^|\s)(?:[Dd](?:er|ie|as)|[Mm]eine?|[Uu]nsere?)\s(?<thing>{EVENT})\s(?:ist|` +
        String.raw`wird|wurde|findet|beginnt|startet|fällt)(?:\sjetzt|\snun)?(?:\s(?:verschoben|` +
        String.raw`verlegt|vorgezogen))?(?:\svom\s(?<old>.{3,25}?))?\s` +
        String.raw`(?<value>{DATE}[^.;!?()]{0,40})`,
    ),
    rule.theOne(
      String.raw`[Mm]eine?\s(?:neuer?\s)?(?<thing>{OWN})\s(?:ist|heißt)(?:\sjetzt|\snun|\sam)?\s` +
        String.raw`(?<value>(?:\d{1,2}\.\s)?{NAME}|[\w.+-]+@[\w.-]+|\+?[\d ()-]{5,}|\d[\d.,]*)`,
    ),
    rule.theOne(
      '^(?:(?:[Jj]etzt|[Nn]un) ist )?(?!(?:Er|Sie|Wer|Das|Hier) )(?<value>{NAME})(?: ist)?' +
        '(?: jetzt| nun)? (?:mein|unser)e? (?:neuer? )?(?<thing>{SERVING})(?=[.,;:!]|$)',
    ),
    rule.theOne(String.raw`[Mm]eine?\s(?<thing>{NAMED})\sheißt\s(?<value>{NAME})`),
    rule.oneOfSeveral(
      String.raw`(?:[Mm]eine?|[Uu]nsere?)\s(?<thing>{KIN}|{PET})\sheißt\s(?<value>{NAME})`,
    ),
    rule.oneOfSeveral(
      '(?:[Ii]ch habe?|[Ww]ir haben){NOW}(?: uns| mir)? (?:eine?n?)(?: neuen?| kleinen?)? ' +
        '(?<thing>{PET})(?: bekommen| adoptiert| gekauft| geholt| zugelegt)?,? (?:namens|(?:und ' +
        ')?(?:er|sie|es|der|die|das) heißt|(?:sein|ihr) Name ist) (?<value>{NAME})',
    ),
    rule.age(
      '(?:^|, |und )(?:[Mm]eine?|[Uu]nsere?) (?:kleine[r]? )?(?:{KIN}) ' +
        '(?<thing>\\p{Lu}[\\p{L}-]+) (?:ist|wurde)(?: jetzt| schon| inzwischen)? ' +
        '(?<value>\\d{1,2})(?= (?:Jahre|und)(?!\\p{L})|[.,;!]|$)',
    ),
    rule.has(
      String.raw`[Ii]ch habe\s(?<value>(?:einen|eine|ein|zwei|drei)\s(?:Hunde?|` +
        String.raw`Katzen?|Kater|Kinder|Söhne|Töchter|Tochter|Sohn|Pferde?|Bruder|` +
        String.raw`Brüder|Schwestern?))(?![\p{L}-])`,
    ),
    rule.has(
      String.raw`[Ii]ch habe (?:mir\s)?(?<value>einen? (?:neuen? )?\p{Lu}[\p{L}\d-]+)\sgekauft`,
    ),
    rule.hasNot(String.raw`[Ii]ch habe meinen? (?<value>\p{Lu}[\p{L}\d-]+)\sverkauft`),
    rule.teaches(
      String.raw`(?:[Ii]ch unterrichte|[Ss]eit [^.,;!?]{3,20} unterrichte ich)(?: jetzt| nun| ` +
        String.raw`inzwischen| mittlerweile)?(?: \p{Lu}\p{L}+(?: und \p{Lu}\p{L}+)?)? ` +
        String.raw`(?:am|im|an (?:der|einer|einem)|in einer) (?<value>(?:\p{Ll}+ )?` +
        String.raw`(?:\p{Lu}\p{L}*)?{SCHOOL})(?!\p{L})`,
    ),
    rule.residenceInPassing(
      '[Ss]eit (?:dem|unserem|meinem)(?: \\p{Ll}+)? Umzug (?:(?:von|aus) \\p{Lu}\\p{L}+ )?' +
        'nach {TOWN}',
    ),
    rule.residenceInPassing('[Ss]eit (?:ich|wir)(?: jetzt)? in {TOWN} (?:wohne|lebe)n?'),
    rule.residenceInPassing(
      '[Ss]eit (?:ich|wir)(?: \\p{Ll}+)? nach {TOWN} (?:um)?gezogen (?:bin|sind)',
    ),
    rule.residenceInPassing('^{SOFAR}.*?{MY} neue[ns]? (?:\\p{Ll}+ )?{DWELLING} in {TOWN}'),
    rule.employerInPassing(
      '[Ss]eit ich(?: jetzt)? (?:bei|für) {EMPLOYER} (?:arbeite|angefangen habe|angestellt bin)',
    ),
    rule.employerInPassing('^{SOFAR}.*?{MY} neue[nrms]? {POST} (?:bei|für) {EMPLOYER}'),
    rule.theOneInPassing(
      '{MY} neue[nrms]? (?<thing>{PERSON}),? ' +
        '(?<value>(?:Dr\\. |Frau |Herrn? )?\\p{Lu}\\p{Ll}[\\p{L}-]*(?: \\p{Lu}\\p{Ll}+)?)' +
        '(?!\\p{L})',
    ),
  ],
  notLasting: new RegExp(
    String.raw`\b(?:[Ww]enn|[Ff]alls|würden?|würdest|könnten?|sollten?|dürfte|[Vv]ielleicht|` +
      String.raw`[Ww]ahrscheinlich|[Ee]ventuell|hätten?|wäre|[Ss]tell dir vor|angenommen|` +
      String.raw`[Ff]rüher(?! (?:auf|los|ins|nach|als|heim))|damals|heute|morgen (?:früh|abend)|` +
      String.raw`gerade|im Moment|momentan|vorerst|[Hh]a(?:ha)+|Scherz|Spaß|sagt|sagte|meint|` +
      String.raw`meinte|erzählt\w*|gesagt|(?<!(?:zu|so|sehr) )laut(?=\s)|angeblich|fast|beinahe|` +
      String.raw`als (?:ob|ich|wir|Kind)|[Nn]icht (?:so,? )?(?:als|dass|weil)|sage? (?:ja )?` +
      String.raw`nicht|stimmt nicht, dass|nicht wahr, dass|gelogen, dass|behaupte\w*|` +
      String.raw`\p{L}*gemeint|überlege|plane|[Hh]offentlich|hoffe|träumte?|geträumt|wünsch\w*)\b`,
    'u',
  ),
  dayOfDeed: new RegExp(
    String.raw`(?<=(?<!\p{L})(?:[Ii]ch|[Ww]ir)\s(?:habe?|haben|bin|sind)\s` +
      String.raw`(?:[^.,;–—]{0,120}\s)?)heute(?=\s(?:[^.,;–—]{0,120}\s)?` +
      String.raw`(?:\p{Ll}*ge|ver|be|ent|er|zer)\p{Ll}{2,}(?:t|en)(?!\s?\p{L}))`,
    'gu',
  ),
  aside: new RegExp(
    String.raw`\b(?:[Hh]a(?:ha)+|Spaß|sagte?|meinte?|erzählt\w*|gesagt|heute|gerade|fast|` +
      String.raw`beinahe)\b`,
    'gu',
  ),
  joint: new RegExp(
    String.raw`\s*[,;–—]\s*|(?<=^(?:ha(?:ha)*|lol))\s+|` +
      String.raw`\s+(?:und|aber|also|übrigens|jedenfalls|außerdem|ach|naja|ok(?:ay)?|ja)\s+`,
    'iu',
  ),
  commissioned: new RegExp(
    String.raw`(?:(?<!\p{L})(?:übersetze?|in meine[mr] (?:Roman|Geschichte|Buch|Traum)|` +
      String.raw`korrigiere?|formuliere?|fasse?\b[^.?!\n]{0,60}\bzusammen|umschreib\w*|` +
      String.raw`Rollenspiel|in der Geschichte|(?<!^\W*(?:[Dd]as )?(?:[Ww]ar )?)nur Spaß|` +
      String.raw`schreibe?\b[^.?!]{0,30}\b(?:Brief|Mail|E-Mail|Gedicht|Geschichte|Text|Rede|` +
      String.raw`Bewerbung|Tweet|Beitrag|Post|Nachricht|Rezension|Artikel))\b|^(?:schreibe?|` +
      String.raw`verfasse?|entwirf)(?!\p{L})[^.?!:\n]{0,60}:)`,
    'iu',
  ),
  pointing: new RegExp(
    String.raw`^(?:das|dies\w*|jene\w*|es|sie|ihn|dich|dein\w*|was|wie|wo|wenn|dass|(?:mon|diens|` +
      String.raw`donners|frei|sams|sonn)tage?$|mittwoche?$|(?:die|das) (?:erste|zweite|dritte|` +
      String.raw`letzte|idee|art|kürzere|längere)|den (?:ersten|zweiten|dritten|letzten)|mehr|` +
      String.raw`alles?|nichts|etwas|auch|gern|nicht)\b`,
    'iu',
  ),
  filler: new RegExp(
    String.raw`^(?:(?:übrigens|ach|also|ja|nein|ok(?:ay)?|und|hallo|hi|danke|nur zur info|fürs ` +
      String.raw`protokoll|fehlalarm|(?:das )?(?:war )?(?:nur )?(?:ein )?(?:scherz|spaß)` +
      String.raw`(?=.*(?:nicht|noch|kein)))[,:!.]\s+)+`,
    'iu',
  ),
  // One word only, because every noun after it is capitalized too.
  replaced: new RegExp(
    String.raw`(?<!\p{L})(?:(?:an)?statt|anstelle von|weg von|` +
      String.raw`von(?=.*(?:umsteigen|umzusteigen|wechseln|migrieren|umziehen|umzuziehen))) ` +
      String.raw`(?:(?:de[rsmn]|eine[rsm]?) )?${OLD_WORD}`,
    'u',
  ),
  another: /^(?:neue|aktuelle)[rsnm]? (?!hund|katze|freund|kolleg|nachbar)/iu,
  relative: new RegExp(
    String.raw`(?<!\p{L})(?:heute|gestern|vorgestern|morgen|übermorgen|letzte[nrsm]?|` +
      String.raw`nächste[nrsm]?|diese[nrsm]? (?:Woche|Wochenende|Monat|Jahr)|` +
      String.raw`(?:vor|in) (?:\p{L}+|\d+) (?:Tag|Woche|Monat|Jahr)e?n?|(?:Mon|Diens|Donners|` +
      String.raw`Frei|Sams|Sonn)tag|Mittwoch|neulich|kürzlich)(?!\p{L})`,
    'iu',
  ),
  things: new Map([...PETS, ...KIN, ...NAMED, ...EVENTS]),
};
