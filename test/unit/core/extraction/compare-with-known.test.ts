import { describe, expect, test } from 'vitest';
import { decide, endingOf, withSpeaker, type Known } from '#core/extraction/compare-with-known.ts';
import { statementsAndCorrectionsOf } from '#core/extraction/statements-and-corrections.ts';
import { extract } from '#core/extraction/extract-statements.ts';
import { knownStatement } from '#core/extraction/statement.ts';
import { layerOfStatement } from '#core/extraction/layer-of-statement.ts';

const AT = Date.parse('2026-11-03T10:00:00Z');

function extracted(content: string, role: 'user' | 'assistant' | 'tool' = 'user') {
  return extract([{ id: 'm', role, speaker: null, content, at: AT }]);
}

function decided(said: string, content: string, differing: Partial<Known> = {}) {
  const [first] = extracted(said);
  if (first === undefined) return null;
  const memory = { id: 'known', content, at: AT - 1, live: true, sources: [], speaker: null };
  const known = [{ ...memory, ...differing }];
  const { statement } = first;
  return decide({ statement, source: 'm', at: AT, speaker: 'Bob' }, known, ['dana']).event;
}

describe('a decision about a statement', () => {
  test.each([
    ['I moved to Berlin.', 'Dana lives in Lyon.', 'SUPERSEDE'],
    ['I moved to Berlin.', 'The user lives in Lyon.', 'SUPERSEDE'],
    ['I moved to Berlin.', 'I live in Berlin.', 'NOOP'],
    ['I live in Berlin.', 'i live in Berlin', 'NOOP'],
    ['I moved to Berlin.', 'Tom lives in Lyon.', 'ADD'],
    ['I moved to Berlin.', 'My sister lives in Lyon.', 'ADD'],
    ['I love coffee.', 'I love tea.', 'ADD'],
    ['I hate coffee.', 'I love coffee.', 'SUPERSEDE'],
    ['I hate coffee.', 'I love tea.', 'ADD'],
    ["I don't work at Siemens any more.", 'I work at Siemens.', 'SUPERSEDE'],
    ["I don't work at Siemens any more.", 'I work at Bosch.', 'ADD'],
    ['My manager is Priya.', 'My boss is Tom.', 'SUPERSEDE'],
    ['I switched to the day shift.', 'I work nights.', 'SUPERSEDE'],
    ['Ich bin in die Tagschicht gewechselt.', 'Ich arbeite nachts.', 'SUPERSEDE'],
    ['I work nights at the bakery.', 'I work days.', 'ADD'],
    ['My dentist appointment is on May 4.', 'The launch is on May 3.', 'ADD'],
    ['Ich bin nach Kiel gezogen.', 'I live in Lyon.', 'SUPERSEDE'],
    ['The report is done. I live in Berlin.', 'I live in Lyon.', 'SUPERSEDE'],
  ])('on %s beside "%s" is %s', (said, known, event) => {
    expect(decided(said, known)).toBe(event);
  });

  test.each([
    ['We moved from Lyon to Berlin.', 'I live in Lyon.', 'SUPERSEDE'],
    ['We moved from AWS to Hetzner.', 'I live in Lyon.', 'ADD'],
    ['We moved from AWS to Hetzner.', 'We use AWS.', 'SUPERSEDE'],
  ])('on %s beside the same person\'s "%s" is %s', (said, known, event) => {
    expect(decided(said, known, { speaker: 'Bob' })).toBe(event);
  });

  test('leaves a memory alone that has ended or is newer than the message', () => {
    expect(decided('I moved to Berlin.', 'I live in Lyon.', { live: false })).toBe('ADD');
    expect(decided('I moved to Berlin.', 'I live in Lyon.', { at: AT + 1 })).toBe('NOOP');
  });

  test('a message does not bring back its own superseded statement', () => {
    const known = { live: false, sources: ['m'] };
    expect(decided('I live in Lyon.', 'I live in Lyon.', known)).toBe('NOOP');
  });
});

