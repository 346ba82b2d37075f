/** Which memory a retraction ends: the one that it names, and no other. */
import { describe, expect, test } from 'vitest';
import { decide, type Known } from '#core/extraction/compare-with-known.ts';
import { extractWithChanges } from '#core/recall/outdated/change-sentences.ts';

const AT = Date.parse('2026-11-03T10:00:00Z');

/** Returns what becomes of a memory of Dana after her words. */
function endedBy(content: string, said: string): boolean {
  const memory = { id: 'known', content, at: AT - 1, live: true, sources: [], speaker: null };
  const message = { id: 'm', role: 'user', speaker: null, content: said, at: AT } as const;
  const known: readonly Known[] = [memory];
  return extractWithChanges([message])
    .map(({ statement }) => ({ statement, source: 'm', at: AT, speaker: null }))
    .map((each) => decide(each, known, ['dana']))
    .some((decision) => 'supersedes' in decision && decision.supersedes.includes('known'));
}

/** A memory, and words that take it back. */
const RETRACTED = [
  ["I can't eat gluten.", 'Forget what I said about gluten.'],
  ['I live in Lyon.', 'Please forget that I live in Lyon.'],
  ['The budget for the kitchen is 9,000 euros.', 'Scrap what I told you about the budget.'],
  ["I'm allergic to peanuts.", 'Please forget what I told you about peanuts.'],
  ['My sister is getting divorced.', "Forget everything I said about my sister's divorce."],
  ['I work at Siemens.', 'Forget that I work at Siemens.'],
  ["I'm training for a marathon.", 'Never mind what I said about the marathon.'],
  ['My goal is to run a marathon.', 'You can forget what I said about the marathon.'],
  ["I'm a vegetarian.", 'Ignore what I said about being a vegetarian.'],
  ['Dana lives in Lyon.', 'Actually, please forget that I live in Lyon.'],
  ['I have a cat called Luna.', 'Disregard what I told you about Luna.'],
  ['My salary is 60,000 euros.', 'Please delete what I told you about my salary.'],
  ['I drink decaf.', 'Forget I said anything about decaf.'],
  ['I take metformin.', 'Forget I ever mentioned metformin.'],
  ["I'm moving to Porto in May.", 'I take back what I said about moving to Porto.'],
  ['I prefer short answers.', 'Strike what I said about short answers.'],
  ['My boss is Priya.', 'Sorry, I was wrong, forget what I said about my boss.'],
  ['I must call the landlord.', 'Forget what I said about calling the landlord.'],
  ["I'm diabetic.", "Forget the fact that I'm diabetic."],
  ['My therapist is Dr. Lima.', "Ok, forget all that I've told you about my therapist."],
  ['Ich esse kein Gluten.', 'Vergiss, was ich über Gluten gesagt habe.'],
  ['Ich wohne in Lyon.', 'Vergiss bitte, dass ich in Lyon wohne.'],
  [
    'Das Budget für die Küche liegt bei 9000 Euro.',
    'Vergiss alles, was ich dir zum Budget gesagt habe.',
  ],
  ['Ich bin Vegetarier.', 'Bitte vergiss, dass ich Vegetarier bin.'],
  ['Meine Chefin heißt Priya.', 'Ignoriere, was ich über meine Chefin erzählt habe.'],
  [
    'Ich trainiere für einen Marathon.',
    'Was ich über den Marathon gesagt habe, kannst du vergessen.',
  ],
  [
    'Ich habe eine Katze namens Luna.',
    'Vergessen Sie bitte, was ich Ihnen über Luna erzählt habe.',
  ],
  ['Ich nehme Metformin.', 'Streich, was ich über Metformin gesagt habe.'],
  ['Ich arbeite bei Siemens.', 'Vergiss einfach, dass ich bei Siemens arbeite.'],
  ['Mein Gehalt beträgt 60.000 Euro.', 'Lösch bitte, was ich dir über mein Gehalt erzählt habe.'],
  ['Unser Umzug ist am 4. Mai.', 'Ich nehme zurück, was ich über den Umzug gesagt habe.'],
  ['No como gluten.', 'Olvida lo que dije del gluten.'],
  ['Vivo en Lyon.', 'Olvida que vivo en Lyon.'],
  [
    'El presupuesto de la cocina es de 9000 euros.',
    'Olvida todo lo que te dije sobre el presupuesto.',
  ],
  ['Soy vegetariana.', 'Por favor, olvida que soy vegetariana.'],
  ['Mi jefa es Priya.', 'Ignora lo que te conté de mi jefa.'],
  ['Tengo una gata que se llama Luna.', 'Olvídate de lo que dije de Luna.'],
  ['Tomo metformina.', 'Borra lo que te dije sobre la metformina.'],
  ['Trabajo en Siemens.', 'Olvide que trabajo en Siemens, por favor.'],
  ['Mi sueldo es de 2000 euros.', 'No tengas en cuenta lo que te dije de mi sueldo.'],
  ['Entreno para un maratón.', 'Retiro lo que dije del maratón.'],
  ['我不能吃麸质。', '忘了我说的关于麸质的事'],
  ['我住在里昂。', '请忘掉我住在里昂这件事。'],
  ['我们装修的预算是五万。', '忘掉我之前说的关于预算的话。'],
  ['我是素食者。', '请忘记我是素食者。'],
  ['我的老板叫王芳。', '别管我之前说的老板的事。'],
  ['我在吃二甲双胍。', '把我说过的关于二甲双胍的事忘掉吧。'],
  ['我在华为工作。', '忘了我在华为工作吧。'],
  ['我养了一只猫叫小白。', '就当我没说过小白的事。'],
] as const;

