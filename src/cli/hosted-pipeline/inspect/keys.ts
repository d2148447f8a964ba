/** A key: a printable character, or the name of another key. */
export type Key = string;

const named: Readonly<Record<string, Key>> = {
  "\u001b[A": "up",
  "\u001b[B": "down",
  "\u001b[C": "right",
  "\u001b[D": "left",
  "\u001bOA": "up",
  "\u001bOB": "down",
  "\u001bOC": "right",
  "\u001bOD": "left",
  "\u001b[5~": "pageup",
  "\u001b[6~": "pagedown",
  "\u001b[H": "home",
  "\u001b[F": "end",
  "\u001b[1~": "home",
  "\u001b[4~": "end",
  "\u001b[Z": "backtab",
  "\u001b": "escape",
  "\t": "tab",
  "\r": "enter",
  "\n": "enter",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0003": "interrupt",
  "\u0004": "interrupt",
};

/** The keys in the input of a terminal. Unknown sequences are left out. */
export function keysIn(text: string): readonly Key[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send these
  const parts = text.match(/\u001b\[[0-9;?]*[A-Za-z~]|\u001bO[A-Za-z]|[\s\S]/gu) ?? [];
  return parts.flatMap((part) => {
    const name = named[part];
    if (name !== undefined) return [name];
    return /^[^\p{C}]$/u.test(part) ? [part] : [];
  });
}
