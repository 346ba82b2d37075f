/** Signs of a change: two texts by one person, who names the same people, days and things. */
import { describe, expect, test } from 'vitest';
import { isLikelyChange, readDatedText } from '#core/recall/likely-correction.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();
const read = (content: string) =>
  readDatedText({ content, at: 0, terms: () => new Set(analyzer.terms(content)) });
const isMarked = (older: string, newer: string) => isLikelyChange(read(older), read(newer));

describe('a later text of the same person', () => {
  test.each([
    ['My dentist appointment is next Thursday', 'The dentist moved my appointment to Friday'],
    ['We pay 1,150 pounds rent', 'oh and rent went up, it’s 1,210 now from December'],
    ['My brother Tom just bought a Tesla.', 'Tom sold the Tesla, he drives a Skoda now'],
    [
      'I run the half marathon in May with Tom',
      'We will do the half marathon in September instead',
    ],
    ['Ich lerne gerade Italienisch', 'Ich hab mit Italienisch aufgehört, mache jetzt Spanisch'],
    ['Por las mañanas tomo café con leche', 'He dejado el café, ahora solo tomo té verde'],
    [
      'Ich hab Zimmer in Freudenstadt angefragt',
      'Ich hab dort storniert, wir gehen nach Bad Urach',
    ],
    ['We decided to launch on November 17.', 'The launch moves to December 1.'],
    ['Montags habe ich Spanischkurs', 'Der Spanischkurs findet neuerdings donnerstags statt'],
    ['For backups we use Backblaze.', 'We dropped Backblaze over the price.'],
    ['The kitchen is done by Halloran Brothers', 'Halloran pulled out, so it’s Peter Nowak'],
    ['我们国庆去云南，住大理。', '云南票太贵，国庆改成去长沙了。'],
    [
      'Der Chor probt montags um acht in der Aula',
      'Der Chor probt jetzt dienstags um neun, auch wegen der Heizung',
    ],
    ['The standup is on Monday', 'haha yeah the standup moved to thursday'],
    ['I drive a Toyota', 'my mum says hi and i sold the toyota'],
    ['Das Yoga ist am Montag', 'puh heute viel los und das Yoga ist jetzt am Dienstag'],
    ['Tengo un coche', 'hoy mucho trabajo y vendí el coche'],
    ['我开丰田。', '哈哈，我把丰田卖了。'],
    ['My daughter Lina goes to the Sint-Jan school', 'They moved Lina to the Sint-Lukas school'],
    ['The office lease is 900 euros', 'The office lease is 950 euros from May on, it went up'],
    ['I drink coffee.', 'I drink tea now, no more coffee for me.'],
    ['Behind me is Beatriz', 'Beatriz has gone over to the data team, Anselm is behind me'],
    ['I’m on flight LH 401.', 'They rebooked me on LH 405'],
    ['Ich fliege mit LH 401.', 'Sie haben mich auf LH 405 umgebucht'],
    ['We use LastPass', 'We switched to Bitwarden'],
    ['We use LastPass as our password manager.', 'We switched to Bitwarden last week'],
    ['Wir nutzen Postgres', 'Wir sind auf MySQL umgestiegen'],
    ['Usamos Slack', 'Nos hemos pasado a Teams'],
    ['我们用Slack沟通', '我们换成飞书了'],
    ['Iris prefers invoices as PDF.', 'Iris wants invoices on paper from now on'],
    ['Iris möchte die Rechnung als PDF.', 'Iris will die Rechnung ab jetzt auf Papier'],
    ['我们国庆去云南。', '云南票太贵，国庆的安排，改成去长沙了。'],
  ])('"%s" is outdated by "%s"', (older, newer) => {
    expect(isMarked(older, newer)).toBe(true);
  });

  test.each([
    ['My new boss is Tom', 'yes, Tom is my boss now'],
    ['im vegetarian and allergic to shellfish', 'i eat fish again since May, still no shellfish'],
    ['Anna Berger is allergic to cats', 'Anna Berger got promoted, she’s head of the ward now'],
    ['Anna and I want to go to Porto March 6 to 13', 'Anna Berger got promoted to head now'],
    ['Tom sold the Tesla, he drives a Skoda now', 'Tom can’t run in May, we run in June instead'],
    ['Her birthday is on December 2nd', 'oh and rent went up, it’s 1,210 now from December'],
    ['My appointment is next Thursday at 9', 'I switched to day shifts starting next Monday'],
    [
      'I just moved to a flat on Linden Street 14',
      'The dentist moved my visit to the 13th at 14:00',
    ],
    ['Ich vertrage keine Nüsse', 'Kaffee vertrag ich nicht mehr, ich trinke jetzt Kräutertee'],
    ['Ich hab am Donnerstag um 15 Uhr Elternabend', 'Ich hab jetzt um 16 Uhr Spanisch'],
    ['Meine Frau heißt Anna', 'Meine Frau arbeitet jetzt bei Bauwerk'],
    ['Pago 890 euros de hipoteca al mes', 'Me han subido el sueldo, ahora gano 1.950 al mes'],
    ['Ana cumple 9 años el 3 de diciembre', 'Ana me ha subido el sueldo, ahora gano 1.950'],
    ['家里的WiFi密码是 bamboo-2290', '我们搬家了，现在住在杭州西湖区文三路66号'],
    ['I live in Leeds', 'Draft a letter: "Dear Gran, I live on Mars now"'],
    ['Ich wohne in Leipzig', 'Schreib einen Brief: "Liebe Oma, ich wohne jetzt auf dem Mars"'],
    ['I live in Leeds', 'My mum said "I live in Spain now" on the phone'],
    ['Tengo dos hijos, Leo y Ana.', 'Cambiaron los entrenamientos de Leo a los lunes.'],
    ['I have two kids, Leo and Ana.', 'They moved Leo’s training to Mondays.'],
    [
      'Two kids, Sami (9) and Lina (6), and my partner is Wout.',
      'Results for Lina: milk is ok now',
    ],
    ['Ich habe zwei Kinder, Leo und Ana.', 'Beim Arzt mit Leo gewesen, Milch geht jetzt wieder'],
    [
      'I’m Noor, translator in Ghent, 41, and my partner is Wout',
      'don’t use the form with the blue header anymore, the new one is called noor-2026.dotx',
    ],
    [
      'invoice them then, net 30, their vat number is BE0432.118.907',
      'don’t use the invoice template with a blue header anymore, the new one is noor-2026.dotx',
    ],
    ['Petra swears by the espresso ones, €3 each', 'Train at 9 now since Petra can’t fly at 11'],
    ['She gets a call if I wait for ten minutes', 'So the rule now waits for four minutes of lag'],
    ['En Ibiza pasé mi luna de miel.', 'Vendí el Ibiza.'],
    ['Halloran Brothers did my sister’s bathroom', 'Halloran pulled out, so it’s Peter Nowak'],
    ['印象笔记是我导师推荐给我的。', '我把笔记都搬到飞书里了，印象笔记也退订了。'],
    ['奶奶住了一周，买了一条鱼。', '老王换工作了，最后一天请了一桌。'],
    ['Das Yoga ist mittwochs um sechs', 'Ich arbeite jetzt nur 60 Prozent, weil mir Yoga fehlt'],
    [
      'Ich arbeite jetzt nur 60 Prozent, weil mir Yoga fehlt',
      'Yoga ist jetzt dienstags um sieben im Turm',
    ],
    ['In der Kita arbeitet meine Schwester.', 'Wir zahlen für die Kita nur noch 180 Euro.'],
    ['The standup is on Monday', 'sam says the standup moved to thursday'],
    ['The standup is on Monday', 'if it rains today, the standup moved to thursday'],
    ['I drive a Toyota.', 'lol maybe I sold the Toyota'],
    ['I drive a Toyota.', 'I sold the Toyota haha'],
    ['Das Yoga ist am Montag', 'haha wenn das so ist, ist das Yoga jetzt am Dienstag'],
    ['Tengo un coche', 'jaja ojalá, vendí el coche'],
    ['我开丰田。', '哈哈，如果我把丰田卖了'],
    ['Ich bin im Elternrat.', 'Der Elternrat trifft sich jetzt online.'],
    ['I like tea.', 'I no longer like coffee.'],
    ['我喜欢茶。', '我不再喜欢咖啡了。'],
    ['I drink coffee in the morning.', 'I drink tea in the evening now.'],
    ['My dentist is Dr. Vega.', 'My son has a new dentist, Dr. Ruiz.'],
    ['My son goes to the Oak School.', 'My daughter goes to the Elm School now.'],
    ['My boss is Tom.', 'Her boss is Lea now.'],
    [
      'My daughter Ines starts school in Porto next September.',
      'Scratch that thing about calls before 10, the school bus picks Ines up now.',
    ],
    ['My son Leo plays football in Leeds.', 'The football coach drives Leo home now.'],
    ['Mi hija Inés va al colegio en Oporto.', 'Ahora el autobús del colegio recoge a Inés.'],
    ['Meine Tochter geht in Bonn zur Schule.', 'Meine Tochter fährt jetzt mit dem Rad zur Schule.'],
    ['My daughter goes to school in Porto.', 'My daughter goes to school with Ines now.'],
    ['Mein Büro ist im dritten Stock.', 'Mein Büro ist jetzt endlich gestrichen.'],
    ['We pay 12 euros for Netflix.', 'We pay 11 euros for Spotify now.'],
    ['Ich zahle 900 Euro Miete.', 'Für die Garage zahle ich jetzt 80 Euro.'],
    ['Wir zahlen 900 Euro Miete.', 'Wir zahlen jetzt 80 Euro für die Garage.'],
    ['Wir zahlen 900 Euro Miete.', 'Wir zahlen für die Garage jetzt 80 Euro Miete.'],
    ['I pay 12 euros a month for Netflix.', 'I now pay 11 euros a month for Spotify.'],
    ['Pago 900 euros de alquiler.', 'Ahora pago 80 euros por el garaje.'],
    ['We use LastPass.', 'We switched to Slack'],
    ['We use Postgres for billing.', 'We switched to MySQL for the shop'],
    ['Tom uses Postgres.', 'We switched to MySQL'],
    ['We used MySQL in 2015.', 'We switched to Postgres.'],
    ['I like Slack.', 'We switched to Teams.'],
    ['I’m on flight LH 401.', 'They rebooked Tom on LH 405.'],
    ['I read newspapers on paper.', 'I send invoices as PDF now.'],
    ['我早上送孩子上学。', '我一早上没喝水，咖啡改成喝茶了。'],
    // Of a long message, most of what shares a word with another one is of another matter.
    [
      'I charge £380 a day, I’m good with lids and hopeless with the ledger.',
      'There’s a workshop in Lublin that makes lids for half of Poland, so they make ours now.',
    ],
    [
      'My niece Carys from Barry, with the baby.',
      'The cake is for Carys, who asked me, and I don’t know any more why I said yes.',
    ],
    [
      'I’m asleep from ten to four and nobody is to call me, not even a plumber.',
      'The man in bed 9 left on Sunday. He’s called Norman, it turns out.',
    ],
    ['I had to tell the clerk three times.', 'So it’s Tuesdays now, I could tell she was tired.'],
    [
      'Regel für dich: wenn du mir etwas schreibst, dann höchstens einen Satz über Hanna.',
      'Jetzt bitte den Papierkram, in einem Satz, weil Moritz gleich anruft.',
    ],
    [
      'Me voy con mi perro Trasto y salgo de Astorga.',
      'Llegué a la plaza con Trasto en brazos, porque ya no podía más, y una señora de Lugo lloró.',
    ],
    ['Tú no lo cuentes, que no se puede decir.', 'Dijo Rosa que ya no puede los jueves.'],
    ['小满早上七点吹哨子，大家一起刷牙。', '那就变成我早上送，舅舅下午接。'],
  ])('"%s" still holds after "%s"', (older, newer) => {
    expect(isMarked(older, newer)).toBe(false);
  });
});
