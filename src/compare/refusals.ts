import type { HttpAnswer } from "../web/http/http-request.js";

const tooLate = /time(?:d)?[ -]?out|took too long/i;

/** Whether an error says that a query took too long; a retry may succeed. */
export function saysTooLate(message: string): boolean {
  return tooLate.test(message);
}

/** Advice for an error, by the messages of graph-node and of compatible servers. */
const known: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /indexing_error/,
    "indexing failed at or before this block, so its entities are unreliable; pass an earlier --block",
  ],
  [
    /only has data starting at block number \d+/,
    "it no longer keeps the history of this block; pass a later --block",
  ],
  [/has only indexed up to block number \d+/, "it has not reached this block yet; pass an earlier --block"],
  [tooLate, "the query took too long; request fewer entities at once with --page"],
  [
    /too many requests|rate limit/i,
    "it receives too many requests; pass a lower --rate (with --state, the same command resumes)",
  ],
];

/**
 * Explains the errors of an answer, and what to do about them.
 * @param clean makes a server's string safe to show
 */
export function explainErrors(
  messages: readonly string[],
  keyOption: string,
  clean: (text: string) => string,
): string {
  const text = messages.join("; ");
  const advice = known.find(([pattern]) => pattern.test(text))?.[1];
  const said = `it says "${clean(text)}"`;
  if (advice !== undefined) return `${advice} (${said})`;
  if (/auth|api key|payment|subscription/i.test(text)) return `${said}; pass a key with ${keyOption}`;
  return said;
}

/** Explains a status other than 200, and what to do about it. @param clean makes a server's string safe to show */
export function explainStatus(
  { status, statusText, text, attempts }: HttpAnswer,
  keyOption: string,
  clean: (text: string) => string,
): string {
  const head = `status ${status}${attempts > 1 ? ` after ${attempts} attempts` : ""}`;
  if (status === 429)
    return `${head}: it receives too many requests; pass a lower --rate (with --state, the same command resumes)`;
  if (status === 401 || status === 403) return `${head}: it requires a valid key, passed with ${keyOption}`;
  if (status === 404) return `${head}: there is nothing at this address`;
  return `${head}: ${clean(text.trim() === "" ? statusText : text)}`;
}
