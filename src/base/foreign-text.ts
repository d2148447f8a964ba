import { visible } from "./visible.js";

/** What a server said, to be part of a message: one line of limited length that no terminal obeys. */
export function foreignText(text: string): string {
  const line = visible(text.trim().slice(0, most * 2));
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** Characters. */
const most = 500;
