/** Requests for a text, in other words than the style preferences that they need. */
import { describe, expect, test } from 'vitest';
import { requestsText } from '#core/recall/question/text-requests.ts';
import {
  isStylePreference,
  styleAsked,
  styleSettled,
} from '#core/recall/question/style-preferences.ts';

const REQUESTS = [
  'Write a text about Otto',
  'Draft an email to my landlord',
  'Can you write a short birthday card for Ann?',
  'Reply to Mr. Petersen that spring is fine',
  'I need a toast for the wedding',
  'Please answer my boss that I am ill',
  "Text her that I'm late",
  'Could you put together an announcement for the team?',
  'Schreib mir eine Mail an den Vermieter',
  'Schreibe einen Text über Otto',
  'Kannst du mir eine Geburtstagskarte für Anna schreiben?',
  'Antworte Herrn Petersen, dass der Frühling passt',
  'Schreib dem Vermieter, dass die Heizung kaputt ist',
  'Ich brauche eine Absage für die Einladung',
  'Mach mir einen Entwurf für die Rede',
  'Escribe un texto sobre Otto',
  'Escríbeme un correo para el casero',
  '¿Puedes redactar una tarjeta de cumpleaños para Ana?',
  'Contéstale que no puedo',
  '写一篇关于老周的文字',
  '帮我给房东写封邮件',
  '能给小安写张生日贺卡吗？',
  '帮我回一下房东',
  '写个请假条',
];

const OTHERS = [
  'When does Ann start her new job?',
  'Who sent me the letter about the boiler?',
  'When did I write the email to Ann?',
  'What did I answer my boss?',
  'How do I write a letter?',
  'I sent the letter yesterday',
  'Make an appointment with the dentist',
  'Give me the phone number of Ann',
  'Wer hat mir den Brief geschickt?',
  'Habe ich die Mail geschrieben?',
  'Was stand in der Nachricht?',
  'Mach mir einen Plan für Samstag',
  '¿Quién me mandó la carta?',
  '¿Cuándo empieza Ana?',
  '谁给我写了信？',
  '推荐一家餐馆',
];

const RULES = [
  'By the way, keep it short, I read on the bus.',
  'no emojis please',
  'halt dich kurz',
  'bitte keine Emojis',
  'Ah, y sé breve, leo en el autobús.',
  'sin emojis, por favor',
  '对了，写短一点。',
  '别用表情',
  'When you write to the parents, mention the bus.',
];

describe('a question', () => {
  test.each(REQUESTS)('requests a text, which all style preferences may concern: %s', (asked) => {
    expect(requestsText(asked)).toBe(true);
    for (const rule of RULES.slice(0, -1)) {
      expect(styleSettled(rule) & styleAsked(asked)).not.toBe(0);
    }
  });

  test.each(OTHERS)('requests none: %s', (asked) => {
    expect(requestsText(asked)).toBe(false);
  });
});

describe('a text', () => {
  test.each(RULES)('is a style preference: %s', (text) => {
    expect(isStylePreference(text)).toBe(true);
  });

  test.each(['I sold the lamp.', 'Der Zug fährt um neun.', 'Ana vive en Lugo.', '我住在上海。'])(
    'is none: %s',
    (text) => {
      expect(isStylePreference(text)).toBe(false);
    },
  );
});
