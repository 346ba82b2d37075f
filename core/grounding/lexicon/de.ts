import { oneOf } from '../../text/pattern.ts';
import { createStem } from '../../text/stem.ts';
import { germanInfinitive } from './german-verbs.ts';
import type { LexiconText } from './lexicon.ts';

const PREFIXES = String.raw`
  ab, an, auf, aus, bei, ein, fest, her, hin, los, mit, nach, statt, teil, um, unter, vor, weg,
  zurück, zusammen, zu, über
`;

const SAME = `
sein bin bist ist sind war gewesen
sprechen gespräch
fahren fahrt
finden fund
beginnen starten startet anfangen fängt
gewinnen gewann
verlieren verlust
steigen anstieg
schließen schließung
beschließen beschluss entscheiden
wählen wählte
zog umzug
helfen hilfe
sterben tod
bieten angebot
kaufen erwerben
verkaufen verkauft
arzt ärztin doktor doktorin
firma unternehmen betrieb
auto wagen pkw
telefon handy
mutter mama
vater papa
großmutter oma
großvater opa
fahrrad rad
wohnung apartment
lehrer lehrerin lehrkraft
reparieren repariert reparatur
anwalt anwältin rechtsanwalt
medikament arznei arzneimittel medizin
kunde kundin
erhalten bekommen
benötigen brauchen braucht
ende endet beenden
prüfen prüfung
umziehen zog
dauern dauert
gebraucht gebrauchte gebrauchtes gebrauchter
schüler schülerin schülerinnen
student studentin studierende
mitarbeiter mitarbeiterin angestellte beschäftigte
chef chefin vorgesetzte leiter leiterin
geschäft laden
gehalt lohn
straße weg
krank erkrankt krankheit
kündigen kündigt
wohnen wohnt lebt leben
preis kosten kostet
gratis kostenlos frei
gast besucher
haus gebäude
pause unterbrechung
müll abfall
reise fahrt
termin verabredung
gespräch unterhaltung
essen speise mahlzeit
groß riesig
klein winzig
`;

