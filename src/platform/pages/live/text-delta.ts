/** A new text in relation to an older one: new text, and ranges of the older text that are kept, in UTF-16 units. */
export type TextDelta = readonly (string | readonly [from: number, to: number])[];

/** Shorter lines are sent again, because a reference would be as long. */
const shortest = 16;

/** The change from one text to another, line by line. Kept lines may have moved. Takes time linear in both texts. */
export function deltaOf(old: string, fresh: string): TextDelta {
  const known = new Map<string, number>();
  let at = 0;
  for (const line of linesOf(old)) {
    if (!known.has(line)) known.set(line, at);
    at += line.length;
  }
  const parts: (string | [number, number])[] = [];
  for (const line of linesOf(fresh)) {
    const last = parts.at(-1);
    if (Array.isArray(last) && old.startsWith(line, last[1])) {
      last[1] += line.length;
      continue;
    }
    const from = line.length < shortest ? undefined : known.get(line);
    if (from !== undefined) parts.push([from, from + line.length]);
    else if (typeof last === "string") parts[parts.length - 1] = last + line;
    else parts.push(line);
  }
  return parts;
}

/** The lines of a text with their line breaks. */
function linesOf(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}
