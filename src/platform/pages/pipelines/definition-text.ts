import { Html, type HtmlValue, html } from "../../http/html.js";

/** The text of a definition with the number of each line, which is not copied with the text. */
export function numberedText(text: string): Html {
  const lines = text.replace(/\n$/, "").split("\n");
  const shown = lines.map((line): HtmlValue => [html`<span>${line}</span>`, new Html("\n")]);
  return html`<pre class="numbered">${shown}</pre>`;
}

/**
 * Values of variables as lines, `NAME=value`. A value with line breaks, or one that begins with a quote, is written as
 * a JSON string.
 */
export function textOfVariables(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${/[\r\n]|^"|^\s|\s$/.test(value) ? JSON.stringify(value) : value}`)
    .join("\n");
}

/** Reads values of variables. @returns the values, or a sentence about the first line that has none */
export function variablesIn(text: string): Readonly<Record<string, string>> | string {
  const found = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [, name, value] = /^\s*([A-Za-z_]\w*)=(.*)$/s.exec(line) ?? [];
    const read = value === undefined ? undefined : unquoted(value.trim());
    if (name === undefined || read === undefined)
      return `Line ${index + 1} of the variables must be a name and a value: NAME=value`;
    found.set(name, read);
  }
  return Object.fromEntries(found);
}

function unquoted(value: string): string | undefined {
  if (!value.startsWith('"')) return value;
  try {
    const read: unknown = JSON.parse(value);
    return typeof read === "string" ? read : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
