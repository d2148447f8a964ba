import { visible } from "./visible.js";

/**
 * A server's text, made safe to be part of a message: one line of limited length, control characters escaped.
 */
export function foreignText(text: string): string {
  const line = visible(text.trim().slice(0, most * 2));
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** Longest text that is shown, in characters. */
const most = 500;
