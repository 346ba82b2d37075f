const ASKS = /[?？]["'”’»“)\]\s]*$/u;

/** Whether a text ends with a question, also in quotation marks or brackets. */
export function isQuestion(text: string): boolean {
  return ASKS.test(text);
}
