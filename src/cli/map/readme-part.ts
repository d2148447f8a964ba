/** The lines between which a README keeps a map. */
export const readmeMarkers = ["<!-- graphloom map -->", "<!-- /graphloom map -->"] as const;

/** A README with its map, or why it has no place for one. */
export type ReadmeResult = { readonly text: string } | { readonly fault: "missing" | "repeated" };

/**
 * Puts a map between the two comments of a README, which are on separate lines. The rest and the kind of line ends
 * stay unchanged.
 * @param part lines of Markdown, separated by line feeds
 */
export function withMapPart(readme: string, part: string): ReadmeResult {
  const [begin, end] = readmeMarkers;
  const begins = markerLines(readme, begin);
  const ends = markerLines(readme, end);
  if (begins.length > 1 || ends.length > 1) return { fault: "repeated" };
  const [[first], [last]] = [begins, ends];
  if (!first || !last || last.start < first.end) return { fault: "missing" };
  const lineEnd = readme.startsWith("\r\n", first.end) ? "\r\n" : "\n";
  const lines = ["", "", ...part.trim().split("\n"), "", ""].join(lineEnd);
  return { text: readme.slice(0, first.end) + lines + readme.slice(last.start) };
}

/** The places of a marker on a separate line, outside of code blocks. */
function markerLines(
  readme: string,
  marker: string,
): readonly { readonly start: number; readonly end: number }[] {
  const found: { start: number; end: number }[] = [];
  let fence: string | undefined;
  let start = 0;
  for (const whole of readme.split("\n")) {
    const line = whole.trim();
    const opening = /^(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) {
      fence = opening;
      if (line === marker) {
        const at = start + whole.indexOf(marker);
        found.push({ start: at, end: at + marker.length });
      }
    } else if (opening !== undefined && line === opening && opening.startsWith(fence)) fence = undefined;
    start += whole.length + 1;
  }
  return found;
}

/** A map in Mermaid as a code block, which GitHub draws. */
export function mermaidBlock(mermaid: string): string {
  return `\`\`\`mermaid\n${mermaid}\`\`\``;
}

/** A picture of a map. @param address relative, with `/` between folders */
export function imageReference(title: string, address: string): string {
  const alt = `Map of ${title}`.replaceAll(/[\\[\]`*_<>!&|~]/g, "\\$&");
  const url = address.split("/").map(encodeURIComponent).join("/").replaceAll(/[()']/g, escapedByte);
  return `![${alt}](${url})`;
}

function escapedByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
