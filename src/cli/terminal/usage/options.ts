import { type Gateways, publicArweave } from "../../../runtime/files/gateway-files.js";
import { verifyModes } from "../../../runtime/indexer/logs/verification.js";
import { isWebAddress } from "../../../web/http/address.js";
import { UsageError } from "./usage-error.js";
import type { Options } from "./yargs.js";

/**
 * The options that may be repeated, some only below one command; repeating any other one is a usage error.
 */
export const repeatable: ReadonlySet<string> = new Set([
  "trust-proxy",
  "reachable",
  "rpc",
  "quota",
  "run --source",
  "dev --source",
  "serve --source",
  "pipeline --source",
  "external-data --source",
  "entity",
  "header-left",
  "header-right",
  "poi --header",
  "emails",
  "external-data --abi",
  "pipeline --var",
  "pipeline --key",
  "test --names",
  "dev --with",
]);

/** The name of an option with dashes: `header-left` for `headerLeft`, which the parser accepts and adds. */
export function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Largest block number: databases store it as a 32-bit integer, and so does a configuration. */
export const largestBlock = 2_147_483_647;

export const textOption = { type: "string", requiresArg: true } as const satisfies Options;

export const numberOption = { type: "number", requiresArg: true } as const satisfies Options;

/** A string option that may be repeated. */
export const textsOption = {
  ...textOption,
  coerce: (given: string | readonly string[]): readonly string[] => [given].flat(),
} as const satisfies Options;

/** Nodes of the chains of one configuration. */
export const chainNodesOption = {
  ...textsOption,
  describe:
    "node of a chain, <chain>=<url>, or the URL alone if there is only one chain; may be repeated [default: GRAPHLOOM_RPC_<CHAIN>]",
} as const satisfies Options;

/** Sources of history beside the nodes. */
export const sourceOption = {
  ...textsOption,
  describe:
    "service that serves final blocks faster than the node, <chain>=portal=<url> or <chain>=hypersync=<url>; without <chain> if there is only one, and without <url> for SQD's public Portal or Envio's HyperSync; may be repeated [default: none]",
} as const satisfies Options;

/** Nodes of the networks whose tables are read. */
export const networkNodesOption = {
  ...textsOption,
  describe:
    "node of a chain: <network>=<url>, or the URL alone if there is one chain [default: GRAPHLOOM_RPC_<NETWORK>]",
} as const satisfies Options;

/** The options for sinks of a pipeline whose rows are computed differently than before. */
export const resetOptions = {
  reset: {
    type: "boolean",
    default: false,
    describe: "empty sinks whose rows are computed otherwise, and fill them from the start of their sources",
  },
  recreate: {
    type: "boolean",
    default: false,
    describe: "as --reset, and make their tables again; only tables that the pipeline has made are dropped",
  },
} as const satisfies Readonly<Record<string, Options>>;

export const archiveOption = {
  ...textOption,
  describe:
    "folder that keeps what is read of the chains, so that it is fetched once [default: GRAPHLOOM_ARCHIVE, or none]",
} as const satisfies Options;

/** The gateways for handlers that read files. */
export const gatewayOptions = {
  ipfs: { ...textOption, describe: "IPFS gateway for handlers that read files: the address before /ipfs/" },
  arweave: {
    ...textOption,
    default: publicArweave,
    describe: "Arweave gateway for handlers that read files: the address before the transaction",
  },
} as const satisfies Readonly<Record<string, Options>>;

export interface GatewayArguments {
  readonly ipfs?: string | undefined;
  readonly arweave?: string | undefined;
}

/** @throws UsageError for a gateway that is not a web address. Addresses may hold keys, so no message shows one */
export function givenGateways({ ipfs, arweave }: GatewayArguments): Gateways {
  for (const [name, address] of Object.entries({ ipfs, arweave })) {
    if (address === undefined || isWebAddress(address)) continue;
    throw new UsageError(`--${name} must start with http:// or https://`);
  }
  return { ipfs, arweave };
}

/** Options that several commands share. */
export const buildOption = {
  type: "boolean",
  default: false,
  describe: "also compile the mappings to WASM",
} as const satisfies Options;

export const optimizeOption = {
  choices: ["fast", "full"],
  default: "fast",
  requiresArg: true,
  describe: "how much to optimise the WASM; full produces the same bytes as graph build, but takes longer",
} as const satisfies Options;

