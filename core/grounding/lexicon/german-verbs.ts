/** German strong verbs: irregular forms, with any prefix in front of them. */

/** Per line: the infinitive, and forms with other vowels, without the `ge` of participles. */
const STRONG = `
backen bäckt buk
befehlen befiehlt befahl befohlen
beginnen begann begonnen
beißen biss bissen
bieten bot boten
binden band banden bunden
bitten bat baten gebeten
blasen bläst blies bliesen
bleiben blieb blieben
braten brät briet brieten
brechen bricht brach brachen brochen
brennen brannte brannten brannt
bringen brachte brachten bracht
denken dachte dachten dacht
dringen drang drangen drungen
empfehlen empfiehlt empfahl empfohlen
essen isst aß aßen gegessen
fahren fährt fährst fuhr fuhren
fallen fällt fiel fielen
fangen fängt fing fingen
finden fand fanden funden
fliegen flog flogen
fliehen floh flohen
fließen floss flossen
fressen frisst fraß fraßen
frieren fror froren
geben gibt gab gaben
gehen ging gingen gangen
gelten gilt galt galten golten
genießen genoss genossen
geschehen geschieht geschah
gewinnen gewann gewonnen
gießen goss gossen
gleichen glich glichen
graben gräbt grub gruben
greifen griff griffen
halten hält hielt hielten
hängen hing hingen
heben hob hoben
heißen hieß hießen
helfen hilft half halfen holfen
kennen kannte kannten kannt
klingen klang klangen klungen
kommen kam kamen
laden lädt lud luden
lassen lässt ließ ließen
laufen läuft lief liefen
leiden litt litten
leihen lieh liehen
lesen liest las lasen
liegen lag lagen gelegen
lügen log logen
meiden mied mieden
messen misst maß maßen
nehmen nimmt nahm nahmen nommen
nennen nannte nannten nannt
pfeifen pfiff pfiffen
raten rät riet rieten
reiben rieb rieben
reißen riss rissen
reiten ritt ritten
rennen rannte rannten rannt
riechen roch rochen
rufen rief riefen
scheiden schied schieden
scheinen schien schienen
schieben schob schoben
schießen schoss schossen
schlafen schläft schlief schliefen
schlagen schlägt schlug schlugen
schließen schloss schlossen
schmelzen schmilzt schmolz schmolzen
schneiden schnitt schnitten
schreiben schrieb schrieben
schreien schrie schrien
schreiten schritt schritten
schweigen schwieg schwiegen
schwimmen schwamm schwammen schwommen
sehen sieht sah sahen
senden sandte sandten sandt
singen sang sangen sungen
sinken sank sanken sunken
sitzen saß saßen gesessen
sprechen spricht sprach sprachen sprochen
springen sprang sprangen sprungen
stechen sticht stach stachen stochen
stehen stand standen
stehlen stiehlt stahl stahlen stohlen
steigen stieg stiegen
sterben stirbt starb starben storben
stoßen stößt stieß stießen
streichen strich strichen
streiten stritt stritten
tragen trägt trug trugen
treffen trifft traf trafen troffen
treiben trieb trieben
treten tritt trat traten
trinken trank tranken trunken
tun tut tat taten tan
verderben verdirbt verdarb verdorben
vergessen vergisst vergaß vergaßen
verlieren verlor verloren
wachsen wächst wuchs wuchsen
waschen wäscht wusch wuschen
weichen wich wichen
weisen wies wiesen
wenden wandte wandten wandt
werben wirbt warb warben worben
werfen wirft warf warfen worfen
wiegen wog wogen
ziehen zog zogen
zwingen zwang zwangen zwungen
`;

const INFINITIVES = new Map(
  STRONG.trim()
    .split('\n')
    .flatMap((line) => {
      const [first = '', ...forms] = line.split(' ');
      return [first, ...forms].map((form): [string, string] => [form, first]);
    }),
);

const FIXED = 'be|emp|ent|er|miss|ver|zer|wider|hinter';
const LOOSE =
  'ab|an|auf|aus|bei|dar|durch|ein|empor|entgegen|fest|fort|frei|her|heraus|herein|hin|hinaus|' +
  'hinein|hinzu|los|mit|nach|nieder|statt|teil|über|um|unter|vor|voraus|vorbei|weg|weiter|' +
  'wieder|zu|zurück|zusammen|raus|rein|runter|hoch';
const PARTS = new RegExp(`^(${LOOSE})?(?:zu|ge)?(${FIXED})?(?:ge)?(\\p{L}{3,})$`, 'u');
const WHOLE = new RegExp(`^(${FIXED})?(?:ge)?(\\p{L}{3,})$`, 'u');

/** Verb prefixes that stand at the end of a clause: `ruft … an`. */
export const PARTICLES: ReadonlySet<string> = new Set(LOOSE.split('|'));

/** Returns the infinitive of a form of a strong verb, or the word itself. */
export function germanInfinitive(lower: string): string {
  const own = infinitiveOf(lower);
  if (own !== undefined) return own;
  for (const [pattern, at] of [
    [WHOLE, 1],
    [PARTS, 2],
  ] as const) {
    const found = pattern.exec(lower);
    if (found === null) continue;
    const prefixes = found.slice(1, at + 1).map((part) => part ?? '');
    const infinitive = infinitiveOf(found[at + 1] ?? '');
    if (infinitive !== undefined) return prefixes.join('') + infinitive;
  }
  return lower;
}

/** Also finds forms that keep the vowel of the infinitive: `fahre`, `fahrt` and `fahren`. */
function infinitiveOf(form: string): string | undefined {
  const known = INFINITIVES.get(form) ?? INFINITIVES.get(form.replace(/e$/u, ''));
  if (known !== undefined) return known;
  const bare = `${form.replace(/(?:e|t|st)$/u, '')}en`;
  return INFINITIVES.get(bare) === bare ? bare : undefined;
}
