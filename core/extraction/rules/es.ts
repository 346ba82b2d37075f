/** Rules of extraction for Spanish. */
import { MONTHS, WEEKDAYS } from '../../text/calendar-words.ts';
import { oneOf } from '../../text/pattern.ts';
import { anyCase, namesOf, OLD_NAME, personsOf, type RuleBook, ruleMakers } from '../rule.ts';
import { EVENTS, KIN, NAMED, OWN, PETS, SERVING } from './es-nouns.ts';

/** Verbs that say that an event is at another time. */
const MOVED = `
  pospuso, aplazó, retrasó, adelantó, trasladó, cambió, pospuest[oa], aplazad[oa], retrasad[oa],
  adelantad[oa], trasladad[oa], movid[oa]
`;

/** Words before a noun that is spelled like a first-person verb: `el trabajo`, `en vivo`. */
const NOUN_BEFORE = String.raw`
  el, un, al, del?, mi, tu, su, este, es[eo], aquel, otro, en, con, sin, por, para, buen, mal,
  nuevo, mucho, poco, más, cada, ningún, algún, primer, último, nuestro, bus\p{L}+, encontr\p{L}+,
  perd\p{L}+, tien\p{L}+, teng\p{L}+, hay
`;

/** What users ask an assistant to do; a word of `STANDING` makes the request permanent. */
const ASKED =
  String.raw`(?:[Nn]o (?:me|nos|te) (?!digas)\p{L}+|\p{L}+[aeiáéí]me|` +
  anyCase('responde, contesta, habla, escribe, usa, utiliza, evita, incluye, trata, explica, da') +
  String.raw`)(?!\p{L})`;
const STANDING = oneOf(`
  siempre, nunca, a partir de ahora, de ahora en adelante, desde ahora, en adelante, cada vez que,
  en el futuro
`);

export const JOBS =
  '(?:arquitect[oa]|enfermer[oa]|médic[oa]|ingenier[oa]|programador[a]?|desarrollador[a]?|' +
  'diseñador[a]?|abogad[oa]|profesor[a]?|maestr[oa]|estudiante|contador[a]?|periodista|' +
  'traductor[a]?|electricista|fontaner[oa]|carpinter[oa]|cociner[oa]|panader[oa]|' +
  'fotógraf[oa]|músic[oa]|consultor[a]?|terapeuta|veterinari[oa]|farmacéutic[oa]|albañil)';

