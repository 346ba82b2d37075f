/** Rules of extraction for Spanish. */
import { namesOf, ruleMaker, type RuleBook } from '../rule.ts';
import { escaped } from './en.ts';

const OWN = {
  jefe: 'manager',
  jefa: 'manager',
  mujer: 'spouse',
  esposa: 'spouse',
  marido: 'spouse',
  esposo: 'spouse',
  pareja: 'spouse',
  socio: 'associate',
  socia: 'associate',
  contador: 'accountant',
  contadora: 'accountant',
  abogado: 'lawyer',
  abogada: 'lawyer',
  dentista: 'dentist',
  médico: 'doctor',
  médica: 'doctor',
  casero: 'landlord',
  cumpleaños: 'birthday',
  teléfono: 'phone',
  correo: 'email',
  dirección: 'address',
  presupuesto: 'budget',
  tarifa: 'rate',
  coche: 'car',
  auto: 'car',
};
const NAMED = {
  perro: 'dog',
  perra: 'dog',
  gato: 'cat',
  gata: 'cat',
  hija: 'daughter',
  hijo: 'son',
  hermana: 'sister',
  hermano: 'brother',
  caballo: 'horse',
  ...OWN,
};
const EVENTS = {
  lanzamiento: 'launch',
  entrega: 'deadline',
  plazo: 'deadline',
  demo: 'demo',
  reunión: 'meeting',
  cita: 'appointment',
  'cita con el dentista': 'dentist appointment',
  'cita con la dentista': 'dentist appointment',
  'cita con el médico': 'doctor appointment',
  operación: 'surgery',
  examen: 'exam',
  entrevista: 'interview',
  vuelo: 'flight',
  viaje: 'trip',
  boda: 'wedding',
  fiesta: 'party',
  taller: 'workshop',
};
const MONTHS =
  '(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|' +
  'diciembre)';
const DAYS = '(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)';

const rule = ruleMaker({
  V:
    String.raw`(?<value>[^.,;:!?¿¡()…–—\n"“”«»]{2,100}?)` +
    String.raw`(?=\s*(?:[.,;:!?¿¡()…–—\n"“”«»]|$)|\s(?:y|pero|porque|desde|aunque|cuando)\s)`,
  NAME:
    String.raw`\p{Lu}[\p{L}'’&.-]*(?:\s(?:\p{Lu}[\p{L}'’&.-]*|de|del|la|los)` +
    String.raw`)*?(?=\s*(?:[.,;:!?()…–—]|$)|\s\p{Ll}|\s\d)`,
  I: String.raw`(?<![\p{L}])(?:[Yy]o\s)?(?:[Aa]hora\s)?`,
  DATE:
    String.raw`(?:(?:al|el|para el|hasta el|del)\s)(?:(?:próximo\s)?${DAYS}|` +
    String.raw`\d{1,2}\sde\s${MONTHS}|\d{1,2}/\d{1,2})`,
  OWN: namesOf(OWN),
  NAMED: namesOf(NAMED),
  EVENT: namesOf(EVENTS),
  JOB:
    '(?:arquitect[oa]|enfermer[oa]|médic[oa]|ingenier[oa]|programador[a]?|desarrollador[a]?|' +
    'diseñador[a]?|abogad[oa]|profesor[a]?|maestr[oa]|estudiante|contador[a]?|periodista|' +
    'traductor[a]?|electricista|fontaner[oa]|carpinter[oa]|cociner[oa]|panader[oa]|' +
    'fotógraf[oa]|músic[oa]|consultor[a]?|terapeuta|veterinari[oa]|farmacéutic[oa]|albañil)',
  DIET: '(?:vegetarian[oa]|vegan[oa]|celíac[oa]|diabétic[oa]|intolerante a la lactosa)',
});
const ONE = { single: true };
const NOT = { negative: true };
const ENDED = { single: true, negative: true };

