/**
 * The default name of a subgraph: its configuration's file name without the extension.
 * @param path of the configuration
 * @returns `undefined` for standard input, and if it is not a valid name
 */
export function nameOfFile(path: string): string | undefined {
  const [file = ""] = path.split(/[/\\]/).slice(-1);
  const name = file.replace(/\.(?:json[5c]?|ya?ml)$/i, "").replace(/[. ]+/g, "-");
  return /^[a-zA-Z][\w-]*$/.test(name) ? name : undefined;
}