export const GERMAN: LexiconText = {
  free: `
    der die das den dem des ein eine einen einem einer eines und oder aber dass daß wie als zu zum
    zur im in am an ans auf aus bei beim mit nach von vom vor für über unter um durch gegen ab bis
    zwischen neben seit während dabei dafür damit davon dazu daran darin darauf ist sind war waren
    sein bin bist sei wird werden wurde wurden worden werde hat haben hatte hatten habe hast gehabt
    es er ihn ihm seine seinen seinem seiner sie ihr ihre ihren ihrem ihrer ich mich mir mein meine
    meinen meinem meiner wir uns unser unsere unseren unserem unserer du dich dir dein deine sich
    dieser diese dieses diesen diesem jener welche welcher welches wer was wo wann warum auch noch
    schon sehr nun da dort hier dann sowie sowohl doch ja so man etwa zwar laut gemäß bezüglich
    zufolge sagt sagte gesagt sagen teilt teilte mitgeteilt mitteilte berichtet berichtete erklärt
    erklärte erwähnt erwähnte gibt findet fand statt stattfinden stattfand liegt befindet befinden
    erfolgt erfolgte kommt gehen geht macht machen gemacht getan tun nutzt verwendet uhr user nutzer
    benutzer derzeit bitte mal deren dessen denen gekommen befand dauert beginnt begann begonnen
    startet erhält erhalten erhielt bekommt bekam bleibt blieb steht stand stehen lag liegen läuft
    lief trägt umfasst beträgt betrug kostet kosten wiegt misst enthält enthalten bringt brachte
    hält hielt führt durchgeführt durchführung stellt gestellt lässt lassen ließ person personen
    mensch menschen leute mitglied mitglieder teilnehmer anzahl zahl menge ort stelle platz gebäude
    bereich art form teil sache gegenstand gerät uhrzeit datum zeitraum termin dauer länge höhe
    größe gewicht preis alter temperatur team gruppe frau mann insgesamt gemeinsam zusammen kürzlich
    ungefähr zirka herr herrn derzeitigen entsprechend anschließend außerdem wobei wodurch womit
    seitdem dortigen eigen eigene eigenen familie eins her hin los weg derjenige jeweils zurzeit
    eben wieder jedoch allerdings dennoch trotzdem zudem ferner weiterhin bereits zunächst daraufhin
    dadurch dagegen hierbei hierfür hiermit darüber darunter daraus worauf wofür worüber wohin woher
    indem obwohl obgleich wohingegen innerhalb hinsichtlich seitens mittels anhand angesichts sobald
    solange jenen jenes jenem manche mancher einige einigen etliche nutzerin benutzerin nutzers
    nutzern seiten weist wies äußert äußerte gab aktuell aktuelle aktuellen aktueller aktuelles
    vorhanden besteht bestand
  `,
  modifiers: {
    negation: `nicht kein keine keinen keinem keiner keines nie niemals niemand niemanden niemandem
      nichts weder ohne nirgends exkl exklusive ausgenommen verboten verbot verbietet verbieten
      untersagt untersagte außer`,
    possibility: `könnte könnten vielleicht womöglich möglicherweise eventuell wahrscheinlich
      vermutlich wohl scheint scheinen angeblich vermutet vermute vermuten glaubt glaube glauben
      denkt denke erwägt erwägen überlegt überlege möglich unsicher mutmaßlich dürfte dürften
      behauptet behauptete`,
    obligation: `müsse muss müssen musste mussten müsste müssten verpflichtet pflicht nötig
      notwendig erforderlich verpflichtend obligatorisch`,
    advice: `solle sollte sollten soll sollen empfiehlt empfehlen empfahl empfohlen empfehlung rät
      riet schlägt vorgeschlagen vorschlag vorschlagen`,
    wish: `wolle will wollen wollte wollten möchte möchten würde würden gern gerne hofft hoffe
      hoffen wünscht wünsche wunsch hoffnung bevorzugt lieber bereit`,
    permission: `könne dürfe kann können konnte konnten darf dürfen durfte durften erlaubt erlaubte
      gestattet genehmigt`,
    intention: `plant planen geplant plane beabsichtigt absicht vorhat versprochen verspricht
      versprach vorgesehen erwartet vorhaben`,
    condition: 'falls wenn sofern ob vorausgesetzt',
    cause: `weil da denn wegen aufgrund deshalb daher deswegen darum grund ursache verursacht
      verursachte dank infolge folglich somit führte führt`,
    all: `alle allen alles aller jeder jede jedes jeden jedem immer ganz ganze ganzen gesamte beide
      beiden stets sämtliche vollständig`,
    only: 'nur ausschließlich lediglich bloß einzig',
    most: 'meist meisten meistens überwiegend mehrheit oft häufig',
    half: 'halb halbe halben hälfte',
    almost: 'fast beinahe kaum nahezu',
    before: 'bevor vorher früher zuvor',
    after: 'nachdem nachher später danach',
    until: 'bis',
    more: 'mehr höher besser länger größer höhere höheren',
    less: 'weniger niedriger schlechter kürzer kleiner geringer',
    past: 'war waren wurde wurden hatte hatten',
  },
  opposites:
    'über unter, von nach, von zu, aus nach, vor hinter, vor nach, an aus, auf zu, auf unter',
  phrases: {
    request: /\b(?:bitte|bittet|bat|baten|gebeten)\b/u,
    former: /\b(?:früher|ehemals|damals|einst|vormals|nicht mehr)\b/u,
    intention: /\b(?:habe?n?|hast|hat|hatten?) (?:[^ ,]+ ){0,3}vor[.!]*$/u,
  },
  first:
    'ich mich mir mein meine meinen meinem meiner wir uns unser unsere unseren unserem unserer',
  scales: 'lang breit hoch tief alt dick schwer weit entfernt',
  third: 'er sie es ihn ihm ihr ihre sein seine ihren seinen ihrem seinem dieser diese dieses',
  auxiliary: 'wird werden wurde wurden worden',
  participle: /(?:t|en)$/u,
  isFar: true,
  saying: `
    meint meinte erzählt erzählte meldet meldete bemerkt bemerkte ankündigen verkündet verkündete
    sagt sagte gesagt berichtet berichtete erklärt erklärte erwähnt erwähnte betont betonte beklagt
    beklagte gibt gab zu räumt räumte ein fügt hinzu weist wies hin beschreibt beschrieb warnt
    warnte erinnert erinnerte schreibt schrieb schätzt schätzte bestätigt bestätigte antwortet
    antwortete fragt fragte bittet bat bedankt dankt dankte beharrt gestand
  `,
  same: SAME,
  stem: germanStem(),
};

/** Removes the `ge` of participles, so that `abgesagt` and `absagen` match. */
function germanStem(): (word: string) => string {
  const snowball = createStem('german');
  const participle = new RegExp(
    String.raw`^(?<prefix>${oneOf(PREFIXES)})?ge(?<rest>[a-zäöüß]{3,}(?:t|en|te|ten|ter|tes|tem))$`,
    'u',
  );
  return (word) => {
    // A word of request here, not a verb form.
    if (word === 'bitte') return word;
    const infinitive = germanInfinitive(word);
    if (infinitive !== word) return snowball(infinitive);
    const { prefix = '', rest } = participle.exec(word)?.groups ?? {};
    const bare = rest === undefined ? word : `${prefix}${rest.replace(/t(?:e[nrsm]?)?$/u, 'en')}`;
    return snowball(
      bare.replace(/^(ab|an|auf|aus|ein|vor|zu|um|mit|nach)zu(?=[a-zäöü]{3,}en$)/u, '$1'),
    );
  };
}