export const patienceOption = {
  ...numberOption,
  default: 600,
  describe: "seconds to keep retrying an unreachable node",
} as const satisfies Options;

export const offlineOption = {
  type: "boolean",
  default: false,
  describe: "read from the archive alone, and send no request to a node",
} as const satisfies Options;

export const verifyOption = {
  choices: verifyModes,
  default: "bloom",
  requiresArg: true,
  describe:
    "how to prove that the node left out no logs: off does not; bloom checks bloom filters, and receipts in doubtful cases; receipts checks the receipts root of every block that may have logs, and fetches every block",
} as const satisfies Options;

export const proofsOption = {
  type: "boolean",
  default: true,
  describe:
    "keep proofs of indexing, as graph-node does, for graphloom poi and compare; --no-proofs keeps none for what begins to be indexed",
} as const satisfies Options;

export const forceOption = {
  type: "boolean",
  default: false,
  describe: "overwrite existing files, except files that this run has read",
} as const satisfies Options;

/** Option of commands that delete something: skips the confirmation. */
export const deleteOption = {
  type: "boolean",
  alias: "f",
  default: false,
  describe: "delete without asking",
} as const satisfies Options;

export const formatOption = {
  choices: ["text", "json", "github"],
  default: "text",
  requiresArg: true,
  describe: "report format: text for people, one JSON document on standard output, or annotations for GitHub",
} as const satisfies Options;

/** The option of commands that only check. */
export const checkFormatOption = {
  ...formatOption,
  choices: [...formatOption.choices, "sarif"],
  describe:
    "report format: text for people, one document on standard output in JSON or SARIF, or annotations for GitHub",
} as const satisfies Options;

/** Whether a format is one document on standard output, beside which nothing else may be printed there. */
export function isDocument(format: OutputFormat): boolean {
  return format === "json" || format === "sarif";
}

export const fixOption = {
  type: "boolean",
  default: false,
  describe: "make the changes that are certain in the configuration itself, and show them",
} as const satisfies Options;

export const dryRunOption = {
  type: "boolean",
  default: false,
  describe: "with --fix: show the changes without making them",
} as const satisfies Options;

export const watchOption = {
  type: "boolean",
  default: false,
  describe: "run again whenever the configuration or a file that it names changes, until interrupted",
} as const satisfies Options;

export const cacheOption = {
  type: "boolean",
  default: true,
  describe: "reuse earlier compilations from the cache; --no-cache compiles everything again",
} as const satisfies Options;

/** The positional argument of commands that take a configuration. */
export const configArgument = {
  type: "string",
  demandOption: true,
  describe: "configuration: JSON, JSON5 or YAML; - for standard input",
} as const;

/** The positional argument of commands about one deployed subgraph. */
export const subgraphArgument = {
  type: "string",
  demandOption: true,
  describe: "<name>/<version>",
} as const;

/** The format of listings. */
export const outputOption = {
  choices: ["table", "json"],
  default: "table",
  requiresArg: true,
  describe: "table for people, or one JSON document",
} as const satisfies Options;

/** Options of every command. */
export const globalOptions = {
  color: {
    type: "boolean",
    default: true,
    global: true,
    describe: "colour diagnostics on a terminal, unless NO_COLOR is set",
  },
  token: {
    ...textOption,
    global: true,
    describe: "token for the management API [default: GRAPHLOOM_TOKEN, or the token of the last login]",
  },
  "api-url": {
    ...textOption,
    global: true,
    describe:
      "base address of the management API [default: GRAPHLOOM_API_URL, or the address of the last login]",
  },
  project: {
    ...textOption,
    global: true,
    describe: "project ID or name [default: GRAPHLOOM_PROJECT, or the project selected with project use]",
  },
  verbose: {
    type: "boolean",
    default: false,
    global: true,
    describe: "show every request to a server, and why the cache cannot be used",
  },
} as const satisfies Record<string, Options>;

/** The format of diagnostics. */
export type OutputFormat = (typeof checkFormatOption.choices)[number];

/** Argument of the shared option about the format of listings. */
export interface OutputArguments {
  readonly output: (typeof outputOption.choices)[number];
}

/** Arguments of the shared options about reporting. */
export interface ReportArguments {
  readonly format: OutputFormat;
  readonly color: boolean;
}

/** Arguments of the shared options about the cache. */
export interface CacheArguments {
  readonly cache: boolean;
  readonly verbose: boolean;
}
