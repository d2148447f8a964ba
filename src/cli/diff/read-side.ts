import { createHash } from "node:crypto";
import { join, posix, resolve } from "node:path";
import { quoteForeign } from "../../base/quote-foreign.js";
import { readBuildFolder } from "../../node/build-folder.js";
import { describe } from "../../node/compile.js";
import { createNodeHost } from "../../node/host.js";
import type { Build } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import type { SubgraphFacts } from "../../subgraph/changes/facts.js";
import { factsOfManifest } from "../../subgraph/changes/manifest-facts.js";
import type { PublicSchema } from "../../subgraph/changes/public-schema.js";
import { readPublicSchema } from "../../subgraph/changes/read-public-schema.js";
import { SchemaError } from "../../subgraph/schema/entity-schema.js";
import { reportCompiled } from "../compile/report-diagnostics.js";
import type { RemoteArguments } from "../remote/session.js";
import { parseProjectName } from "../subgraph/project-name.js";
import type { Terminal } from "../terminal/terminal.js";
import { factsOfConfig } from "./config-facts.js";
import { readDeployedSchema } from "./deployed-schema.js";

/** Arguments of `diff`. */
export interface DiffArguments extends RemoteArguments {
  readonly old: string;
  readonly new: string;
  readonly output: "table" | "json";
  readonly color: boolean;
}

/** One side of a comparison. */
export interface DiffSide {
  /** The kind of its source. */
  readonly kind: "configuration" | "build" | "schema" | "deployed";
  readonly facts: SubgraphFacts<PublicSchema>;
}

/** The largest schema, in bytes. */
const largestSchema = 16 * 1_048_576;

/**
 * Reads one side: a file or folder or, if neither exists, the deployed version of that name.
 * @returns `undefined` for a configuration with errors, which it prints
 * @throws BundleError for a build or a schema that cannot be read
 */
export async function readSide(
  input: string,
  args: DiffArguments,
  terminal: Terminal,
): Promise<DiffSide | undefined> {
  const host = createNodeHost({ cwd: terminal.cwd });
  const file = input === "-" ? undefined : await host.readFile(input, largestSchema);
  if (file?.kind === "directory") return readFolder(resolve(terminal.cwd, input), input);
  if (file?.kind === "missing") {
    const { name, version } = parseProjectName(input) ?? {};
    if (name !== undefined && version !== undefined)
      return {
        kind: "deployed",
        facts: { schema: await readDeployedSchema({ name, version }, args, terminal) },
      };
  }
  if (file?.kind === "bytes" && /\.(?:graphql|gql)$/.test(input))
    return { kind: "schema", facts: { schema: schemaOf(file.bytes, input) } };
  if (file?.kind === "bytes" && isManifest(file.bytes))
    return buildsSide(await readBuildFolder(resolve(terminal.cwd, input), host));
  return readConfig(input, args, terminal);
}

/** Every manifest has `dataSources` at its top level, and no configuration has. */
function isManifest(bytes: Uint8Array): boolean {
  return /^(?:"?dataSources"?)\s*:/m.test(new TextDecoder().decode(bytes));
}

async function readConfig(
  input: string,
  { color, output }: DiffArguments,
  terminal: Terminal,
): Promise<DiffSide | undefined> {
  const { cwd, stdin } = terminal;
  const { diagnostics, meaning } = await describe(input, createNodeHost({ cwd, ...(stdin && { stdin }) }));
  if (!meaning) {
    const named = input === "-" ? undefined : input;
    reportCompiled(diagnostics, false, { format: "text", color, output }, terminal, named);
    return undefined;
  }
  const schema = readPublicSchema(meaning.schema);
  return {
    kind: "configuration",
    facts: { schema, sources: factsOfConfig(meaning.sources), name: meaning.name },
  };
}

/** Reads the folder of a build, or a folder that contains only a schema. */
async function readFolder(folder: string, input: string): Promise<DiffSide> {
  const host = createNodeHost({ cwd: folder });
  try {
    return buildsSide(await readBuildFolder(folder, host));
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    const hasManifest = (await host.readFile("subgraph.yaml", largestSchema)).kind !== "missing";
    const file = await host.readFile("schema.graphql", largestSchema);
    if (hasManifest || file.kind !== "bytes") throw error;
    return { kind: "schema", facts: { schema: schemaOf(file.bytes, join(input, "schema.graphql")) } };
  }
}

/** All chains of a project share one schema. */
function buildsSide(builds: readonly Build[]): DiffSide {
  const [first] = builds;
  if (!first) throw new BundleError("There is no build.");
  return {
    kind: "build",
    facts: {
      schema: schemaOf(fileOf(first, linkOf(first)), "schema.graphql"),
      sources: builds.flatMap((build) =>
        factsOfManifest(build.manifest, (path) =>
          createHash("sha256").update(fileOf(build, path)).digest("hex"),
        ),
      ),
    },
  };
}

function linkOf({ manifest }: Build): string {
  return typeof manifest.schema.file === "string" ? manifest.schema.file : "schema.graphql";
}

function fileOf({ files }: Build, link: string): Uint8Array {
  return files.get(posix.normalize(link)) ?? new Uint8Array();
}

function schemaOf(bytes: Uint8Array, name: string): PublicSchema {
  try {
    return readPublicSchema(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SchemaError) throw new BundleError(`${quoteForeign(name)}: ${error.message}`);
    throw error;
  }
}
