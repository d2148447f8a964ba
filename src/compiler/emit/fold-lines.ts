const lineWidth = 90;
/** The least width of a folded line's text. */
const minWidth = 20;

/**
 * Folds the long plain values of a manifest as `graph build` does, so that the built manifest is identical to the
 * byte. Values without spaces stay whole.
 */
export function foldLines(manifest: string): string {
  return manifest.replace(
    /^( *)(- )?(\w+): ([^"'\n]+)$/gm,
    (line, indent: string, dash: string | undefined, key: string, value: string) => {
      if (value.length <= lineWidth - key.length - 2) return line;
      const inner = `${indent}${dash ? "  " : ""}  `;
      return `${indent}${dash ?? ""}${key}: ${folded(value, key.length + 2, inner)}`;
    },
  );
}

/**
 * Breaks a text at the last single space before the end of each line. Like `graph build`'s library, counts the key's
 * width in the first line, but not its indentation.
 */
function folded(value: string, used: number, indent: string): string {
  const step = Math.max(1 + minWidth, 1 + lineWidth - indent.length);
  const lines: string[] = [];
  let start = 0;
  let end = lineWidth - used;
  let blank: number | undefined;
  for (let at = 1; at < value.length; at++) {
    if (value[at] === " " && value[at - 1] !== " " && value[at + 1] !== " ") blank = at;
    if (at < end || blank === undefined) continue;
    lines.push(value.slice(start, blank));
    start = blank + 1;
    end = blank + step;
    blank = undefined;
  }
  return [...lines, value.slice(start)].join(`\n${indent}`);
}
