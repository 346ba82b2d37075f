/**
 * Decides whether a clause is about a past event, in English, German, Spanish and Chinese: "I met
 * my wife at Nokia" still holds after the speaker leaves Nokia. What began or was agreed in the
 * past does not count, as it may hold today: "we decided to launch in May", "I moved to Lyon".
 */
import { oneOf } from './pattern.ts';

const HAPPENED_WORDS = `
  was, were, did, had, met, lent, taught, gave, told, said, went, came, saw, made, wrote, took,
  found, felt, sent, ate, drank, knew, thought, wore, rang, won, lost, fell, broke, sang, ran, grew,
  built, brought, used to, stood, sat, heard, spent, cooked, laughed, cried, called, asked, picked,
  walked, watched, played, visited, learned, learnt, enjoyed, helped, showed, dropped, celebrated,
  stayed, baked, painted, fixed, recommended, war, waren, hatte, hatten, gab, ging, kam, sagte,
  kennengelernt, gefeiert, gesehen, gegeben, gezeigt, beigebracht, geliehen, geklatscht, gelacht,
  gesagt, erzählt, gebaut, gelernt, besucht, gespielt, getroffen, geschenkt, geholfen, bezahlt,
  empfohlen, geheiratet, gebacken, gemalt, repariert, era, eran, fue, fueron, pasé, pasamos, conocí,
  conocimos, aprendí, enseñó, regaló, celebré, celebramos, dijo, dio, hice, hizo, hicimos, vi,
  vimos, estuve, estuvimos, contó, llamó, ayudó, prestó, recomendó, pintó, arregló, comimos, nací,
  nació
`;
const HAPPENED = new RegExp(
  String.raw`(?<![\p{L}\p{N}])${oneOf(HAPPENED_WORDS)}(?![\p{L}\p{N}])|` +
    '认识的|捡来?的|送给?我?的|教我?的|学会?的|推荐给我|买来的|见过|去过|学过|拍的|办的',
  'iu',
);

/** What was agreed or began, and may hold until somebody says otherwise. */
const BEGUN = new RegExp(
  String.raw`(?<![\p{L}\p{N}])${oneOf(`
    decided, agreed, booked, reserved, planned, scheduled, ordered, moved, started, joined, hired,
    bought, switched, chose, settled, signed, got, set, promised, promoted, married, diagnosed,
    told (?:\\w+ )?to, asked to, prescribed, appointed, supposed, going, now, still,
    entschieden, beschlossen, gebucht, bestellt, geplant, vereinbart, angefragt, angemeldet,
    ausgemacht, gemietet, gekauft, angefangen, jetzt, noch, decidimos, decidí, reservé,
    reservamos, quedamos, compré, compramos, empecé, contraté, contratamos, apunté, ahora, todavía
  `)}(?![\p{L}\p{N}])|决定|订|约|现在|还`,
  'iu',
);

export function isPastEvent(clause: string): boolean {
  return HAPPENED.test(clause) && !BEGUN.test(clause);
}