describe('extraction', () => {
  test('adds the date after relative time words, and nowhere else', () => {
    const [first] = extracted('I moved to Berlin last month.');
    expect(first?.text).toBe('I moved to Berlin last month. (as of 2026-11-03)');
    expect(extracted('I live in Berlin.')[0]?.text).toBe('I live in Berlin.');
  });

  test.each([
    ['code', '```\nI live in Berlin.\n```'],
    ['a quoted line', '> I live in Berlin.'],
    ['a question', 'I live in Berlin?'],
    ['a sentence with a wink', 'I live in Berlin ;)'],
    ['a sentence with a laughing emoji', 'I live in Berlin 😂'],
    ['a text to translate', 'Translate this: I live in Berlin.'],
  ])('extracts nothing from %s', (_, content) => {
    expect(extracted(content)).toEqual([]);
  });

  test('extracts nothing from tools, and only lessons learned from an assistant', () => {
    expect(extracted('I live in Berlin.', 'tool')).toEqual([]);
    expect(extracted('I live in Berlin.', 'assistant')).toEqual([]);
    const [lesson] = extracted('Lesson learned: the staging database needs the VPN.', 'assistant');
    expect(lesson?.statement.kind).toBe('Lesson');
    expect(lesson?.trust).toBe('observed');
  });
});

describe('an intolerance', () => {
  test.each([
    'Ich bin gegen Haselnüsse allergisch, merk dir das bitte.',
    'Gegen Penicillin bin ich stark allergisch.',
    'Ich habe eine schwere Erdnussallergie.',
    'Ich habe eine Laktoseintoleranz.',
    'Ich habe eine Allergie gegen Bienenstiche.',
    '我有乳糖不耐受。',
    '我有花粉过敏。',
  ])('is extracted in German, Spanish and Chinese word order: %s', (content) => {
    const found = extracted(content).map(({ statement }) => statement);
    expect(found).toMatchObject([{ topic: 'allergy', negative: false }]);
  });

  test.each([
    'Ich bin gegen Haselnüsse nicht mehr allergisch.',
    'Ich habe keine Haselnussallergie.',
    'Ich habe eine Frage zu Allergien.',
    '我有没有过敏？',
  ])('is not extracted from a denial or a question: %s', (content) => {
    const kept = extracted(content).filter(({ statement }) => !statement.negative);
    expect(kept).toEqual([]);
  });
});

describe('a sentence with two statements', () => {
  test.each([
    ['I live in Lyon and I am allergic to penicillin.', ['residence', 'allerg']],
    ['I live in Lyon and work at Siemens.', ['residence', 'employer']],
    ['Ich wohne in Lyon und bin allergisch gegen Penicillin.', ['residence', 'allerg']],
    ['Vivo en Lyon y soy alérgica a la penicilina.', ['residence', 'allerg']],
    ['我住在里昂，我对青霉素过敏。', ['residence', 'allerg']],
  ])('is kept as two, each of which may end alone: %s', (content, topics) => {
    const found = extracted(content).map(({ statement }) => statement.topic);
    expect(found).toHaveLength(2);
    for (const [at, topic] of topics.entries()) expect(found[at]).toContain(topic);
  });

  test('is kept as one if the rest says nothing lasting', () => {
    const texts = extracted('I moved to Berlin and I love it.').map(({ text }) => text);
    expect(texts).toEqual(['I moved to Berlin and I love it.']);
  });
});

describe('people in one conversation', () => {
  test.each([
    ['Ann', 'I am allergic to nuts.', 'ADD'],
    ['Bob', 'I am allergic to nuts.', 'SUPERSEDE'],
    [null, 'I am allergic to nuts.', 'SUPERSEDE'],
  ])('end only their own statements: earlier statement by %s', (speaker, content, event) => {
    const named = speaker === null ? content : `${speaker}: ${content}`;
    expect(decided('I am not allergic to nuts.', named, { speaker })).toBe(event);
  });

  test('are named in memories, except for the owner of the scope', () => {
    expect(withSpeaker('I am tall.', 'Bob', 'u-1')).toBe('Bob: I am tall.');
    expect(withSpeaker('I am tall.', 'Bob', 'bob')).toBe('I am tall.');
    expect(withSpeaker('I am tall.', null, 'bob')).toBe('I am tall.');
  });
});

