import { resolve } from "node:path";
import { visible } from "../../base/text/visible.js";
import type { Host } from "../../compiler/host.js";
import { readProjectSchema } from "../../compiler/project/read-project-schema.js";
import { compile } from "../../machine/compiler/compile.js";
import { writeOwnFile } from "../../machine/files/write-own-file.js";
import { introspectApi, printApiSchema } from "../../query/describe-api.js";
import { judgeSchema } from "../../subgraph/schema/judge-schema.js";
import { readSchema as readSchemaText } from "../../subgraph/schema/read-schema.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { findNamed } from "../named/find-named.js";
import { hostOfTerminal, loadNamed, networkFor, runnable } from "../named/load-named.js";
import { configOf, orSay } from "../named/load-or-say.js";
import type { NamedBuilds } from "../named/named-builds.js";
import type { WordArguments } from "../named/word-options.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

export interface SchemaArguments extends WordArguments {
  /** The word that names the subgraph. */
  readonly subgraph: string;
  readonly api: boolean;
  readonly introspection: boolean;
  /** A file's path. */
  readonly output?: string | undefined;
  readonly ipfs?: string | undefined;
  readonly cache: boolean;
  readonly color: boolean;
  readonly verbose: boolean;
}

/** The first lines that identify files of this command, so that no other file is overwritten. */
const sdlHead = "# The GraphQL API of a subgraph, printed by graphloom schema\n\n";
const jsonHead = '{\n  "__schema": {';

/**
 * Prints the schema of the subgraph that a word names, or writes its API's schema to a file; returns the exit code.
 * @throws UsageError for options that contradict each other, or a word that names no subgraph or several
 */
export async function printSchemaOfWord(args: SchemaArguments, terminal: Terminal): Promise<number> {
  checkOutput(args);
  const text = await readSchema(args, terminal);
  if (typeof text === "number") return text;
  const content = contentOf(text.schema, args);
  if (args.output === undefined) {
    // A schema from elsewhere may hold escapes for terminals. Piped output stays unchanged.
    terminal.out(terminal.isTty ? content.split("\n").map(visible).join("\n") : content);
    return exitCodes.clean;
  }
  const head = args.introspection ? jsonHead : sdlHead;
  const failure = await writeOwnFile(resolve(terminal.cwd, args.output), content, head);
  if (failure === undefined) return exitCodes.clean;
  terminal.err(`${visible(args.output)} cannot be written: ${visible(failure)}\n`);
  return exitCodes.diagnostics;
}

function checkOutput({ api, introspection, output }: SchemaArguments): void {
  if (output === "")
    throw new UsageError("--output: the name of the file is empty. Name it, such as api.graphql.");
  if (output !== undefined && !api && !introspection)
    throw new UsageError(
      "--output is for the API's schema. Add --api or --introspection, or leave out --output to print the subgraph's own schema.",
    );
}

/** The schema of the subgraph, or the exit code after its mistakes were printed. */
async function readSchema(
  args: SchemaArguments,
  terminal: Terminal,
): Promise<{ readonly schema: string } | number> {
  const { subgraph, network, networkFile, ipfs: gateway, cache, verbose } = args;
  const report = { format: "text", color: args.color } as const;
  const host = hostOfTerminal(terminal);
  const named = await findNamed(subgraph, host);
  if (named.kind === "configuration" && network === undefined) {
    // The schema is complete before the AssemblyScript compiler would start.
    const { diagnostics, files } = await compile(named.path, host);
    reportDiagnostics(diagnostics, report, terminal, configOf(named));
    const schema = files.get("schema.graphql");
    return typeof schema === "string" ? { schema } : exitCodes.diagnostics;
  }
  if (named.kind === "project") return readOfProject(named.path, args, host, terminal);
  const options = { network, networkFile, gateway, cache, verbose, remote: args, optimize: "fast" } as const;
  const loaded = await orSay(terminal, () => loadNamed(named, options, terminal, { host }));
  if (typeof loaded === "number") return loaded;
  reportDiagnostics(loaded.diagnostics, report, terminal);
  return loaded.found ? { schema: schemaTextOf(loaded.found) } : exitCodes.diagnostics;
}

/** The schema of a subgraph that was written by hand, which is not compiled. */
async function readOfProject(
  path: string,
  args: SchemaArguments,
  host: Host,
  terminal: Terminal,
): Promise<{ readonly schema: string } | number> {
  const { diagnostics, schema } = await readProjectSchema(path, host, networkFor(path, args, host));
  reportDiagnostics(diagnostics, { format: "text", color: args.color }, terminal);
  if (schema === undefined) return exitCodes.diagnostics;
  return orSay(terminal, async () => {
    runnable(path, () => judgeSchema(readSchemaText(schema)));
    return { schema };
  });
}

/** The one schema of all chains. @throws UsageError if builds in a folder or a zip have different ones */
function schemaTextOf({ builds }: NamedBuilds): string {
  const texts = new Set(builds.map(({ build }) => build.schema.text));
  const [text] = texts;
  if (text !== undefined && texts.size === 1) return text;
  const chains = builds.map(({ chain }) => visible(chain)).join(", ");
  throw new UsageError(`The builds for ${chains} have different schemas. Name the folder of one of them.`);
}

function contentOf(text: string, { api, introspection }: SchemaArguments): string {
  if (introspection) return `${JSON.stringify(introspectApi(text), null, 2)}\n`;
  return api ? `${sdlHead}${printApiSchema(text)}` : text;
}
