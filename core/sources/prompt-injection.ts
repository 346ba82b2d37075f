/**
 * Detects text by tools or strangers that addresses its reader: an order, an invented turn or
 * summary, an answer in Varve's format, or words that only a machine sees. Judges the whole text,
 * by rules alone, because no model can be trusted with this question. Pure.
 */
import { INJECTION_RULES, type InjectionRule } from '../records/review.ts';

/** Of a longer text, only the beginning and the end are checked. */
const LENGTH_MAX = 40_000;
/** The most runs of base64 that are decoded. */
const CODED_MAX = 8;

/** Joins the lines of one pattern. */
function any(...parts: readonly string[]): RegExp {
  return new RegExp(parts.join(''), 'mu');
}

const PATTERNS: Readonly<Record<InjectionRule, readonly RegExp[]>> = {
  Override: [
    any(
      String.raw`\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow)`,
      String.raw`\b[^.\n]{0,40}\b(?:instructions?|prompts?|rules|guidelines?|directions`,
      String.raw`|everything|said before)\b`,
    ),
    any(
      String.raw`\bnew instructions?\b|\byour instructions\b`,
      String.raw`|\binstructions for (?:language models?|ai|llms?)\b`,
    ),
    any(
      String.raw`\b(?:ignorier|vergiss|missachte|halte dich nicht)`,
      String.raw`\p{L}*\b[^.\n]{0,40}(?:anweisung|regel|vorgabe|befehl|prompt)`,
    ),
    /\bneue anweisung|\banweisung(?:en)? (?:an den assistenten|für sprachmodelle)/u,
    any(
      String.raw`\b(?:ignora|olvida|descarta|no sigas|desobedece)\b[^.\n]{0,40}(?:instrucci`,
      String.raw`|regla|indicaci|prompt)`,
    ),
    /\bnuevas? instrucci|\binstrucci\p{L}* para (?:el asistente|modelos)/u,
    /(?:忽略|无视|忘记|忘掉|不要遵守|不要理会)[^。\n]{0,12}(?:指令|指示|提示|规则|要求|设定)/u,
    /新(?:的)?指令|给(?:助手|语言模型)的/u,
  ],
  Address: [
    /\b(?:you (?:must|are) now|from now on,? you|takes priority over)\b/u,
    /(?:^|[\s(*#/])(?:ai|llm|agent|assistant|language model)\s*[:,]\s/mu,
    any(
      String.raw`\bto (?:this|the) user\b|\bthe user(?:'s)? (?:wants|prefers|has (?:approved`,
      String.raw`|authorized|agreed|confirmed)|is an? admin\p{L}*|profile)\b`,
    ),
    /\b(?:tell|say to|show) (?:the )?(?:user|reader|everyone)\b/u,
    any(
      String.raw`(?:^|[\s(*#/])(?:ki|assistent)\s*[:,]\s|\bdu bist (?:jetzt|ab sofort)\b`,
      String.raw`|\bdiesem nutzer\b|\bsage dem (?:nutzer|leser)\b`,
    ),
    /\bder (?:be)?nutzer (?:möchte|bevorzugt|mag|hat (?:zugestimmt|genehmigt)|ist ein admin)/u,
    any(
      String.raw`(?:^|[\s(*#/])(?:ia|asistente)\s*[:,]\s|\bahora eres\b|\ba este usuario\b`,
      String.raw`|\bdi al (?:usuario|lector)\b`,
    ),
    /\bel usuario (?:quiere|prefiere|ha (?:aprobado|autorizado)|es un admin)/u,
    /(?:ai|助手)[:：]|你现在是|这个用户|告诉用户|用户(?:想要|偏好|喜欢|已(?:同意|批准|授权)|希望)/u,
  ],
  Role: [
    any(
      String.raw`^[# *-]{0,16}(?:system|assistant|human|developer)(?: message)? {0,4}:`,
      String.raw`\s{0,4}\p{L}{2,40}(?: \p{L}{1,40}){2}`,
    ),
    /^#{1,6}\s*(?:system|assistant|developer|systemnachricht|mensaje del sistema|系统消息)\s*$/mu,
    /<\|im_(?:start|end)\|>|\[\/?inst\]|<\/?(?:system|tool_result|assistant)>|end of tool output/u,
    /ende der werkzeugausgabe|fin de la salida|工具输出结束/u,
    any(
      String.raw`^(?:system|sistema|assistent|asistente|benutzer|usuario) {0,4}:`,
      String.raw`\s{0,4}\p{L}{2,40}(?: \p{L}{1,40}){2}`,
    ),
    /^(?:系统|助手|用户)[:：]/mu,
  ],
  Remember: [
    any(
      String.raw`\b(?:remember|memorize|note|don't forget|do not forget|keep in mind) that\b`,
      String.raw`|\bnote to self\b|\blesson learned\b`,
    ),
    any(
      String.raw`\b(?:add|save|store|write|put)\b[^.\n]{0,30}\bmemory\b|\bupdate the user\b`,
      String.raw`|\balways recommend\b`,
    ),
    any(
      String.raw`\bmerke? dir\b|\bspeicher\p{L}*\b[^.\n]{0,30}gedächtnis`,
      String.raw`|\bempfiehl\b[^.\n]{0,30}immer|\bnotiz an mich\b`,
    ),
    any(
      String.raw`\b(?:recuerda|memoriza|anota|no olvides) que\b|\bguarda\b[^.\n]{0,20}memoria`,
      String.raw`|\brecomienda siempre\b`,
    ),
    /记住|牢记|请记下|存入[^。\n]{0,6}记忆|写入[^。\n]{0,6}记忆|总是向/u,
  ],
  Summary: [
    any(
      String.raw`\b(?:summary of (?:the|this|our) (?:conversation|session|chat)|(?:session`,
      String.raw`|conversation|final) summary)\b`,
    ),
    any(
      String.raw`\b(?:in|to) (?:your|the|every) summary\b|\bwhen you summari[sz]e\b`,
      String.raw`|\bupdated memory\b|\[(?:memory|dream)\]`,
    ),
    /\bthe conversation above\b|\bwhat really happened\b/u,
    any(
      String.raw`zusammenfassung (?:des gesprächs|der sitzung)|in die zusammenfassung`,
      String.raw`|zusammenfass(?:t|e), |aktualisiertes gedächtnis`,
    ),
    any(
      String.raw`resumen de la (?:conversación|sesión)|en (?:tu|el) resumen|cuando resumas`,
      String.raw`|memoria actualizada`,
    ),
    /(?:对话|会话)(?:总结|摘要)|总结(?:中|时)|更新后的记忆/u,
  ],
  Answer: [
    /"(?:facts|kept|quote)"\s*:\s*[[{"]/u,
    /"role"\s*:\s*"(?:system|assistant|developer)"/u,
    /"(?:instructions?|anweisung|instruccion|指令)"\s*:/u,
    /"memory"\s*:\s*"|"tool"\s*:\s*"memory/u,
  ],
  Hidden: [
    any(
      String.raw`<!--[^>]{0,400}\b(?:ai|llms?|ki|ia|assistant|agent|models?|sprachmodelle`,
      String.raw`|modelos|merke|note that)\b`,
    ),
    /\[\/\/\]: # \(|display:\s*none|<span hidden|<font color="?white/u,
  ],
  Sending: [
    /!\[[^\]]{0,200}\]\(https?:\/\/[^)\s]{0,400}[?&][\w-]{1,40}=/u,
    /\{\{[^}]{1,80}\}\}|[?&]\w+=(?:api_key|token|secret|user|usuario|nutzer)\b/u,
    any(
      String.raw`\b(?:send|forward|post|upload|append|leak)\b[^.\n]{0,30}\b(?:conversation`,
      String.raw`|notes|memor\p{L}+|email address|chat|messages)\b[^\n]{0,40}(?:https?:|@)`,
    ),
    any(
      String.raw`\b(?:sende|schicke|leite|übermittle)\b[^.\n]{0,30}(?:gespräch|notizen`,
      String.raw`|nachrichten)[^\n]{0,40}(?:https?:|@)`,
    ),
    any(
      String.raw`\b(?:envía|manda|reenvía|sube)\b[^.\n]{0,30}(?:conversación|notas|mensajes)`,
      String.raw`[^\n]{0,40}(?:https?:|@)`,
    ),
    /(?:发送|转发|上传|发到)[^。\n]{0,20}(?:https?:|[\w.]+@)|(?:对话|笔记)[^。\n]{0,6}(?:发送|转发)/u,
  ],
};

/** Letters of other scripts that look like Latin ones. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аα',
    b: 'β',
    c: 'сϲ',
    d: 'ԁ',
    e: 'еε',
    h: 'һ',
    i: 'іι',
    j: 'ј',
    k: 'κк',
    m: 'м',
    n: 'ո',
    o: 'оο',
    p: 'рρ',
    q: 'ԛ',
    s: 'ѕ',
    t: 'τт',
    u: 'υ',
    v: 'νѵ',
    w: 'ԝ',
    x: 'хχ',
    y: 'уγ',
  }).flatMap(([letter, others]) => Array.from(others).map((other) => [other, letter] as const)),
);
const ANY_LOOKALIKE = new RegExp(`[${[...LOOKALIKES.keys()].join('')}]`, 'gu');
/** Characters without width, or that only set the text direction. */
const UNSEEN =
  /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e01ef}]/gu;
const TAGS = /[\u{e0020}-\u{e007e}]+/gu;
const TAG_BASE = 0xe_00_00;
/**
 * Variation selectors: each encodes a byte, 16 of one block, 240 of another. Emoji have one, never
 * several.
 */
const SELECTORS = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,}/gu;
/** Text that is shown from right to left, and so is read from its end. */
const REVERSED = /\u202e([^\u202c\n]+)/gu;
/** A line that continues in the next one, as in an email with 72 columns. */
const WRAPPED = /(?<=[\p{L},])[ \t]*\r?\n[ \t]*(?=\p{Ll})/gu;
const CODED = /[A-Za-z0-9+/]{24,}={0,2}/gu;
/** Single characters between spaces, which no person writes. */
const SPACED_HAN = /(?<=\p{Script=Han})[\s\u3000]+(?=\p{Script=Han}|[,，:：])/gu;

/** Returns the first rule that the text breaks; null if it breaks none. */
export function injectionRuleIn(text: string): InjectionRule | null {
  const seen = [...viewsOf(text)].map(plain);
  return (
    INJECTION_RULES.find((rule) =>
      seen.some((view) => PATTERNS[rule].some((pattern) => pattern.test(view))),
    ) ?? null
  );
}

/** Yields the text, and hidden texts in it that people cannot see. */
function* viewsOf(text: string): Iterable<string> {
  const half = LENGTH_MAX / 2;
  const short = text.length > LENGTH_MAX ? `${text.slice(0, half)}\n${text.slice(-half)}` : text;
  yield short;
  yield short.replaceAll(WRAPPED, ' ');
  for (const [, reversed = ''] of short.matchAll(REVERSED)) {
    yield Array.from(reversed).toReversed().join('');
  }
  for (const [selectors] of short.matchAll(SELECTORS)) yield byteText(selectors);
  for (const [tags] of short.matchAll(TAGS)) {
    yield Array.from(tags)
      .map((tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - TAG_BASE))
      .join('');
  }
  for (const [coded] of short.matchAll(CODED).take(CODED_MAX)) {
    const decoded = decodedText(coded);
    if (decoded !== null) yield decoded;
  }
}

/** Returns the text that variation selectors encode as bytes. */
function byteText(selectors: string): string {
  return Array.from(selectors, (selector) => {
    const code = selector.codePointAt(0) ?? 0;
    return String.fromCodePoint(code < 0x1_00_00 ? code - 0xfe_00 : code - 0xe_01_00 + 16);
  }).join('');
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BITS_OF_DIGIT = 6;

/** Returns null if the bytes are not text. */
function decodedText(coded: string): string | null {
  const bits = Array.from(coded.replaceAll('=', ''))
    .map((digit) => DIGITS.indexOf(digit).toString(2).padStart(BITS_OF_DIGIT, '0'))
    .join('');
  const bytes = bits.match(/[01]{8}/gu) ?? [];
  try {
    return decodeURIComponent(
      bytes.map((byte) => `%${Number.parseInt(byte, 2).toString(16).padStart(2, '0')}`).join(''),
    );
  } catch {
    return null;
  }
}

/** Returns the text as a reader perceives it, whatever letters it uses. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(UNSEEN, '')
    .toLowerCase()
    .replaceAll(ANY_LOOKALIKE, (letter) => LOOKALIKES.get(letter) ?? letter)
    .replaceAll(SPACED_HAN, '')
    .replaceAll('’', "'");
}