describe('a text, given what a newer one says', () => {
  test.each([
    ['I live in Lyon.', 'I moved to Berlin.', 'All'],
    ['I live in Lyon and I am allergic to nuts.', 'I moved to Berlin.', 'Some'],
    ['Ann lives in Porto.', 'Ann moved from Porto to Braga.', 'All'],
    ['Ann: I live in Porto.', 'Ann moved to Braga.', 'All'],
    ['The launch is on December 1.', 'The launch slipped to December 15.', 'All'],
    ['My manager is Tom.', 'I report to Priya since Monday.', 'All'],
    ['I work at Google.', 'I quit Google and joined Bosch.', 'All'],
    ['Mein Chef ist Tom.', 'Meine neue Chefin heißt Priya.', 'All'],
    ['Mi jefe es Tomás.', 'Mi nueva jefa es Priya.', 'All'],
    ['我的经理是汤姆。', '我的新经理是王芳。', 'All'],
    ["Ann's manager is Tom.", "Ann's manager is Priya.", 'All'],
    ['The user is vegetarian.', 'The user is no longer vegetarian.', 'All'],
    ['Ann lives in Porto.', 'Bob moved to Braga.', 'None'],
    ['Ann: I live in Porto.', 'Bob: I moved to Braga.', 'None'],
    ['I live in Lyon.', 'Do I live in Berlin?', 'None'],
    ['I live in Lyon.', 'In my novel I live in Berlin.', 'None'],
    ['Ich bin Vegetarier.', 'Ich bin kein Vegetarier mehr.', 'All'],
    ['Soy vegetariano.', 'Ya no soy vegetariano.', 'All'],
    ['我吃素。', '我不再吃素了。', 'All'],
    ["I'm vegetarian.", 'I eat meat again.', 'All'],
    ['I stopped eating meat.', 'I eat meat again.', 'All'],
    ['The budget is 50,000.', 'The budget was cut to 40,000.', 'All'],
    ['My phone number is 555-0134.', 'My new number is 555-0199.', 'All'],
    ['My favorite color is blue.', 'Forget blue, green is my favorite color now.', 'All'],
    ['My favorite color is blue.', 'Green is my favorite color now.', 'All'],
    ['Mein Chef ist Tom.', 'Priya ist jetzt meine Chefin.', 'All'],
    ['Mi jefe es Tomás.', 'Irene es ahora mi jefa.', 'All'],
    ['My boss is Tom.', 'Priya is my manager now.', 'All'],
    ['My dentist is Dr. Cole.', 'Dr. Reed is our dentist now.', 'All'],
    ['Mein Chef ist Tom.', 'Jetzt ist Lena meine Chefin.', 'All'],
    ['Mi jefe es Tomás.', 'Ahora Lucía es mi jefa.', 'All'],
    ['我的老板是王强。', '现在我的老板是李娜。', 'All'],
    ['我的老板是王强。', '李娜现在是我的老板。', 'All'],
    ['My manager is Tom.', 'Priya is my manager now?', 'None'],
    ['My manager is Tom.', 'Priya is my manager’s sister.', 'None'],
    ['Mi jefe es Tomás.', 'Lucía es mi vecina ahora.', 'None'],
    ['Sam owns the billing service.', 'Nina took over the billing service from Sam.', 'All'],
    ['Sam betreut den Shop.', 'Nina hat den Shop von Sam übernommen.', 'All'],
    ['Ana está a cargo de la web.', 'Leo se hizo cargo de la web.', 'All'],
    ['小王负责计费服务。', '李娜从小王手里接手了计费服务。', 'All'],
    ['小王负责计费服务。', '计费服务现在由李娜负责。', 'All'],
    ['Sam owns the login service.', 'Nina took over the billing service from Sam.', 'None'],
    ['Sam betreut den Blog.', 'Nina hat den Shop von Sam übernommen.', 'None'],
    ['La operación es el 4 de mayo.', 'La operación se pospuso al 11 de mayo.', 'All'],
    ['La operación es el 4 de mayo.', 'La operación fue pospuesta al 11 de mayo.', 'All'],
    ['La operación es el 4 de mayo.', 'Pospusieron la operación al 11 de mayo.', 'All'],
    ['La boda es el 4 de mayo.', 'La operación se pospuso al 11 de mayo.', 'None'],
    ['Der Termin ist am 3. Mai.', 'der Termin ist verschoben auf den 10. Mai', 'All'],
    ['Das Budget ist 50.000.', 'Das Budget wurde gekürzt auf 40.000.', 'All'],
    ['Die Feier ist am 3. Mai.', 'der Termin ist verschoben auf den 10. Mai', 'None'],
    ['Soy vegetariana.', 'Como carne otra vez', 'All'],
    ['My rent is 850', 'landlord says hi btw my rent went up to 900', 'All'],
    ['Ich fahre einen Golf.', 'haha endlich, ich habe den Golf verkauft', 'All'],
    ['La reunión es el lunes', 'jaja sí, la reunión se pasó al martes', 'All'],
    ['例会在周一', '今天好累，例会改到周四了', 'All'],
    ['My rent is 850', 'sam says my rent went up to 900', 'None'],
    ['I live in Leeds', 'haha imagine, I moved to Mars', 'None'],
    ['La reunión es el lunes', 'jaja ojalá, la reunión se pasó al martes', 'None'],
    ['My dog is called Bello.', 'Rex is my dog now.', 'None'],
    ['I live in Hamburg.', 'My home is in Berlin now.', 'All'],
    ['I drive a Toyota.', 'I sold the Toyota and bought a Honda.', 'All'],
    ['The user drives a Toyota.', 'The user sold the Toyota.', 'All'],
    ['I live in Lyon and I drive a Toyota.', 'I sold the Toyota.', 'Some'],
    ['Ich arbeite bei Siemens.', 'Ich habe bei Siemens gekündigt.', 'All'],
    ['Fumo.', 'Ya no fumo.', 'All'],
    ['团队有四个人。', '团队现在有六个人。', 'All'],
    ['I am allergic to nuts.', 'The new test shows I am not allergic to nuts after all.', 'All'],
    ['Ich bin gegen Nüsse allergisch.', 'Der Arzt sagt, ich wohne in Kiel.', 'None'],
    ['Soy alérgica al maní.', 'El médico dice que ya no soy alérgica al maní.', 'All'],
    ['我对花生过敏。', '医生说我对花生不过敏了。', 'All'],
    ['I live in Hamburg.', 'We have relocated to Leipzig.', 'All'],
    ['Vivo en Sevilla.', 'Por cierto, nos mudamos a Cádiz el mes pasado.', 'All'],
    ['Vivo en Sevilla.', 'La semana pasada nos mudamos de Sevilla a Cádiz.', 'All'],
    ['Vivo en Sevilla.', 'Ya nos mudamos a Cádiz hace un mes.', 'All'],
    ['Vivo en Sevilla.', 'De pequeños nos mudamos a Cádiz hace años.', 'None'],
    ['Vivo en Sevilla.', '¿Nos mudamos a Cádiz el año pasado?', 'None'],
    ['我养了一只猫，叫豆豆。', '豆豆上周去世了。', 'Some'],
    ['我家养了一只狗，叫旺财。', '旺财走丢了，好难过。', 'Some'],
    ['我养了一只猫，叫豆豆。', '豆豆的妈妈上周去世了。', 'None'],
    ['我养了一只猫，叫豆豆。', '邻居家的猫上周去世了。', 'None'],
    ['我养了一只猫，叫豆豆。', '豆豆上周差点走丢了。', 'None'],
    ['Tengo un perro, Rex.', 'Rex murió en marzo.', 'All'],
    ['Tengo un perro, Rex.', 'Mi perro Rex ha muerto.', 'All'],
    ['Tengo un perro, Rex.', 'El perro de Ana ha muerto.', 'None'],
    ['Ich habe einen Hund, Rex.', 'Rex ist gestorben.', 'All'],
    ['Ich habe einen Hund, Rex.', 'Seit Rex tot ist, gehe ich weniger raus.', 'All'],
    ['Mi novia es Marta.', 'Marta y yo lo hemos dejado.', 'All'],
    ['Mi pareja es Marta.', 'Por cierto, Marta y yo lo dejamos en marzo.', 'All'],
    ['Mi novia es Marta.', 'Marta y yo lo hemos dejado todo listo.', 'None'],
    ['Mi novia es Marta.', 'Marta y yo lo dejamos para mañana.', 'None'],
    ['I live in Hamburg.', 'We relocated the servers to Leipzig.', 'None'],
    ['Soy alérgica al maní.', 'Mi hermana dice que ya no es alérgica al maní.', 'None'],
    ['我对花生过敏。', '我妹妹说她对花生不过敏了。', 'None'],
    ['I drive a Toyota.', 'My brother sold the Toyota.', 'None'],
    ['I work at Nokia.', "I stopped at Nokia's stand.", 'None'],
    ['I drive a Toyota.', 'I might sell the Toyota.', 'None'],
    ['Bob: I drive a Toyota.', 'Ann: I sold the Toyota.', 'None'],
    ['I play the guitar.', 'I sold my old guitar and bought a better one.', 'None'],
    ['The budget is 50,000.', 'The travel budget was cut to 4,000.', 'None'],
    ['I have two sisters.', 'I have three cats now.', 'None'],
    ['I like tea.', 'I never drink tea after eight.', 'None'],
    ['我的退休日子是六月三十号。', '唉，不说了，说说葱。', 'None'],
    [
      'Der Umzug ist für den 21. November geplant',
      'Planänderung: der Umzug rutscht auf den 28. November',
      'All',
    ],
    ['Die Hochzeit ist am 12. Juni', 'Die Hochzeit verschieben wir auf den 19. Juni', 'All'],
    ['Die Hochzeit ist am 12. Juni', 'Wir legen die Hochzeit auf den 19. Juni', 'All'],
    ['Die Feier ist am Montag.', 'Die Feier geben wir am Dienstag.', 'None'],
    ['Die Hochzeit ist am 12. Juni', 'Die Party verschieben wir auf den 19. Juni', 'None'],
    ['Die Hochzeit ist am 12. Juni', 'Die Hochzeit freut uns bis auf den Preis', 'None'],
    ['Treffpunkt ist am Rathaus', 'Treffpunkt ist doch der Bahnhof', 'All'],
    ['Treffpunkt ist am Rathaus', 'Änderung: Treffpunkt ist der Bahnhof', 'All'],
    ['The release is on Friday.', 'We had to slip the release to Monday', 'All'],
    ['The release is on Friday.', 'Change of plans: the release slides to Monday', 'All'],
    ['The release is on Friday.', 'We had to bump the demo to Monday', 'None'],
    ['The release is on Friday.', 'We had to add the release to the notes', 'None'],
    ['The team is in Leeds.', 'We had to invite the team to Monday drinks', 'None'],
    ['La boda es el 12 de junio.', 'La boda la pasamos al 19 de junio', 'All'],
    [
      'La boda es el 12 de junio.',
      'Cambio de planes: la boda la dejamos para el 19 de junio',
      'All',
    ],
    ['La tarta es para el lunes.', 'La tarta la compramos para el martes también', 'None'],
    ['La boda es el 12 de junio.', 'La cena la pasamos al 19 de junio', 'None'],
    ['I am 30', 'I turned 31 today', 'All'],
    ["I'm 30 years old.", 'I just turned 31.', 'All'],
    ['My son is 8.', 'My son turned 9 today.', 'All'],
    ['Ich bin 30.', 'Ich bin heute 31 geworden.', 'All'],
    ['Tengo 30 años.', 'Hoy cumplo 31.', 'All'],
    ['我30岁。', '我今天满31岁了。', 'All'],
    ['I am 30', 'Tom turned 31 today', 'None'],
    ['My son is 8.', 'My daughter turned 9 today.', 'None'],
    ['I am 30 minutes late.', 'I turned 31 today', 'None'],
    ['Mein Büro ist im dritten Stock.', 'Mein Büro ist jetzt endlich gestrichen.', 'None'],
    ['My office is on the third floor.', 'My office is now painted.', 'None'],
    ['Mi oficina está en el tercer piso.', 'Mi oficina está ahora pintada.', 'None'],
    ['Mein Büro ist im dritten Stock.', 'Mein Büro ist jetzt im ersten Stock.', 'All'],
    ['We pay 12 euros for Netflix.', 'We pay 11 euros for Spotify now.', 'None'],
    ['We pay 12 euros for Netflix.', 'We pay 13 euros for Netflix now.', 'All'],
    ['Ich zahle 900 Euro Miete.', 'Ich zahle jetzt 80 Euro Garage.', 'None'],
    ['Wir zahlen 900 Euro Miete.', 'Wir zahlen jetzt 80 Euro Miete für die Garage.', 'None'],
    ['Wir zahlen 900 Euro Miete.', 'Wir zahlen jetzt 950 Euro Miete.', 'All'],
    ['Pago 900 euros de alquiler.', 'Ahora pago 80 euros de garaje.', 'None'],
  ])('"%s", then "%s": it ends %s', (older, newer, ending) => {
    expect(endingOf(statementsAndCorrectionsOf(older), statementsAndCorrectionsOf(newer))).toBe(
      ending,
    );
  });
});