const rule = ruleMakers({
  ASKED,
  STANDING: `${STANDING}(?!\\p{L})`,
  HENCE: oneOf('[Aa] partir de ahora, [Dd]e ahora en adelante, [Dd]esde ahora, [Ee]n adelante'),
  PET: namesOf(PETS),
  KIN: namesOf(KIN),
  /** Employers without a name: `en una farmacia`. */
  WORKPLACE: String.raw`${oneOf(`
    banco, hospital, colegio, escuela, instituto, universidad, biblioteca, startup, panadería,
    restaurante, cafetería, bar, hotel, clínica, farmacia, bufete, fábrica, almacén, museo, tienda,
    supermercado, agencia, librería, guardería, taller, gimnasio, peluquería, aseguradora, empresa,
    periódico, laboratorio, consultora, gestoría, ayuntamiento, ONG, residencia, granja
  `)}(?: de \p{L}+)?`,
  STREET:
    String.raw`(?:la |el )?(?<value>(?:[Cc]alle|[Aa]venida|[Aa]v(?:da)?\.|[Pp]laza|[Pp]aseo|C/)\s` +
    String.raw`[^.,;:!?]{2,40}?,? \d+)`,
  NOT: '(?:no|no volver a|dejar de)',
  PLAN: oneOf('la idea, el plan, la propuesta, la decisión, el proyecto'),
  PLANNED: String.raw`(?<value>[^.,;:!?¿¡()…–—\n"“”«»]{2,100}?)`,
  USING: '(?:usar|utilizar|adoptar|emplear|ir con)',
  FOR: String.raw`(?:\spara\s(?:la\s|el\s|nuestr[oa]\s)?(?<thing>[^.,;:!?]{3,40}?))?(?=[.,;:!?]|$)`,
  V:
    String.raw`(?<value>[^.,;:!?¿¡()…–—\n"“”«»]{2,100}?)` +
    String.raw`(?=\s*(?:[.,;:!?¿¡()…–—\n"“”«»]|$)|\s(?:y|pero|porque|desde|aunque|cuando)\s)`,
  NAME:
    String.raw`\p{Lu}[\p{L}'’&.-]*(?:\s(?:\p{Lu}[\p{L}'’&.-]*|de|del|la|los)` +
    String.raw`)*?(?=\s*(?:[.,;:!?()…–—]|$)|\s\p{Ll}|\s\d)`,
  // `Javier perdió el trabajo en Ford` has the noun, and `el concierto en vivo` the adverb.
  I: String.raw`(?<!\p{L})(?<!(?:^|\s)${anyCase(NOUN_BEFORE)}\s)(?:[Yy]o\s)?(?:[Aa]hora\s)?`,
  DATE:
    String.raw`(?:(?:al|el|para el|hasta el|del)\s)(?:(?:próximo\s)?${WEEKDAYS.es}|` +
    String.raw`\d{1,2}\sde\s${MONTHS.es}|\d{1,2}/\d{1,2})`,
  OWN: namesOf(OWN),
  SERVING: namesOf(SERVING),
  NAMED: namesOf(NAMED),
  PERSON: namesOf(personsOf(NAMED)),
  TITLE: '(?:(?:el |la )?(?:doctora?|señora?) |don |doña )?',
  BUILT: '(?:piso|casa|apartamento|departamento|hogar|estudio|chalet)',
  /** Excludes what is still to come, and what is only for some time. */
  SOFAR: String.raw`(?!.*(?<!\p{L})${anyCase(`
    voy a, vamos a, cuando, antes de, hasta, vacaciones, alquil\\p{L}+, compr\\p{L}+,
    constru\\p{L}+, visit\\p{L}+, busc\\p{L}+, próxim[oa], empiez[oa], entrevista
  `)}(?!\p{L}))`,
  EVENT: namesOf(EVENTS),
  JOB: JOBS,
  DIET: '(?:vegetarian[oa]|vegan[oa]|celíac[oa]|diabétic[oa]|intolerante a la lactosa)',
});

/** What the speaker has done: `me mudé`, `he vendido`. */
const DONE =
  String.raw`(?:\p{Ll}{2}(?<!qu|caf|[aei]r)é|\p{Ll}{2}(?<!aqu|as|all|ah)í|[Nn]os\s\p{Ll}+[ai]mos|` +
  String.raw`(?<!\p{L})(?:[Hh]e|[Hh]emos)\s\p{Ll}+(?:do|cho|sto|rto))(?!\p{L})`;

