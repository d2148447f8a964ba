import { createHash } from "node:crypto";
import { join, posix } from "node:path";
import { quoteForeign } from "../../base/text/quote-foreign.js";
import { createQueryEndpoint } from "../../compare/endpoint.js";
import { readEndpointSchema } from "../../compare/endpoint-schema.js";
import type { DescribedSource, DescribedTrigger } from "../../compiler/describe/described.js";
import type { Host } from "../../compiler/host.js";
import { type Location, positionAt } from "../../compiler/source/source.js";
import { describe } from "../../machine/compiler/compile.js";
import { createNodeWorld } from "../../machine/world.js";
import type { Build } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import type {
  Place,
  SourceFacts,
  SubgraphFacts,
  TriggerFacts,
  ValueFacts,
} from "../../subgraph/changes/facts.js";
import { factsOfManifest } from "../../subgraph/changes/manifest-facts.js";
import type { PublicSchema } from "../../subgraph/changes/public-schema.js";
import { readPublicSchema } from "../../subgraph/changes/read-public-schema.js";
import { SchemaError } from "../../subgraph/schema/entity-schema.js";
import { reportCompiled } from "../compile/report-diagnostics.js";
import { NoBuildsError } from "../named/download-version.js";
import { findNamed } from "../named/find-named.js";
import { hostOfTerminal, loadNamed } from "../named/load-named.js";
import { versionEndpoint } from "../named/version-endpoint.js";
import type { WordArguments } from "../named/word-options.js";
import { type RemoteArguments, showingRequests } from "../remote/session.js";
import { passing } from "../terminal/passing.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

export interface DiffArguments extends WordArguments {
  readonly old: string;
  readonly new: string;
  readonly ipfs?: string | undefined;
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
 * Reads one side: a schema, or the subgraph that a word names.
 * @returns `undefined` after printed errors in the subgraph
 * @throws BundleError for a build or a schema that cannot be read; UsageError if the word names no subgraph
 */
export async function readSide(
  input: string,
  args: DiffArguments,
  terminal: Terminal,
): Promise<DiffSide | undefined> {
  const host = hostOfTerminal(terminal);
  const file = input === "-" ? undefined : await host.readFile(input, largestSchema);
  if (file?.kind === "bytes" && /\.(?:graphql|gql)$/.test(input))
    return { kind: "schema", facts: { schema: schemaOf(file.bytes, input) } };
  const schema = file?.kind === "directory" ? await schemaAlone(input, host) : undefined;
  if (schema) return schema;
  const named = await findNamed(input, host);
  if (named.kind === "configuration") return readConfig(named.path, args, terminal);
  const { network, networkFile, ipfs: gateway, verbose } = args;
  // A build is compared byte for byte, and most are made by `graph build`.
  const shared = { cache: true, optimize: "full", judges: false } as const;
  const options = { network, networkFile, gateway, verbose, remote: args, ...shared };
  try {
    const { diagnostics, found } = await loadNamed(named, options, terminal);
    reportCompiled(diagnostics, found !== undefined, { format: "text", ...args }, terminal);
    return found && buildsSide(found.builds.map(({ build }) => build));
  } catch (error) {
    if (!(named.kind === "version" && error instanceof NoBuildsError)) throw error;
    return { kind: "deployed", facts: { schema: await readDeployedSchema(named, args, terminal) } };
  }
}

async function readConfig(
  input: string,
  { color, output }: DiffArguments,
  terminal: Terminal,
): Promise<DiffSide | undefined> {
  const { diagnostics, meaning } = await describe(input, hostOfTerminal(terminal));
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

/** The schema of a folder that contains no other form of a subgraph. */
async function schemaAlone(folder: string, host: Host): Promise<DiffSide | undefined> {
  const path = join(folder, "schema.graphql");
  const file = await host.readFile(path, largestSchema);
  if (file.kind !== "bytes") return undefined;
  const refusal = await findNamed(folder, host).catch((error: unknown) => error);
  if (!(refusal instanceof UsageError)) return undefined;
  return { kind: "schema", facts: { schema: schemaOf(file.bytes, path) } };
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

/** Derives the facts about a subgraph from its configuration. */
function factsOfConfig(sources: readonly DescribedSource[]): readonly SourceFacts[] {
  // Contracts with the same ABI share their handlers.
  const known = new Map<DescribedTrigger, TriggerFacts>();
  return sources.map(({ triggers, at, places, ...source }) => ({
    ...source,
    triggers: triggers.map((trigger) => {
      const facts = known.get(trigger) ?? triggerFacts(trigger);
      known.set(trigger, facts);
      return facts;
    }),
    place: startPlace(at),
    addressPlace: places && startPlace(places.address),
    startBlockPlace: places && startPlace(places.startBlock),
  }));
}

function triggerFacts({ at, stores, ...trigger }: DescribedTrigger): TriggerFacts {
  return {
    ...trigger,
    filter: "",
    place: startPlace(at),
    stores: stores.map(({ entity, values }) => ({
      entity,
      values: new Map(
        [...values].map(([name, value]): [string, ValueFacts] => [
          name,
          { text: value.text, ...(value.at && { place: startPlace(value.at) }) },
        ]),
      ),
    })),
  };
}

function startPlace({ source, start }: Location): Place {
  return { path: source.path, ...positionAt(source, start) };
}

/**
 * Reads the schema of a deployed version at its query endpoint.
 * @throws UsageError when no endpoint is usable; ApiProblem, HttpError and EndpointFailure
 */
async function readDeployedSchema(
  named: { readonly name: string; readonly version: string },
  args: RemoteArguments,
  terminal: Terminal,
): Promise<PublicSchema> {
  const endpoint = createQueryEndpoint({
    name: `${named.name}/${named.version}`,
    keyOption: "--token",
    ...(await versionEndpoint(named, "to read its schema from", args, terminal)),
    pace: async () => undefined,
    world: createNodeWorld(terminal.signal),
    sending: showingRequests(args.verbose, passing(terminal)),
  });
  return (await readEndpointSchema(endpoint)).schema;
}