describe('the layer of a statement', () => {
  test.each([
    ['I live in Berlin.', { userId: 'u', projectId: 'p' }, 'user'],
    ['I live in Berlin.', { projectId: 'p' }, null],
    ['We decided to use Postgres.', { userId: 'u', projectId: 'p' }, 'project'],
    ['We decided to use Postgres.', { userId: 'u' }, 'user'],
    ['The launch is on December 1.', { userId: 'u', projectId: 'p' }, 'project'],
    ['My surgery is on December 1.', { userId: 'u', projectId: 'p' }, 'user'],
    ['I decided to see a therapist.', { userId: 'u', projectId: 'p' }, 'user'],
    ['I decided against the Rust thing.', { userId: 'u', projectId: 'p' }, 'user'],
    ['I decided to use Postgres.', { projectId: 'p' }, 'project'],
    ['we decided to have a baby', { userId: 'u', projectId: 'p' }, 'user'],
    ['Hugo and I decided to marry in June.', { userId: 'u', projectId: 'p' }, 'user'],
    ['We decided to buy a house in Rennes.', { userId: 'u', projectId: 'p' }, 'user'],
    ['Wir haben beschlossen, Postgres zu nehmen.', { userId: 'u', projectId: 'p' }, 'project'],
    ['Wir haben beschlossen, uns zu trennen.', { userId: 'u', projectId: 'p' }, 'user'],
    ['Hemos decidido usar Postgres.', { userId: 'u', projectId: 'p' }, 'project'],
    ['Hemos decidido tener un bebé.', { userId: 'u', projectId: 'p' }, 'user'],
    ['我们决定用Postgres。', { userId: 'u', projectId: 'p' }, 'project'],
    ['我决定辞职。', { userId: 'u', projectId: 'p' }, 'user'],
  ])('of %s with %o is %s', (content, identifiers, layer) => {
    const [first] = extracted(content);
    expect(first && layerOfStatement(first.statement, identifiers)).toBe(layer);
  });
});