/** A memory, and words that take back nothing of it. */
const KEPT = [
  ["I can't eat gluten.", "Don't forget what I said about gluten."],
  ["I can't eat gluten.", "I'll never forget what I said about gluten."],
  ["I can't eat gluten.", 'Did you forget what I said about gluten?'],
  ["I can't eat gluten.", 'Forget about it.'],
  ["I can't eat gluten.", 'Forget the gluten, what about nuts?'],
  ["I can't eat gluten.", "Please don't forget that I can't eat gluten."],
  ["I can't eat gluten.", 'You forgot what I said about gluten.'],
  ["I can't eat gluten.", 'If you forget what I said about gluten, ask me again.'],
  ["I can't eat gluten.", 'My doctor told me: "Forget what I said about gluten."'],
  ["I can't eat gluten.", 'Forget what my doctor said about gluten.'],
  ["I can't eat gluten.", 'Forget what I said.'],
  ["I can't eat gluten.", 'Forget what I said about that.'],
  ["I can't eat gluten.", 'Forget what I said about gluten for now.'],
  ["I can't eat gluten.", 'Forget what I said about gluten, just kidding!'],
  ["I can't eat gluten.", 'Haha, forget what I said about gluten 😂'],
  ["I can't eat gluten.", 'Can I forget what I said about gluten?'],
  ["I can't eat gluten.", 'How could I forget what I said about gluten?'],
  ["I can't eat gluten.", "I can't forget what I said about gluten."],
  ["I can't eat gluten.", 'Sam said to forget what I said about gluten.'],
  ["I can't eat gluten.", 'Maybe forget what I said about gluten.'],
  ["I can't eat gluten.", 'Forget what I said about nuts.'],
  ['I live in Lyon.', 'Please forget that I live in Nice.'],
  ['I live in Lyon.', 'Forget what I said about my trip to Lyon.'],
  ['I live in Lyon.', 'Never forget that I live in Lyon.'],
  ['My sister lives in Lyon.', 'Please forget that I live in Lyon.'],
  ['I must call the landlord.', 'I forgot to call the landlord.'],
  ['I must call the landlord.', "Don't let me forget what I said about the landlord."],
  ['I must call the landlord.', 'What if you forget what I said about the landlord?'],
  ['I like jazz.', 'Forget jazz for a moment.'],
  ["I'm allergic to nuts and gluten.", 'Forget what I said about gluten.'],
  ["I can't eat gluten.", "I won't ask you to forget what I said about gluten."],
  ["I can't eat gluten.", 'He asked me to forget what I said about gluten.'],
  ["I can't eat gluten.", 'Translate: forget what I said about gluten.'],
  ['Ich esse kein Gluten.', 'Vergiss nicht, was ich über Gluten gesagt habe.'],
  ['Ich esse kein Gluten.', 'Ich vergesse nie, was ich über Gluten gesagt habe.'],
  ['Ich esse kein Gluten.', 'Hast du vergessen, was ich über Gluten gesagt habe?'],
  ['Ich esse kein Gluten.', 'Vergiss es.'],
  ['Ich esse kein Gluten.', 'Vergiss das Gluten, was ist mit Nüssen?'],
  ['Ich esse kein Gluten.', 'Vergiss, was der Arzt über Gluten gesagt hat.'],
  ['Ich esse kein Gluten.', 'Vergiss erst mal, was ich über Gluten gesagt habe.'],
  ['Ich wohne in Lyon.', 'Vergiss bitte nie, dass ich in Lyon wohne.'],
  ['No como gluten.', 'No olvides lo que dije del gluten.'],
  ['No como gluten.', 'Nunca olvidaré lo que dije del gluten.'],
  ['No como gluten.', '¿Olvidaste lo que dije del gluten?'],
  ['No como gluten.', 'Olvídalo.'],
  ['No como gluten.', 'Olvida el gluten, ¿y los frutos secos?'],
  ['No como gluten.', 'Olvida lo que dijo mi médico del gluten.'],
  ['No como gluten.', 'Olvida por ahora lo que dije del gluten.'],
  ['Vivo en Lyon.', 'No te olvides de que vivo en Lyon.'],
  ['我不能吃麸质。', '别忘了我说的关于麸质的事。'],
  ['我不能吃麸质。', '不要忘记我说的关于麸质的事。'],
  ['我不能吃麸质。', '你忘了我说的关于麸质的事吗?'],
  ['我不能吃麸质。', '我永远不会忘记我说的关于麸质的事。'],
  ['我不能吃麸质。', '忘了吧。'],
  ['我不能吃麸质。', '先忘了我说的关于麸质的事，等会儿再说。'],
  ['我不能吃麸质。', '忘了医生说的关于麸质的事。'],
  ['我不能吃麸质。', '如果你忘了我说的关于麸质的事，就再问我。'],
] as const;

