/**
 * Finds what no line of MEMORY.md may contain, since an agent loads the whole file with every call.
 * The patterns of keys are those that their issuers document for secret scanners.
 */
import { oneOf } from '../text/pattern.ts';

export type PrivateKind = 'Secret' | 'EmailAddress';

const NAMES = String.raw`
  password, passwd, passphrase, passcode, pwd?, pin, secret, api[-_ ]?key, access[-_ ]?token,
  passwort, kennwort, contraseña
`;
const OPENS = 'for, of, to, von, vom, für, de, del';
/** The name of a secret, with what it opens: `password for the wifi`. */
const NAME =
  String.raw`(?<![\p{L}\p{N}_-])${oneOf(NAMES)}` +
  String.raw`(?:\s+${oneOf(OPENS)}(?:\s+[\p{L}\p{N}-]+){1,3})?`;
const IS = String.raw`\s+${oneOf('is, was, ist, war, lautet, heißt, es, era')}\s+`;
/** A value with a digit or a sign, so that "the password is required" is no secret. */
const VALUE = String.raw`["'\x60]?(?=[^\s.]*[\d_!@#$%^&*])\S{4,}`;

const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/u,
  // OpenAI, Anthropic, Stripe and others with the same format.
  /\b(?:sk|rk|pk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}/u,
  // GitHub, GitLab, Slack, npm, Hugging Face.
  /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|npm_|hf_)[A-Za-z0-9_-]{10,}/u,
  // AWS and Google.
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/u,
  /\bAIza[A-Za-z0-9_-]{30,}/u,
  // A JSON Web Token.
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/u,
  // A password in a URL.
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]+@/iu,
  // A value that is called a secret.
  new RegExp(String.raw`${NAME}(?:${IS}${VALUE}|\s*[:=：]\s*\S{4,})`, 'iu'),
  /\bpassphrase is \S+ \S+/iu,
  // A webhook URL: whoever knows it may post to it.
  /\bhooks\.slack\.com\/services\/\S{10,}/iu,
  // A card or a bank account.
  /(?<!\d)(?:\d{4}[ -]){3}\d{4}(?!\d)/u,
  /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/u,
  /(?:密码|口令|密钥)\s*(?:是|为|[:=：])\s*\S{6,}/u,
];
const EMAIL_ADDRESS =
  /[\p{L}\p{N}._%+-]+(?:@|\s?[([]at[)\]]\s?)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/u;

/** Returns the kind of private data in a text, or null. */
export function privateKind(text: string): PrivateKind | null {
  if (SECRETS.some((pattern) => pattern.test(text))) return 'Secret';
  return EMAIL_ADDRESS.test(text) ? 'EmailAddress' : null;
}
