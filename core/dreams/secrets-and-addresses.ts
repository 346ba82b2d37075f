/**
 * What no line of MEMORY.md holds: an agent loads that file whole, with every call. The patterns of
 * keys are those that their issuers document for scanners of secrets.
 */

export type PrivateKind = 'Secret' | 'EmailAddress';

const SECRET_NAME =
  String.raw`\b(?:password|passwd|passphrase|secret|` +
  String.raw`api[-_ ]?key|access[-_ ]?token|passwort|contraseña)\b`;
const SECRET_VALUE =
  String.raw`\s*(?:is|was|ist|es|[:=：])\s*["'\x60]?` + String.raw`(?=[^\s.]*[\d_!@#$%^&*])\S{6,}`;

const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/u,
  // OpenAI, Anthropic, Stripe and those that follow them.
  /\b(?:sk|rk|pk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}/u,
  // GitHub, GitLab, Slack, npm, Hugging Face.
  /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|npm_|hf_)[A-Za-z0-9_-]{10,}/u,
  // AWS and Google.
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/u,
  /\bAIza[A-Za-z0-9_-]{30,}/u,
  // A JSON Web Token.
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/u,
  // A password in an address.
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]+@/iu,
  // A value that is called a secret.
  new RegExp(`${SECRET_NAME}${SECRET_VALUE}`, 'iu'),
  /(?:密码|口令|密钥)\s*(?:是|为|[:=：])\s*\S{6,}/u,
];
const EMAIL_ADDRESS = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/u;

/** What a text holds that is private, or null. */
export function privateKind(text: string): PrivateKind | null {
  if (SECRETS.some((pattern) => pattern.test(text))) return 'Secret';
  return EMAIL_ADDRESS.test(text) ? 'EmailAddress' : null;
}
