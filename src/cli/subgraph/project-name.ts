/** A subgraph's name as the command line and the configuration write it: `<name>` or `<name>/<version>`. */
export interface ProjectName {
  readonly name: string;
  readonly version?: string;
}

/** Parses `<name>[/<version>]`; `undefined` for any other text. */
export function parseProjectName(text: string): ProjectName | undefined {
  const match = /^([a-zA-Z][\w-]*)(?:\/([a-zA-Z0-9][\w+.-]*))?$/.exec(text);
  if (!match) return undefined;
  return { name: match[1] as string, ...(match[2] !== undefined && { version: match[2] }) };
}
