/** A new job or home, a stopped medicine, a later day and another count, told in passing. */
import { describe, expect, test } from 'vitest';
import { endingBy } from './ending-by.ts';

type Pairs = readonly (readonly [older: string, newer: string])[];

const ENDED: Readonly<Record<string, Pairs>> = {
  'an employer': [
    ['I work at Acme.', 'I switched to Globex in spring and have moved to Antwerp.'],
    ['I work at Acme.', 'Got hired by Globex, my desk is huge.'],
    ['I work at the BBC.', 'I started a new job at the Guardian.'],
    ['I work for Acme.', 'I joined the Royal Infirmary in Leeds last month.'],
    ['I work at Acme.', 'I switched to Google, my new boss is nice.'],
    ['I work at Acme.', 'I have a new job at Globex'],
    ['Ich arbeite bei Hapag.', 'Hab jetzt einen neuen Job bei Maersk'],
    ['Ich arbeite bei Hapag.', 'Im Oktober bin ich zu Kühne gewechselt, das Gehalt ist besser.'],
    ['Ich arbeite bei Hapag.', 'Die Reederei Hamann hat mich eingestellt.'],
    ['Trabajo en Rappi.', 'Me contrataron en Falabella.'],
    ['Trabajo en Rappi.', 'El mes pasado me cambié a Nubank y ahora vivo en Medellín.'],
    ['I work as a designer at Netflix.', 'I joined Globex in May.'],
    ['I work as a designer at Netflix.', 'I switched to ByteDance last month.'],
    ['Ich arbeite als Designerin bei Hapag.', 'Ich arbeite jetzt bei Maersk.'],
    ['I work as a nurse at Mercy Hospital.', 'Since I started at the Harbour Clinic I am up at 5.'],
    ['I work at Acme.', 'I sleep better since I work for Globex.'],
    ['Ich arbeite bei der AWO.', 'Seit ich bei der Caritas bin, habe ich geregelte Zeiten.'],
    ['Ich arbeite bei Hapag.', 'Seit ich bei Maersk arbeite, schlafe ich besser.'],
    ['Trabajo en Rappi.', 'Desde que estoy en Carrefour salgo a las tres.'],
    ['Trabajo en Rappi.', 'Desde que trabajo en Falabella duermo mejor.'],
    ['我在网易上班。', '我换到腾讯工作了。'],
    ['我在网易上班。', '上个月我跳槽去了字节。'],
    ['你好，我叫李雯，住在杭州，在网易做设计师。', '上个月跳槽去了字节。'],
    ['我在网易上班。', '上个月跳槽去了字节，现在搬到上海静安了。'],
  ],
  'a home': [
    ['I live in Ghent.', 'I sold the car and moved to Antwerp in April.'],
    ['Ich wohne in Kiel.', 'Bin im Mai zu Maersk gewechselt und nach Hamburg gezogen.'],
    ['Vivo en Bogotá.', 'Nos fuimos a vivir a Cali en marzo.'],
    ['我住在杭州。', '现在搬到上海静安了。'],
  ],
  'a home that was only for some time': [
    ['I live in York.', 'Moved back to Leeds, York was too loud.'],
    ['I moved to York.', 'York was too loud, so we moved back to Leeds last month.'],
    ['Ich wohne in Fulda.', 'Bin zurück nach Kassel gezogen, Fulda war zu laut.'],
    ['Ich bin nach Fulda gezogen.', 'Wir sind wieder nach Kassel zurückgezogen.'],
    ['Ich bin nach Fulda gezogen.', 'Ich wohne wieder in Kassel.'],
    ['Vivo en Oviedo.', 'Volví a vivir en Gijón, Oviedo era muy ruidoso.'],
    ['Me mudé a Oviedo.', 'Me mudé de vuelta a Gijón.'],
    ['Me mudé a Oviedo.', 'Vivo otra vez en Gijón.'],
    ['我搬到佛山了。', '我搬回广州了，佛山太吵。'],
    ['我住在佛山。', '又搬回广州了。'],
  ],
  'a medicine': [
    ['I take metoprolol.', 'Swapped the metoprolol for bisoprolol.'],
    ['I take metoprolol every morning.', 'The cardiologist swapped the metoprolol for bisoprolol.'],
    ['I take metoprolol.', 'My doctor replaced the metoprolol with bisoprolol.'],
    ['Ich nehme Metoprolol.', 'Die Ärztin hat das Metoprolol durch Bisoprolol ersetzt.'],
    ['我每天吃美托洛尔。', '医生把美托洛尔换成了比索洛尔。'],
    ['I take metformin 500.', 'They weaned me off metformin.'],
    ['Ich nehme Novalgin.', 'Endlich bin ich vom Novalgin runter.'],
    ['Der Hausarzt hat mich auf Novalgin umgestellt.', 'Das Novalgin habe ich abgesetzt.'],
    [
      'Ibuprofen vertrage ich nicht mehr, der Hausarzt hat mich auf Novalgin umgestellt.',
      'Novalgin konnte ich absetzen.',
    ],
    ['Tomo losartán por la mañana.', 'El médico me quitó el losartán.'],
    ['Tomo losartán.', 'Me quitaron el losartán ayer.'],
    ['我每天吃二甲双胍。', '二甲双胍不吃了。'],
  ],
  'a day': [
    ['Our wedding is on June 12.', 'We had to push the wedding back by two weeks.'],
    ['Die OP ist am 14. September.', 'Die OP verschiebt sich um eine Woche.'],
    ['La boda es el 12 de junio.', 'Nos han retrasado la boda un mes.'],
    ['婚礼在6月12日。', '所以婚礼往后推一周。'],
  ],
  'a count': [
    ['We expect about 80 guests.', 'So we are up to 95 guests.'],
    ['Wir erwarten 80 Gäste.', 'Inzwischen sind wir bei 95.'],
    ['Esperamos unos 80 invitados.', 'Ya somos más bien 95.'],
  ],
};