/** The same in other words, written after the rules. */
const RETRACTED_OTHERWISE = [
  ["I'm vegan.", 'Please forget what I said about being vegan.'],
  ['My landlord is Mr. Costa.', 'Forget what I told you about Mr. Costa.'],
  ["I'm learning Italian.", 'Hey, you can scratch what I said about learning Italian.'],
  ['I drive a Honda.', 'Forget that I drive a Honda, that was wrong.'],
  ['My deadline is June 3.', 'Oh, and ignore everything I told you earlier about the deadline.'],
  ["I'm saving up for a boat.", 'Well, never mind what I said about the boat.'],
  ['I hate cilantro.', "I'd like you to forget what I told you about cilantro."],
  ['My ex is called Mark.', "Please erase everything I've told you about Mark."],
  ['I use Notion for my notes.', 'Please disregard my earlier remark about Notion.'],
  ['My birthday is on May 4.', 'I want to take back what I said about my birthday.'],
  ["I'm afraid of dogs.", "Just forget I ever told you that I'm afraid of dogs."],
  ['My son Theo is 4.', 'Drop what I said about Theo.'],
  ['Ich bin Diabetiker.', 'Vergiss, dass ich Diabetiker bin.'],
  [
    'Ich hasse Koriander.',
    'Bitte vergiss einfach wieder, was ich dir über Koriander erzählt habe.',
  ],
  ['Mein Vermieter heißt Costa.', 'Ach, vergiss, was ich vorhin zu meinem Vermieter gesagt habe.'],
  [
    'Ich lerne Italienisch.',
    'Du kannst das, was ich über Italienisch gesagt habe, wieder vergessen.',
  ],
  ['Ich fahre einen Golf.', 'Vergiss die Sache mit dem Golf.'],
  ['Mein Sohn Theo ist 4.', 'Lösche bitte alles, was ich dir über Theo erzählt habe.'],
  ['Ich spare auf ein Boot.', 'Das mit dem Boot kannst du vergessen.'],
  ['Ich trinke keinen Alkohol.', 'Vergiss, was ich gesagt habe über Alkohol.'],
  ['Soy diabético.', 'Olvida que soy diabético, por favor.'],
  ['Odio el cilantro.', 'Por favor, olvida lo que te dije sobre el cilantro.'],
  ['Estoy aprendiendo italiano.', 'Mejor olvida lo que te conté sobre el italiano.'],
  ['Mi casero se llama Costa.', 'Bueno, ignora todo lo que te dije de mi casero.'],
  ['Mi hijo Theo tiene 4 años.', 'Olvida lo de Theo.'],
  ['Conduzco un Seat.', 'Olvídate de que conduzco un Seat.'],
  ['我讨厌香菜。', '请忘了我刚才说的香菜的事。'],
  ['我的房东叫李强。', '我跟你说过的房东的事，忘了吧。'],
  ['我在学意大利语。', '关于意大利语的事，就当我没说过。'],
  ['我对花生过敏。', '请把我之前说的花生过敏的事忘了。'],
  ['我住在杭州。', '忘掉我住在杭州吧。'],
  ['我有糖尿病。', '就当我没说过糖尿病。'],
] as const;

