import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Gateways } from "../../runtime/files/gateway-files.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { WordArguments } from "../named/word-options.js";
import { type DoorArguments, type PlannedDoors, planDoors } from "../serve/door-arguments.js";
import { givenArchive } from "../terminal/given-archive.js";
import { type CacheArguments, type GatewayArguments, givenGateways } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

export interface DevArguments extends CacheArguments, DoorArguments, WordArguments, GatewayArguments {
  /** The word that names the subgraph. */
  readonly subgraph?: string | undefined;
  readonly rpc?: readonly string[] | undefined;
  /** Services with history, as `run --source` takes them. */
  readonly source?: readonly string[] | undefined;
  /** Words that name the subgraphs that it has as sources. */
  readonly with?: readonly string[] | undefined;
  readonly demo: boolean;
  readonly verify: VerifyMode;
  readonly proofs: boolean;
  /** A folder. */
  readonly archive?: string | undefined;
  readonly port?: number | undefined;
  readonly data?: string | undefined;
  readonly color: boolean;
}

/** The checked arguments of `dev`. */
export interface DevPlan {
  /** The word that names the subgraph. */
  readonly subgraph: string;
  /** The recording to play, if any. */
  readonly recording?: string;
  readonly port?: number;
  /** An absolute path. */
  readonly data?: string;
  readonly gateways: Gateways;
  /** Services with history, which are parsed once the chains are known. */
  readonly source: readonly string[];
  /** How lists of logs are verified. */
  readonly verify: VerifyMode;
  /** Whether deployments keep proofs of indexing. */
  readonly proofs: boolean;
  /** The folder of the archive, an absolute path. */
  readonly archive?: string;
  /** The ports for tools that were written for graph-node. */
  readonly doors?: PlannedDoors;
}

/** The port that `dev` listens on if it is free. */
export const usualPort = 8030;
/** The loopback address, so that only this machine can connect. */
export const devHost = "127.0.0.1";

/** The shipped example with its recording, in a folder beside both `src` and `dist`. */
const demo = fileURLToPath(new URL("../../../examples/demo", import.meta.url));

/** @throws UsageError for invalid or conflicting arguments */
export function planDeveloping(
  args: DevArguments,
  cwd: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): DevPlan {
  const { subgraph, demo: isDemo, port, data } = args;
  if (subgraph === undefined && !isDemo) {
    throw new UsageError(
      "Name a subgraph: graphloom dev <file or folder>. Or try the example: graphloom dev --demo",
    );
  }
  if (subgraph === "" || subgraph === "-") {
    throw new UsageError("dev requires a file: standard input does not change.");
  }
  if (isDemo && data !== undefined) {
    throw new UsageError(
      "--demo and --data cannot be combined: the recording starts from the beginning each time.",
    );
  }
  if (isDemo && args.archive !== undefined) {
    throw new UsageError("--demo and --archive cannot be combined: the recording needs no archive.");
  }
  if (isDemo && (args.source ?? []).length > 0) {
    throw new UsageError("--demo and --source cannot be combined: the recording needs no source.");
  }
  if (args.archive === "") throw new UsageError("--archive requires a folder.");
  if (data === "") throw new UsageError("--data must be the path of a folder.");
  if (port !== undefined && (!Number.isInteger(port) || port < 0 || port > 65_535)) {
    throw new UsageError("--port must be a whole number from 0 to 65535.");
  }
  const gateways = givenGateways(args);
  const doors = planDoors(args, { host: devHost, port: port ?? usualPort });
  const archive = isDemo ? undefined : givenArchive(args.archive, { env: environment, cwd });
  return {
    subgraph: subgraph ?? `${demo}/subgraph.json`,
    ...(isDemo && { recording: `${demo}/recording.jsonl.gz` }),
    ...(port !== undefined && { port }),
    ...(data !== undefined && { data: resolve(cwd, data) }),
    gateways,
    source: args.source ?? [],
    verify: args.verify,
    proofs: args.proofs,
    ...(archive !== undefined && { archive }),
    ...(doors && { doors }),
  };
}