const KEPT: Readonly<Record<string, Pairs>> = {
  'of shops, tools and other people': [
    ['I work at Acme.', 'I started at the Leeds office last month.'],
    ['I work at Acme.', 'I joined the Monday market last month.'],
    ['I work at Acme.', 'I switched to Tesco because Asda got expensive.'],
    ['I work at Acme.', 'I switched to decaf last month.'],
    ['I work at Acme.', 'My sister switched to Globex last month.'],
    ['I work at Acme.', 'Since she started at Globex she is happier.'],
    ['I work at Acme.', 'Since I started at nine I am tired.'],
    ['Ich arbeite bei der AWO.', 'Seit ich im Chor bei der Caritas bin, geht es mir besser.'],
    ['Trabajo en Rappi.', 'Desde que estoy en Madrid duermo mejor.'],
    ['Trabajo en Rappi.', 'Desde que estoy en el coro de Carrefour duermo mejor.'],
    ['I work at Acme.', 'Peter hired me to paint his house.'],
    ['I live in Ghent.', 'I helped my sister and she moved to Antwerp.'],
    ['Ich arbeite bei Hapag.', 'Ich bin zu Netto gewechselt, die Äpfel sind besser.'],
    ['Ich wohne in Kiel.', 'Die Vögel sind nach Süden gezogen.'],
    ['Trabajo en Rappi.', 'A mi hermano lo contrataron en Falabella.'],
    ['I work as a volunteer for Greenpeace.', 'I started at Globex last week.'],
    ['Ich bin Kundin bei Edeka.', 'Ich habe bei Maersk angefangen.'],
    ['我在网易上班。', '我加入了会员。'],
    ['我住在杭州。', '我们公司搬到上海了。'],
    ['我住在杭州。', '我们搬进自己买的房子了。'],
  ],
  'of those who return, and of what returns': [
    ['I live in York.', 'My sister moved back to Leeds, York was too loud.'],
    ['I live in York.', 'Moved the meeting back to Monday.'],
    ['I live in York.', 'I want to move back to Leeds.'],
    ['Ich wohne in Fulda.', 'Mein Bruder ist zurück nach Kassel gezogen.'],
    ['Ich wohne in Fulda.', 'Ich will zurück nach Kassel ziehen.'],
    ['Vivo en Oviedo.', 'Mi hermana volvió a vivir en Gijón.'],
    ['Vivo en Oviedo.', 'Quiero volver a vivir en Gijón.'],
    ['我住在佛山。', '我姐姐搬回广州了。'],
    ['我住在佛山。', '我搬回宿舍了。'],
    ['我住在佛山。', '我没搬回广州。'],
  ],
  'of what is not yet or not stopped': [
    ['I take metformin.', "I'd like to come off metformin."],
    ['I take metformin.', "I haven't stopped taking metformin."],
    ['I take metformin.', 'My mother came off metformin.'],
    ['I take metoprolol.', 'My mother swapped the metoprolol for bisoprolol.'],
    ['I take metoprolol.', 'I swapped the bread for rice.'],
    ['Ich nehme Metoprolol.', 'Meine Mutter hat das Metoprolol durch Bisoprolol ersetzt.'],
    ['Tom takes metformin.', 'I came off metformin.'],
    ['Ich nehme Novalgin.', 'Novalgin kann ich noch nicht absetzen.'],
    ['Tomo losartán.', 'Me quitaron las muelas.'],
    ['我每天吃二甲双胍。', '二甲双胍不能停。'],
  ],
  'of other events and numbers': [
    ['Our wedding is on June 12.', 'The meeting got pushed back two weeks.'],
    ['Our wedding is on June 12.', 'The wedding lasts three days.'],
    ['Die OP ist am 14. September.', 'Die OP ist in zwei Wochen.'],
    ['We expect about 80 guests.', 'We are at 95 percent now.'],
    ['婚礼在6月12日。', '我妹妹的婚礼推迟一周。'],
    ['婚礼在6月12日。', '表妹的婚礼推到6月19日了。'],
  ],
};

describe.each(Object.entries(ENDED))('%s that changes in passing', (_, pairs) => {
  test.each(pairs)('"%s" no longer holds after "%s"', (...pair) => {
    expect(endingBy(...pair)).not.toBe('None');
  });
});

describe.each(Object.entries(KEPT))('what is said %s', (_, pairs) => {
  test.each(pairs)('"%s" stays beside "%s"', (...pair) => {
    expect(endingBy(...pair)).toBe('None');
  });
});