describe('a policy that chooses layers of kinds', () => {
  const BOTH = { userId: 'u', projectId: 'p' };
  test.each([
    ['We decided to use Postgres.', { Decision: 'user' }, BOTH, 'user'],
    ['We decided to use Postgres.', { Decision: 'agent' }, BOTH, 'project'],
    ['Wir haben beschlossen, Postgres zu nehmen.', { Decision: 'user' }, BOTH, 'user'],
    ['Hemos decidido usar Postgres.', { Decision: 'user' }, BOTH, 'user'],
    ['我们决定用Postgres。', { Decision: 'user' }, BOTH, 'user'],
    ['I decided to see a therapist.', { Decision: 'project' }, BOTH, 'user'],
    ['The launch is on December 1.', { Date: 'user' }, BOTH, 'user'],
    ['The launch is on December 1.', { Decision: 'user' }, BOTH, 'project'],
    ['Please answer briefly from now on.', { Instruction: 'project' }, BOTH, 'project'],
    ['Please answer briefly from now on.', { Instruction: 'project' }, { userId: 'u' }, 'user'],
  ] as const)('keeps %s with %o and %o: %s', (content, chosen, identifiers, layer) => {
    const [first] = extracted(content);
    expect(first && layerOfStatement(first.statement, identifiers, chosen)).toBe(layer);
  });
});