export const ES: RuleBook = {
  rules: [
    rule('Self', 'residence', String.raw`[Yy]a no vivo en\s(?<value>{NAME})`, ENDED),
    rule('Self', 'residence', String.raw`{I}(?<!no )[Vv]ivo(?:\sahora)? en\s(?<value>{NAME})`, ONE),
    rule(
      'Self',
      'residence',
      String.raw`[Mm]e (?:mudé|he mudado)(?:\sde\s(?<old>{NAME}))?\sa\s(?<value>{NAME})`,
      ONE,
    ),
    rule('Self', 'employer', String.raw`[Yy]a no trabajo (?:en|para)\s(?<value>{NAME})`, ENDED),
    rule(
      'Self',
      'employer',
      String.raw`{I}(?<!no )[Tt]rabajo(?:\sahora)? (?:en|para)\s(?:el\s|la\s)?(?<value>{NAME})`,
      ONE,
    ),
    rule('Self', 'name', String.raw`[Mm]e llamo\s(?<value>{NAME})`, ONE),
    rule('Self', 'name', String.raw`[Mm]i nombre es\s(?<value>{NAME})`, ONE),
    rule('Self', 'allergy', String.raw`[Nn]o soy alérgic[oa] (?:al|a la|a los|a las|a)\s{V}`, NOT),
    rule(
      'Self',
      'allergy',
      String.raw`{I}[Ss]oy (?:muy )?alérgic[oa] (?:al|a la|a los|a las|a)\s{V}`,
    ),
    rule('Self', 'diet', String.raw`(?:[Yy]a no|[Nn]o) soy\s(?<value>{DIET})`, ENDED),
    rule('Self', 'diet', String.raw`{I}[Ss]oy\s(?<value>{DIET})`, ONE),
    rule('Self', 'job', String.raw`{I}(?<!no )[Ss]oy\s(?:un[ao]?\s)?(?<value>{JOB})(?!\p{L})`),
    rule('Preference', 'like', String.raw`[Nn]o me gustan?\s(?:el\s|la\s|los\s|las\s)?{V}`, NOT),
    rule(
      'Preference',
      'like',
      String.raw`(?<!\p{L})(?:[Oo]dio|[Dd]etesto|[Nn]o (?:como|bebo|tomo|uso)` +
        String.raw`|[Nn]unca (?:como|bebo|tomo))\s(?:el\s|la\s|los\s|las\s)?{V}`,
      NOT,
    ),
    rule(
      'Preference',
      'like',
      String.raw`(?<![Nn]o )(?<!\p{L})[Mm]e (?:gustan?|encantan?)\s(?:el\s|la\s|los\s|las\s)?{V}`,
    ),
    rule('Preference', 'like', String.raw`(?<!\p{L})[Pp]refiero\s{V}`),
    rule(
      'Preference',
      'favorite:{thing}',
      String.raw`[Mm]i (?<thing>\p{Ll}+) (?:favorit[oa]|preferid[oa]) es\s{V}`,
      ONE,
    ),
    rule(
      'Preference',
      'like',
      String.raw`(?<!\p{L})[Nn]o puedo (?:comer|beber|tomar)\s(?:el\s|la\s)?{V}`,
      NOT,
    ),
    rule(
      'Self',
      'my:{thing}',
      String.raw`(?:^|,\s)(?:[Mm]i|[Nn]uestr[oa]|[Ee]l)\s(?<thing>presupuesto|` +
        String.raw`tarifa|honorario|plazo|objetivo|límite)\s(?:ahora\s)?es de\s(?<value>\d[\d.,` +
        String.raw`:]*(?:\s[^.,;:!?]{2,40})?)(?=[.,;:!?]|$)`,
      ONE,
    ),
    rule(
      'Instruction',
      'instruction',
      String.raw`^(?:[Pp]or favor,?\s)?(?<value>[Nn]ada de\s[^?\n]{3,60}\b(?:me|` +
        String.raw`conmigo)\b[^?\n]{2,60})`,
    ),
    rule(
      'Instruction',
      'instruction',
      String.raw`^(?:[Pp]or favor,?\s)?(?:[Ss]iempre|[Nn]unca)\s(?<value>\p{Ll}+(?:me|` +
        String.raw`nos|lo|la|es|as|e|a)\b[^?\n]{3,120})`,
    ),
    rule(
      'Instruction',
      'instruction',
      String.raw`^[Aa] partir de ahora,?\s(?<value>[^?\n]{5,120})`,
    ),
    rule(
      'Decision',
      'decision',
      String.raw`(?:[Dd]ecidimos|[Hh]emos decidido|[Aa]cordamos|[Qq]uedamos en)` +
        String.raw`\s(?<value>[^.;:!?]{3,120}?)` +
        String.raw`(?:\spara\s(?:la\s|el\s|nuestr[oa]\s)?(?<thing>[^.,;:!?]{3,40}))?(?=[.,;:!?]|$)`,
    ),
    rule(
      'Decision',
      'decision',
      String.raw`(?:[Vv]amos con|[Uu]samos|[Uu]saremos|[Nn]os quedamos con)\s(?<value>[^.,;:!` +
        String.raw`?]{2,60}?)(?:\s(?:en vez de|en lugar de)\s(?<old>\S{2,40}?)` +
        String.raw`)?` +
        String.raw`(?:\spara\s(?:la\s|el\s)?(?<thing>[^.,;:!?]{3,40}))?(?=[.,;:!?]|$)`,
    ),
    rule(
      'Ownership',
      'owner:{thing}',
      String.raw`^(?<value>\p{Lu}\p{Ll}+)\s(?:ahora\s)?(?:se encarga de|es responsable de|` +
        String.raw`está a cargo de)\s(?:la\s|el\s)?(?<thing>[^.,;:!?]{3,40})(?=[.,;:!?]|` +
        String.raw`$)`,
      ONE,
    ),
    rule(
      'Date',
      'date:{thing}',
      String.raw`(?:^|\s)(?:[Ee]l|[Ll]a|[Mm]i|[Nn]uestr[oa])\s(?<thing>{EVENT})` +
        String.raw`\s(?:es|será|pasa|se pasó|empieza|cae|quedó|se mueve|se movió)` +
        String.raw`(?:\sdel\s(?<old>.{3,25}?))?(?:\sahora)?\s(?<value>{DATE}[^.;!?()` +
        String.raw`]{0,40})`,
      ONE,
    ),
    rule(
      'Possession',
      'my:{thing}',
      String.raw`[Mm]i\s(?:nuev[oa]\s)?(?<thing>{OWN}),?\s(?:es(?:\sahora)?|ahora es)\s(?:el\s)` +
        String.raw`?(?<value>\d{1,2} de \p{Ll}+|{NAME}|[\w.+-]+@[\w.-]+|\+?[\d ()` +
        String.raw`-]{5,}|\d[\d.,]*)`,
      ONE,
    ),
    rule(
      'Possession',
      'my:{thing}',
      String.raw`[Mm]i\s(?<thing>{NAMED})\sse llama\s(?<value>{NAME})`,
      ONE,
    ),
    rule(
      'Possession',
      'have',
      String.raw`(?<!\p{L})[Tt]engo\s(?<value>(?:un|una|dos|tres)\s(?:perr[oa]s?|` +
        String.raw`gat[oa]s?|hij[oa]s?|herman[oa]s?|caballos?))(?!\p{L})`,
    ),
    rule('Possession', 'have', String.raw`[Vv]endí mi\s{V}`, NOT),
  ],
  passing: new RegExp(
    String.raw`(?<!\p{L})(?:[Ss]i(?! )|[Ss]i(?= )|podríamos|podría|debería\w*|` +
      String.raw`quizás?|[Qq]uizás?|[Tt]al vez|[Aa] lo mejor|[Pp]robablemente|` +
      String.raw`imagin\w+|ojalá|[Oo]jalá|espero|[Aa]ntes(?! de)|hoy|[Hh]oy|` +
      String.raw`[Mm]añana|por ahora|de momento|en este momento|[Jj]a(?:ja)+|` +
      String.raw`broma|dice|dicen|dijo|dijeron|según|casi|quisiera|querría|pensando|` +
      String.raw`pienso)(?!\p{L})`,
    'u',
  ),
  commissioned: new RegExp(
    String.raw`(?:traduc[ei]|en mi (?:novela|cuento|sueño|libro)|traducir|` +
      String.raw`corrige|corregí|reescribe|resume|juego de rol|en el cuento|` +
      String.raw`es broma|(?:escrib[ei]|redact[aá])(?:me)?[^.?!]{0,30}(?:carta|` +
      String.raw`correo|mail|poema|cuento|texto|discurso))`,
    'iu',
  ),
  pointing: new RegExp(
    String.raw`^(?:eso|esto|est[aeo]s?|es[aeo]s?|aquell\w+|tu|tus|vos|cómo|` +
      String.raw`como|que|qué|cuando|donde|(?:lunes|martes|miércoles|jueves|` +
      String.raw`viernes|sábados?|domingos?)$|l[ao] (?:primer[ao]|segund[ao]|` +
      String.raw`últim[ao]|idea|que|forma|otr[ao])|el (?:primero|segundo|último|` +
      String.raw`que|otro)|más|todo|nada|algo|mucho)(?!\p{L})`,
    'iu',
  ),
  filler:
    /^(?:(?:por cierto|ah|bueno|pues|sí|no|ok|y|hola|gracias|además|para que conste)[,:!.]\s+)+/iu,
  relative: new RegExp(
    String.raw`(?<!\p{L})(?:ayer|mañana|pasad[oa]s?|próxim[oa]s?|hace|(?:lunes|` +
      String.raw`martes|miércoles|jueves|viernes|sábado|domingo)|recién)(?!\p{L})`,
    'u',
  ),
  things: { ...NAMED, ...EVENTS },
  inFirstPerson: (text, names) => {
    const who = ['el usuario', 'la usuaria', ...names.map(escaped)].join('|');
    const about = new RegExp(
      `^(?:${who})\\s(vive|trabaja|es|odia|prefiere|tiene|conduce|usa|fuma|estudia|toca|juega)` +
        '(?!\\p{L})',
      'iu',
    );
    return text.replace(about, (_, verb: string) => FIRST_PERSON[verb.toLowerCase()] ?? verb);
  },
};

const FIRST_PERSON: Readonly<Record<string, string>> = {
  vive: 'Vivo',
  trabaja: 'Trabajo',
  es: 'Soy',
  odia: 'Odio',
  prefiere: 'Prefiero',
  tiene: 'Tengo',
  conduce: 'Conduzco',
  usa: 'Uso',
  fuma: 'Fumo',
  estudia: 'Estudio',
  toca: 'Toco',
  juega: 'Juego',
};