export const ES: RuleBook = {
  rules: [
    rule.age(
      String.raw`(?:^|, |y )(?:[Mm]i|[Nn]uestr[oa]) (?<thing>{KIN}) (?:ya )?(?:tiene|cumplió|ha ` +
        String.raw`cumplido|acaba de cumplir) (?:ya )?(?<value>\d{1,2})(?: años)?(?=[.,;!]|$)`,
    ),
    rule.address(
      String.raw`(?:{I}(?<!no )[Vv]ivo(?: ahora)?|[Aa]hora vivimos|[Vv]ivimos ahora) en {STREET}`,
    ),
    rule.address(String.raw`(?:[Mm]e he mudado|[Mm]e mudé|[Nn]os hemos mudado) a {STREET}`),
    rule.residence(
      String.raw`(?<!\p{L})(?:[Aa]hora vivimos|[Vv]ivimos ahora) en\s(?<value>{NAME})`,
    ),
    rule.residence(
      String.raw`(?<!no )[Nn]os hemos mudado(?:\sde\s(?<old>{NAME}))?\sa\s(?<value>{NAME})`,
    ),
    rule.residence(
      // Without a word for the past, `nos mudamos` may be a plan.
      String.raw`^(?!.*hace (?:\p{L}+ )?años)(?=.*(?<!\p{L})(?:pasad[oa]|ayer|hace)(?!\p{L}))` +
        String.raw`(?:[Ll]a semana pasada |[Ee]l (?:mes|año) pasado |[Aa]yer |[Yy]a )?` +
        String.raw`[Nn]os mudamos(?:\sde\s(?<old>{NAME}))?\sa\s(?<value>{NAME})`,
    ),
    rule.employer(
      String.raw`^(?:[Hh]e cambiado|[Cc]ambié) de (?:trabajo|empresa|empleo),? (?:y )?(?:ahora )` +
        String.raw`?(?:estoy|trabajo)(?: ahora)? (?:en|para) (?:el |la )?(?<value>{NAME})`,
    ),
    rule.employer(
      String.raw`^(?:[Tt]engo|[Hh]e encontrado|[Ee]ncontré|[Hh]e empezado|[Ee]mpecé)(?: en)? ` +
        String.raw`(?:un )?(?:nuevo trabajo|trabajo nuevo)` +
        String.raw`(?:, (?:ahora )?estoy)? en (?:el |la )?(?!Navidad|Semana Santa)(?<value>{NAME})`,
    ),
    rule.shift(
      String.raw`(?:^|[,;] )(?!.*est[ea] (?:semana|mes))(?:[Aa]hora )?` +
        String.raw`(?:[Tt]rabajo|(?<=[Aa]hora )estoy)(?: (?:en|de))?(?: el)? turno de ` +
        String.raw`(?<value>noche|mañana|tarde)`,
    ),
    rule.shift(
      String.raw`^(?!.*est[ea] (?:semana|mes))(?:[Aa]hora (?:trabajo|estoy) en|[Mm]e (?:han ` +
        String.raw`cambiado|cambiaron|he cambiado|cambié|he pasado|pasé) al?)(?: el)? turno de ` +
        String.raw`(?<value>noche|día|mañana|tarde)`,
    ),
    rule.only(
      String.raw`(?:^|[,;] )(?:[Aa]hora|[Yy]a|[Dd]esde \p{L}+) s[oó]lo ` +
        '(?<thing>bebo|como|tomo|leo|compro|fumo) (?!una? ){V}',
    ),
    rule.only(
      String.raw`^[Ss][oó]lo (?<thing>bebo|como|tomo|leo|compro|fumo) ` +
        String.raw`(?<value>[^.,;:!?]{2,40}?) ahora(?=[.,;!]|$)`,
    ),
    rule.formerResidence(String.raw`[Yy]a no vivo en\s(?<value>{NAME})`),
    rule.residence(String.raw`{I}(?<!no )[Vv]ivo(?:\sahora)? en\s(?<value>{NAME})`),
    rule.residence(
      String.raw`(?<!no )[Mm]e (?:mudé|he mudado)(?:\sde\s(?<old>{NAME}))?\sa\s(?<value>{NAME})`,
    ),
    rule.formerEmployer(String.raw`[Yy]a no trabajo (?:en|para)\s(?<value>{NAME})`),
    rule.employer(
      String.raw`{I}(?<!no )[Tt]rabajo(?:\sahora)? (?:en|para)\s(?:el\s|la\s)?(?<value>{NAME})`,
    ),
    rule.employer(
      String.raw`{I}(?<!no )(?:[Tt]rabajo(?:\sahora)?|(?:[Hh]e empezado|[Ee]mpecé) a trabajar)` +
        String.raw`\sen\sun[ao]?\s(?<value>{WORKPLACE})(?!\p{L})`,
    ),
    rule.employer(
      String.raw`(?:[Hh]e empezado|[Ee]mpecé) a trabajar (?:en|para)\s(?:el\s|la\s)?` +
        String.raw`(?<value>{NAME})`,
    ),
    rule.name(String.raw`[Mm]e llamo\s(?<value>{NAME})`),
    rule.name(String.raw`[Mm]i nombre es\s(?<value>{NAME})`),
    rule.noAllergy(String.raw`[Nn]o soy alérgic[oa] (?:al|a la|a los|a las|a)\s{V}`),
    rule.allergy(String.raw`{I}[Ss]oy (?:muy )?alérgic[oa] (?:al|a la|a los|a las|a)\s{V}`),
    rule.formerDiet(String.raw`(?:[Yy]a no|[Nn]o) soy\s(?<value>{DIET})`),
    rule.diet(String.raw`{I}[Ss]oy\s(?<value>{DIET})`),
    rule.job(String.raw`{I}(?<!no )[Ss]oy\s(?:un[ao]?\s)?(?<value>{JOB})(?!\p{L})`),
    rule.dislike(String.raw`[Nn]o me gustan?\s(?:el\s|la\s|los\s|las\s)?{V}`),
    rule.dislike(
      String.raw`(?<!\p{L})(?:[Oo]dio|[Dd]etesto|[Nn]o (?:como|bebo|tomo|uso)` +
        String.raw`|[Nn]unca (?:como|bebo|tomo))\s(?:el\s|la\s|los\s|las\s)?{V}`,
    ),
    rule.like(
      String.raw`(?<![Nn]o )(?<!\p{L})[Mm]e (?:gustan?|encantan?)\s(?:el\s|la\s|los\s|las\s)?{V}`,
    ),
    rule.like(String.raw`(?<!\p{L})[Pp]refiero\s{V}`),
    rule.favorite(String.raw`[Mm]i (?<thing>\p{Ll}+) (?:favorit[oa]|preferid[oa]) es\s{V}`),
    rule.dislike(String.raw`(?<!\p{L})[Nn]o puedo (?:comer|beber|tomar)\s(?:el\s|la\s)?{V}`),
    rule.figure(
      String.raw`(?:^|,\s)(?:[Mm]i|[Nn]uestr[oa]|[Ee]l)\s(?<thing>presupuesto|tarifa|honorario|` +
        String.raw`plazo|objetivo|límite|alquiler|hipoteca|cuota|sueldo|salario)\s(?:ahora\s)?es ` +
        String.raw`(?:ahora )?de\s(?<value>\d[\d.,:]*(?:\s[^.,;:!?]{2,40})?)(?=[.,;:!?]|$)`,
    ),
    rule.instruction(
      String.raw`^(?:[Pp]or favor,?\s)?(?<value>[Nn]ada de\s[^?\n]{3,60}\b(?:me|` +
        String.raw`conmigo)\b[^?\n]{2,60})`,
    ),
    rule.instruction(
      String.raw`^(?:[Pp]or favor,?\s)?(?:[Ss]iempre|[Nn]unca)\s(?<value>\p{Ll}+(?:me|` +
        String.raw`nos|lo|la|es|as|e|a)\b[^?\n]{3,120})`,
    ),
    // A request is required: `A partir de ahora vivo en Soria` asks for nothing.
    rule.instruction(
      String.raw`^{HENCE},?\s(?:por favor,?\s)?(?<value>(?:{ASKED}|nada de)\s[^?\n]{2,120})`,
    ),
    rule.instruction(
      String.raw`^(?:[Pp]or favor,?\s)?(?!.*(?:qué|quién|cómo|cuándo|dónde|(?:como|lo de) ` +
        String.raw`siempre|siempre que))(?<value>{ASKED}\s(?:[^?,\n]{1,80}\s)?{STANDING}` +
        String.raw`[^?\n]{0,80})`,
    ),
    rule.instruction(
      String.raw`^[Pp]refiero que (?<value>(?:no )?(?:me |nos )?(?:respondas|contestes|hables|` +
        String.raw`escribas|trates|tutees|llames|expliques|des)(?!\p{L})[^?\n]{0,100})`,
    ),
    rule.decisionAgainst(
      String.raw`(?:[Dd]ecidimos|[Hh]emos decidido|[Aa]cordamos) {NOT} (?:{USING} )?{PLANNED}{FOR}`,
    ),
    rule.decisionAgainst(
      String.raw`(?:[Hh]emos (?:descartado|abandonado|rechazado)|[Dd]escartamos|[Aa]bandonamos|` +
        String.raw`[Rr]echazamos) {PLAN} de (?:{USING} )?{PLANNED}{FOR}`,
    ),
    rule.decisionAgainst(
      String.raw`(?<!\p{L})(?:[Yy]a no|[Aa]l final no) (?:(?:vamos a )?{USING}|usamos|usaremos|` +
        String.raw`utilizamos) {PLANNED}{FOR}`,
    ),
    rule.decision(
      String.raw`(?:[Dd]ecidimos|[Hh]emos decidido|[Aa]cordamos|[Qq]uedamos en)` +
        String.raw`\s(?!no\s|que [^.,;:!?]*(?<!\p{L}|y )no\s)(?<value>[^.;:!?]{3,120}?)` +
        String.raw`(?:\spara\s(?:la\s|el\s|nuestr[oa]\s)?(?<thing>[^.,;:!?]{3,40}))?(?=[.,;:!?]|$)`,
    ),
    rule.decision(
      String.raw`(?:[Vv]amos con|[Uu]samos|[Uu]saremos|[Nn]os quedamos con)\s` +
        String.raw`(?<value>[^.,;:!?]{2,60}?)(?:\s(?:en vez de|en lugar de)\s(?<old>\S{2,40}?))?` +
        String.raw`(?:\spara\s(?:la\s|el\s)?(?<thing>[^.,;:!?]{3,40}))?(?=[.,;:!?]|$)`,
    ),
    rule.owner(
      String.raw`^(?:[Aa]hora\s)?(?<value>\p{Lu}\p{Ll}+)\s(?:ahora\s)?(?:se encarga|` +
        String.raw`es responsable|está a cargo|se (?:hizo|ha hecho) cargo)\sde(?:l|\sla|\sel)?\s` +
        String.raw`(?<thing>[^.,;:!?]{3,40})(?=[.,;:!?]|$)`,
    ),
    rule.birthday(
      String.raw`[Mm]i (?<thing>\p{Ll}{3,14}) cumple (?:años|\d{1,3}(?: años)?) el ` +
        String.raw`(?<value>\d{1,2} de \p{L}+)`,
    ),
    rule.timeOff(
      String.raw`{I}(?:[Ee]stoy|[Ee]staré) de (?:vacaciones|permiso|baja) ` +
        String.raw`(?<value>(?:del|desde el) \d{1,2}(?: de \p{L}+)? (?:al|hasta el) ` +
        String.raw`[^.,;:!?]{1,20})`,
    ),
    rule.responsible(
      '(?:^|[,;] )(?:[Ss]oy (?:el |la )?responsable de|[Ee]stoy a cargo de|[Mm]e encargo de) {V}',
    ),
    rule.date(
      String.raw`(?:^|\s)(?:[Ee]l|[Ll]a|[Mm]i|[Nn]uestr[oa])\s(?<thing>{EVENT})\s(?:es|será|pasa|` +
        String.raw`se pasó|empieza|cae|quedó|se mueve|se movió|(?:se|ha sido|fue) ` +
        String.raw`${oneOf(MOVED)})(?:\sdel\s(?<old>.{3,25}?))?(?:\sahora)?\s` +
        String.raw`(?<value>{DATE}[^.;!?()]{0,40})`,
    ),
    rule.theOne(
      String.raw`[Mm]i\s(?:nuev[oa]\s)?(?<thing>{OWN}),?\s(?:es(?:\sahora)?|ahora es)\s(?:el\s)?` +
        String.raw`(?<value>\d{1,2} de \p{Ll}+|{NAME}|[\w.+-]+@[\w.-]+|\+?[\d ()-]{5,}|\d[\d.,]*)`,
    ),
    rule.theOne(
      '^(?:[Aa]hora )?(?!(?:Ella|Él|Quién|Est[ea]|Es[ea]) )(?<value>{NAME}) (?:ahora )?es ' +
        '(?:ahora )?(?:mi|nuestr[oa]) (?:nuev[oa] )?(?<thing>{SERVING})(?: ahora)?(?=[.,;:!]|$)',
    ),
    rule.theOne(String.raw`[Mm]i\s(?<thing>{NAMED})\sse llama\s(?<value>{NAME})`),
    rule.oneOfSeveral(
      String.raw`(?:[Mm]i|[Nn]uestr[oa])\s(?<thing>{KIN}|{PET})\sse llama\s(?<value>{NAME})`,
    ),
    rule.oneOfSeveral(
      String.raw`(?<!\p{L})(?:[Tt]engo|[Tt]enemos|[Hh]e(?:mos)? (?:adoptado|comprado|recogido)|` +
        String.raw`[Aa]dopt(?:é|amos)) una? (?<thing>{PET}),? ` +
        String.raw`(?:(?:que |y )?se llama|llamad[oa]|de nombre) (?<value>{NAME})`,
    ),
    rule.age(
      String.raw`(?:^|, |y )(?:[Mm]i|[Nn]uestr[oa]) (?:{KIN}) (?<thing>\p{Lu}[\p{L}-]+) (?:ya )?` +
        String.raw`(?:tiene|cumplió|ha cumplido) (?:ya )?(?<value>\d{1,2}) años(?!\p{L})`,
    ),
    rule.has(
      String.raw`(?<!\p{L})[Tt]engo\s(?<value>(?:un|una|dos|tres)\s(?:perr[oa]s?|` +
        String.raw`gat[oa]s?|hij[oa]s?|herman[oa]s?|caballos?))(?!\p{L})`,
    ),
    rule.hasNot(String.raw`[Vv]endí mi\s{V}`),
    rule.teaches(
      String.raw`(?<!\p{L})(?:[Dd]oy clases?|[Ee]nseño)(?: ahora)?(?: de \p{Ll}+)? ` +
        String.raw`en (?:una?|el|la) ` +
        String.raw`(?<value>(?:instituto|colegio|escuela|universidad|academia)(?: \p{L}+)?)`,
    ),
    rule.residenceInPassing('[Dd]esde (?:la|mi|nuestra) mudanza a (?<value>{NAME})'),
    rule.residenceInPassing(
      '[Dd]esde que (?:me mudé|nos mudamos|me he mudado|nos hemos mudado) a (?<value>{NAME})',
    ),
    rule.residenceInPassing(
      '^{SOFAR}.*?(?<!\\p{L})(?:[Mm]i|[Nn]uestr[oa]) (?:nuev[oa] {BUILT}|{BUILT} nuev[oa]) ' +
        '(?:en|de) (?<value>{NAME})',
    ),
    rule.employerInPassing(
      '[Dd]esde que (?:empecé|entré|trabajo|empecé a trabajar) (?:en|para) (?:el |la )?' +
        '(?<value>{NAME})',
    ),
    rule.employerInPassing(
      '^{SOFAR}.*?(?<!\\p{L})[Mm]i (?:nuevo (?:trabajo|empleo|puesto)|(?:trabajo|empleo|puesto) ' +
        'nuevo) en (?:el |la )?(?<value>{NAME})',
    ),
    rule.theOneInPassing(
      '(?<!\\p{L})(?:[Mm]i|[Nn]uestr[oa]) (?<thing>{PERSON}) nuev[oa],? (?:es |se llama )?{TITLE}' +
        '(?<value>{NAME})',
    ),
    rule.theOneInPassing(
      '(?<!\\p{L})(?:[Mm]i|[Nn]uestr[oa]) nuev[oa] (?<thing>{PERSON}),? (?:es |se llama )?{TITLE}' +
        '(?<value>{NAME})',
    ),
  ],
  notLasting: new RegExp(
    String.raw`(?<!\p{L})(?:[Ss]i(?! )|[Ss]i(?= )|podríamos|podría|debería\w*|quizás?|[Qq]uizás?|` +
      String.raw`[Tt]al vez|[Aa] lo mejor|[Pp]robablemente|imagin\w+|ojalá|[Oo]jalá|espero|` +
      String.raw`[Aa]ntes(?! de)|hoy|[Hh]oy|(?<!(?:por|de) la |cada )[Mm]añana|por ahora|de ` +
      String.raw`momento|en este momento|[Jj]a(?:ja)+|broma|dice|dicen|dijo|dijeron|` +
      String.raw`(?:[Nn]o|[Nn]unca) (?:digo|dije|he dicho)|[Nn]o es (?:que|cierto|verdad)|[Ee]s ` +
      String.raw`(?:mentira|falso)|[Nn]o significa|según|casi|quisiera|querría|pensando|pienso|` +
      String.raw`[Ss]oñé|soñado)` +
      String.raw`(?!\p{L})`,
    'u',
  ),
  dayOfDeed: new RegExp(
    `(?<=^|[.,;–—]\\s)[Hh]oy(?=\\s[^.,;–—]{0,120}${DONE})|` +
      `(?<=${DONE}[^.,;–—]{0,120}\\s)hoy(?!\\p{L})`,
    'gu',
  ),
  aside: new RegExp(
    String.raw`(?<!\p{L})(?:[Jj]a(?:ja)+|dicen?|dijo|dijeron|[Hh]oy|casi)(?!\p{L})`,
    'gu',
  ),
  joint: new RegExp(
    String.raw`\s*[,;–—]\s*|(?<=^(?:ja(?:ja)*|lol))\s+|` +
      String.raw`\s+(?:y|pero|así que|por cierto|además|bueno|ah|oye|ok|vale)\s+`,
    'iu',
  ),
  commissioned: new RegExp(
    String.raw`(?:traduc[ei]|en mi (?:novela|cuento|sueño|libro)|traducir|` +
      String.raw`corrige|corregí|reescribe|resume|juego de rol|en el cuento|` +
      String.raw`(?<!^\W*)es broma|(?:escrib[ei]|redact[aá])(?:me)?[^.?!]{0,30}(?:carta|` +
      String.raw`correo|mail|poema|cuento|texto|discurso|tuit|mensaje|reseña|artículo|entrada)|` +
      String.raw`^(?:escrib[ei]|redact[aá])(?:me)?(?!\p{L})[^.?!:\n]{0,60}:)`,
    'iu',
  ),
  pointing: new RegExp(
    String.raw`^(?:eso|esto|est[aeo]s?|es[aeo]s?|aquell\w+|tu|tus|vos|cómo|` +
      String.raw`como|que|qué|cuando|donde|${WEEKDAYS.es}s?$|l[ao] (?:primer[ao]|segund[ao]|` +
      String.raw`últim[ao]|idea|que|forma|otr[ao])|el (?:primero|segundo|último|` +
      String.raw`que|otro)|más|todo|nada|algo|mucho)(?!\p{L})`,
    'iu',
  ),
  filler: new RegExp(
    String.raw`^(?:(?:por cierto|ah|bueno|pues|sí|no|ok|y|hola|gracias|además|para que conste|` +
      String.raw`falsa alarma|(?:s[oó]lo )?(?:es|era|fue) (?:s[oó]lo )?(?:una )?broma` +
      String.raw`(?=.*(?:no|sigo)\s))[,:!.]\s+)+`,
    'iu',
  ),
  replaced: new RegExp(
    String.raw`(?<!\p{L})(?:en (?:lugar|vez) de|(?:cambiar|pasar|migrar|mudarnos) de|` +
      String.raw`reemplazar(?: a)?|sustituir(?: a)?) (?:(?:el|la|los|las|usar) )?${OLD_NAME}`,
    'u',
  ),
  another: /^(?:nuev[oa]|actual) (?!perr|gat[oa]|amig|compañer|vecin)/iu,
  relative: new RegExp(
    String.raw`(?<!\p{L})(?:hoy|ayer|anteayer|mañana|pasad[oa]s?|próxim[oa]s?|hace|` +
      String.raw`est[ea] (?:semana|mes|año)|en (?:un|\p{L}+|\d+) (?:día|semana|mes|año)(?:e?s)?|` +
      String.raw`${WEEKDAYS.es}|recién)(?!\p{L})`,
    'iu',
  ),
  things: new Map([...PETS, ...KIN, ...NAMED, ...EVENTS]),
};