/** As `KEPT`, written after the rules. */
const KEPT_OTHERWISE = [
  ["I'm vegan.", "Remember what I said about being vegan, don't forget it."],
  ["I'm vegan.", 'Forget what you said about being vegan.'],
  ["I'm vegan.", 'I wish I could forget what I said about being vegan.'],
  ["I'm vegan.", 'Forget vegan, give me anything.'],
  ['My deadline is June 3.', 'Did you ignore what I said about the deadline?'],
  ['My deadline is June 3.', 'You always ignore what I said about the deadline.'],
  ['My deadline is June 3.', 'Ignore the deadline.'],
  ['My deadline is June 3.', 'Ignore what I said about the deadline this time.'],
  ['My ex is called Mark.', 'Should I forget Mark?'],
  ['My ex is called Mark.', 'I want to forget everything about Mark.'],
  ['My ex is called Mark.', 'My friends say forget what I said about Mark.'],
  ['I hate cilantro.', 'I never said anything about cilantro.'],
  ['I hate cilantro.', 'Forget I asked.'],
  ['I drive a Honda.', 'I keep forgetting that I drive a Honda.'],
  ['I drive a Honda.', 'Forget that I drive a Toyota.'],
  ['I drive a Honda.', 'Delete the email I wrote about the Honda.'],
  ['My son Theo is 4.', 'Write a song called Forget what I said about Theo.'],
  ['My son Theo is 4.', 'Forget what Theo said about school.'],
  ['My son Theo is 4.', 'Forget what I said about Theo, my mother says.'],
  ['Ich hasse Koriander.', 'Vergiss bloß nicht, was ich über Koriander gesagt habe.'],
  ['Ich hasse Koriander.', 'Ich habe vergessen, was ich über Koriander gesagt habe.'],
  ['Ich hasse Koriander.', 'Vergiss, was sie über Koriander gesagt hat.'],
  ['Ich hasse Koriander.', 'Vergiss den Koriander.'],
  ['Ich fahre einen Golf.', 'Wenn du vergisst, was ich über den Golf gesagt habe, frag.'],
  ['Ich fahre einen Golf.', 'Vergiss für den Moment, dass ich einen Golf fahre.'],
  ['Ich fahre einen Golf.', 'Vergiss nie, dass ich einen Golf fahre.'],
  ['Odio el cilantro.', 'Que no se te olvide lo que dije del cilantro.'],
  ['Odio el cilantro.', 'Se me olvidó lo que dije del cilantro.'],
  ['Odio el cilantro.', '¿Puedes olvidar lo que dije del cilantro?'],
  ['Odio el cilantro.', 'Jamás olvides lo que dije del cilantro.'],
  ['Conduzco un Seat.', 'Olvida que mi hermano conduce un Seat.'],
  ['我讨厌香菜。', '千万别忘了我说的香菜的事。'],
  ['我讨厌香菜。', '我忘了我说的香菜的事。'],
  ['我讨厌香菜。', '你是不是忘了我说的香菜的事？'],
  ['我住在杭州。', '忘了带伞。'],
  ['我住在杭州。', '忘掉我住在上海吧。'],
  ['Ich hasse Koriander.', 'Vergiss, was ich über Koriander gesagt habe, sagt meine Mutter.'],
  ['Odio el cilantro.', 'Olvida lo que dije del cilantro, mi madre dijo.'],
  ['我有糖尿病。', '忘了他说的糖尿病的事。'],
] as const;

describe('a retraction', () => {
  test.each([...RETRACTED, ...RETRACTED_OTHERWISE])('ends "%s": "%s"', (known, said) => {
    expect(endedBy(known, said)).toBe(true);
  });

  test.each([...KEPT, ...KEPT_OTHERWISE])('does not end "%s": "%s"', (known, said) => {
    expect(endedBy(known, said)).toBe(false);
  });
});