describe('a document that a user pastes', () => {
  test.each([
    'Informe de la reforma. Se cambió el suelo. Soy el jefe de obra y vivo en Zaragoza.',
    'Report on the roof. All tiles were replaced. I am the foreman and I live in Leeds.',
    'Baubericht: Der Estrich liegt. Ich wohne in Köln.',
    '装修报告。地板已换。我住在西安。',
  ])('says nothing lasting about the user: %s', (content) => {
    expect(extracted(content)).toEqual([]);
    expect(
      endingOf(statementsAndCorrectionsOf('I live in Lyon.'), statementsAndCorrectionsOf(content)),
    ).toBe('None');
  });
});

describe('a change to something that somebody has', () => {
  test.each([
    ['Tengo dos hijos, Leo y Ana.', 'Cambiaron los entrenamientos de Leo a los lunes.', 'None'],
    ['Entreno a Leo los jueves.', 'Cambiaron los entrenamientos de Leo a los lunes.', 'None'],
    [
      'Los entrenamientos de Leo son los jueves.',
      'Cambiaron los entrenamientos de Leo a los lunes.',
      'All',
    ],
    ['I work at the University of Leeds.', 'I left the University of Leeds.', 'All'],
  ])('ends or leaves "%s" by "%s": %s', (older, newer, ending) => {
    expect(endingOf(statementsAndCorrectionsOf(older), statementsAndCorrectionsOf(newer))).toBe(
      ending,
    );
  });
});

test('a long memory is read by its first sentences', () => {
  const long = 'x'.repeat(400);
  expect(knownStatement(`I live in Leeds. ${long} ${long}.`, [])?.topic).toBe('residence');
  expect(knownStatement(`${long}. ${long}. I live in Leeds.`, [])).toBeNull();
});
