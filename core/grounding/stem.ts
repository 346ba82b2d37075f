/** Stems of English words: enough to know `paid`, `pays` and `payment` for one thing said. */

/** A line: the plain form and what else it appears as. */
const IRREGULAR = `
pay paid
send sent
buy bought
sell sold
get got gotten
give gave given
take took taken
make made
say said
tell told
meet met
lead led
leave left
keep kept
write wrote written
choose chose chosen pick picked
break broke broken
go went gone
come came
see saw seen
know knew known
think thought
find found
hold held
lose lost
win won
run ran
speak spoke spoken
drive drove driven
eat ate eaten
drink drank drunk
build built
spend spent
teach taught
feel felt
fall fell fallen
rise rose risen
grow grew grown
bring brought
draw drew drawn
fly flew flown
lend lent
hear heard
sleep slept
wear wore worn
stand stood
understand understood
forget forgot forgotten
become became
start begin began begun begins beginning commence commenced
buy purchase purchased purchases
fix repair repaired repairs
allow permit permitted permits
answer reply replied respond responded responds
choose select selected selects
need require required requires
use utilise utilize utilised utilized
finish complete completed completes conclude concluded
show shown display displayed present presented
child children
person people
`;

/** A line: a word and what people write for short. */
const SHORT = `
production prod
database db
configuration config
repository repo
application app
environment env
telephone phone
mother mom mum
father dad
`;

/** The stem of a lower-case word; other languages lose little, since both sides lose the same. */
export function stemOf(word: string): string {
  const bare = word.replace(/'(?:s|re|ve|ll|d|m)?$/u, '');
  const known = PLAIN.get(bare);
  if (known !== undefined) return known;
  return plainStem(bare);
}

/** Whether a lower-case word is another form of a word, as `paid` is of `pay`. */
export function isIrregularForm(word: string): boolean {
  return IRREGULAR_FORMS.has(word);
}

/** Longer ones are no words, and their endings would take long to find. */
const WORD_CHARS_MAX = 64;

/** Short words only lose an `e`, as `use` does beside `uses`. */
function plainStem(word: string): string {
  if (word.length > WORD_CHARS_MAX || !/^[a-z]+$/u.test(word)) return word;
  return word.length < 4 ? word.replace(/(?<=..)e$/u, '') : withoutEnding(word);
}

const ENDINGS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/ies$/u, 'y'],
  [/ied$/u, 'y'],
  [/(?<=ss|sh|ch|x|z)es$/u, ''],
  [/(?<![su])s$/u, ''],
  [/(?<=[a-z]{3})(?:ments?)$/u, ''],
  [/(?<=[a-z]{4})(?:ally|ly)$/u, ''],
  [/(?<=[a-z]*[aeiouy][a-z]*)(?:ing|ed)$/u, ''],
  [/(?<=[a-z]{3})(?:ation|ition)$/u, ''],
  [/(?<=[a-z]{3}t)ion$/u, ''],
  [/(?<=[a-z]{3})al$/u, ''],
  [/(?<=[a-z]{4})[ai]ble$/u, ''],
];

const IRREGULAR_FORMS = readForms(IRREGULAR);
const PLAIN = new Map([...IRREGULAR_FORMS, ...readForms(SHORT)]);

function withoutEnding(word: string): string {
  let stem = word;
  for (const [pattern, replacement] of ENDINGS) stem = stem.replace(pattern, replacement);
  const single = /([bdgmnprt])\1$/u.test(stem) ? stem.slice(0, -1) : stem;
  return single.replace(/e$/u, '').replace(/i$/u, 'y');
}

function readForms(table: string): ReadonlyMap<string, string> {
  const plain = new Map<string, string>();
  for (const line of table.trim().split('\n')) {
    const [base = '', ...forms] = line.split(' ');
    const stem = plainStem(base);
    for (const form of forms) plain.set(form, stem);
  }
  return plain;
}
