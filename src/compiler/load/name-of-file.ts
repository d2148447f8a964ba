/**
 * What a subgraph is called when nothing gives it a name: as the file of its configuration, without the ending.
 * @param path of the configuration, as it was read
 * @returns nothing for standard input, and where that is no name a subgraph may have
 */
export function nameOfFile(path: string): string | undefined {
  const [file = ""] = path.split(/[/\\]/).slice(-1);
  const name = file.replace(/\.(?:json[5c]?|ya?ml)$/i, "").replace(/[. ]+/g, "-");
  return /^[a-zA-Z][\w-]*$/.test(name) ? name : undefined;
}
