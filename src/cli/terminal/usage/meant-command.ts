/** Other tools' names for our commands, by the line that begins with the name of the program. */
const others: Readonly<Record<string, string>> = {
  "graphloom auth": "graphloom login",
  "graphloom whoami": "graphloom project list",
  "graphloom build": "graphloom compile",
  "graphloom codegen": "graphloom compile",
  "graphloom publish": "graphloom subgraph deploy",
  "graphloom indexed": "graphloom external-data",
  "graphloom start": "graphloom run",
  "graphloom validate": "graphloom check",
  "graphloom lint": "graphloom check",
  "graphloom new": "graphloom init",
  "graphloom version": "graphloom --version",
  "graphloom upgrade": "graphloom --version",
  "graphloom subgraph create": "graphloom subgraph deploy <name>/<version>",
  "graphloom subgraph publish": "graphloom subgraph deploy <name>/<version>",
  "graphloom subgraph resume": "graphloom subgraph start",
  "graphloom subgraph stop": "graphloom subgraph pause",
  "graphloom subgraph monitor": "graphloom subgraph log",
  "graphloom subgraph tag update": "graphloom subgraph tag create",
  "graphloom subgraph tag move": "graphloom subgraph tag create",
  "graphloom subgraph tag list": "graphloom subgraph list",
  "graphloom secret set": "graphloom secret create",
  "graphloom secret add": "graphloom secret create",
  "graphloom secret get": "graphloom secret reveal",
  "graphloom secret show": "graphloom secret reveal",
  "graphloom pipeline log": "graphloom pipeline monitor",
  "graphloom pipeline logs": "graphloom pipeline monitor",
  "graphloom pipeline deploy": "graphloom pipeline apply",
  "graphloom pipeline resume": "graphloom pipeline start",
  "graphloom stream deploy": "graphloom stream apply",
  "graphloom stream start": "graphloom stream resume",
  "graphloom stream stop": "graphloom stream pause",
  "graphloom stream monitor": "graphloom stream inspect",
  "graphloom project switch": "graphloom project use",
  "graphloom project delete": "graphloom project leave",
};

/** Features of other tools that graphloom lacks, so that suggesting a similar name would mislead. */
export const withoutCounterpart: ReadonlySet<string> = new Set(["graphloom compose", "graphloom edge"]);

/** The commands that words of other tools lead to. */
export const meantCommands: readonly string[] = Object.values(others);

/** Words for a command of the same group, in order of preference. */
const synonyms: readonly (readonly [words: readonly string[], names: readonly string[]])[] = [
  [
    ["get", "info", "show", "status", "describe", "inspect"],
    ["info", "get", "list"],
  ],
  [["ls"], ["list"]],
  [["rm", "remove", "destroy", "drop"], ["delete"]],
  [["add", "new"], ["create"]],
];

/**
 * The command that a user of another tool means.
 * @param command the group: `graphloom subgraph`
 * @param names of the commands in it
 */
export function meantCommand(command: string, word: string, names: readonly string[]): string | undefined {
  const line = `${command} ${word}`;
  if (Object.hasOwn(others, line)) return others[line];
  const [, found = []] = synonyms.find(([words]) => words.includes(word)) ?? [];
  const name = found.find((each) => names.includes(each));
  if (name === undefined) return undefined;
  return `${command} ${name}${name === "list" && line.startsWith("graphloom subgraph ") && word !== "ls" ? " <name>" : ""}`;
}
