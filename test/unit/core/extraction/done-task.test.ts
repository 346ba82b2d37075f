import { describe, expect, test } from 'vitest';
import {
  isCertainlyDone,
  isDone,
  isPastForm,
  reportsDone,
  taskOf,
} from '#core/extraction/done-task.ts';

const isOver = (task: string, said: string): boolean => {
  const words = taskOf(task);
  return words !== null && isDone(words, said);
};

describe('a task', () => {
  test.each([
    [
      'Open task: Marta must send the floor plan to Priya by Friday, October 9, 2026.',
      'Marta sent the floor plan to Priya.',
    ],
    ['Ann has to pay the deposit by Monday.', 'Ann paid the deposit on Sunday.'],
    ['I need to renew my passport.', 'I renewed the passport.'],
    ['Ann must write the report for Ben.', 'The report for Ben is finished.'],
    ['To-do: book the hotel in Porto.', 'I have booked the hotel.'],
    ['Jonas muss noch die Steuererklärung abgeben.', 'Die Steuererklärung ist raus.'],
    ['Jonas muss den Klempner anrufen.', 'Jonas hat den Klempner angerufen.'],
    ['Ich muss das Paket verschicken.', 'Ich habe das Paket gestern verschickt.'],
    ['Ich muss die Rechnung abschicken.', 'Die Rechnung habe ich abgeschickt.'],
    ['Lucía tiene que enviar el plano a Ana.', 'Lucía envió el plano a Ana.'],
    ['Tengo que pagar el depósito.', 'Ya he pagado el depósito.'],
    ['Tengo que aclarar la factura.', 'Aclaré la factura.'],
    ['Tengo que retirar el paquete.', 'Ya retiré el paquete.'],
    ['Tengo que recuperar la contraseña.', 'Recuperé la contraseña.'],
    ['Tengo que ponderar la oferta.', 'Ponderé la oferta.'],
    ['小安要把平面图发给小丽。', '小安把平面图发给小丽了。'],
  ])('is over once it is done: "%s" after "%s"', (task, said) => {
    expect(isOver(task, said)).toBe(true);
  });

  test.each([
    ['Ann must send the plan to Ben.', 'Ann has not sent the plan to Ben.'],
    ['Ann must send the plan to Ben.', 'Ann sends the plan to Ben tomorrow.'],
    ['Ann must send the plan to Ben.', 'Ann will have sent the plan by May.'],
    ['Ann must send the plan to Ben.', 'Did Ann send the plan to Ben?'],
    ['Ann must send the plan to Ben.', 'Ann sent flowers.'],
    ['Ann must send the plan to Ben.', 'Ann lost the plan.'],
    ['Ann must renew her passport, cancel the gym and feed the cat.', 'Ann renewed her passport.'],
    ['Ann has to pay the rent every month.', 'Ann paid the rent.'],
    ['Ann plays the cello.', 'Ann played the cello.'],
    ['Jonas muss den Klempner anrufen.', 'Jonas hat den Klempner nicht angerufen.'],
    ['Jonas muss den Klempner anrufen.', 'Jonas hat den Arzt angerufen.'],
    ['Tengo que pagar el depósito.', 'Todavía no he pagado el depósito.'],
    ['Tengo que pagar el depósito.', 'He pagado la cena.'],
    ['Tengo que pagar el depósito.', 'Pagaré el depósito el lunes.'],
    ['Tengo que aclarar la factura.', 'Aclararé la factura.'],
    ['Tengo que enviarlo con la factura a Ana.', 'Enviaré la factura a Ana.'],
    ['Tengo que poner la lavadora.', 'Pondré la lavadora.'],
    ['小安要把平面图发给小丽。', '小安还没把平面图发给小丽。'],
  ])('stays open if it is not done: "%s", "%s"', (task, said) => {
    expect(isOver(task, said)).toBe(false);
  });
});

describe('a report in Spanish', () => {
  test.each([
    'Ya retiré el paquete.',
    'Recuperé la contraseña.',
    'Aclaré la factura.',
    'Compré el pan.',
    'Miré el contrato.',
    'Mejoré el informe.',
  ])('is of the past: %s', (said) => {
    expect(reportsDone(said)).toBe(true);
  });

  test.each([
    'Pondré la lavadora.',
    'Enviaré el informe.',
    'Pagaré la factura.',
    'Repartiré las cartas.',
    'Romperé el contrato.',
    'Así es la factura aquí.',
  ])('is not of the past: %s', (said) => {
    expect(reportsDone(said)).toBe(false);
  });

  test('has certainly done a task whose verb ends in -rar', () => {
    expect(isCertainlyDone('Tengo que aclarar la factura.', 'Aclaré la factura.')).toBe(true);
    expect(isCertainlyDone('Tengo que aclarar la factura.', 'Aclararé la factura.')).toBe(false);
  });

  test.each(
    'aclaré retiré tiré miré esperé recuperé paré disparé preparé declaré compré salí'.split(' '),
  )('has a form of the past: %s', (word) => {
    expect(isPastForm(word, 'es')).toBe(true);
  });

  test.each(
    (
      'pondré saldré tendré vendré podré querré sabré habré obtendré haré iré ocuparé vestiré ' +
      'imprimiré responderé así aquí allí sí café'
    ).split(' '),
  )('has no form of the past: %s', (word) => {
    expect(isPastForm(word, 'es')).toBe(false);
  });
});
