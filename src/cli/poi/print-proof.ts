import { resolve } from "node:path";
import { visible } from "../../base/text/visible.js";
import { createPace } from "../../base/turns/pace.js";
import { hashAt, readHead } from "../../compare/block.js";
import { createQueryEndpoint, type QueryEndpoint } from "../../compare/endpoint.js";
import { findStatus } from "../../compare/find-status.js";
import { askProof, blockHashOf } from "../../compare/proofs.js";
import { createNodeWorld } from "../../machine/world.js";
import { type NamedProof, namedProof } from "../../platform/subgraphs/named-proof.js";
import { DatabaseError, isAddress, openExistingDatabase } from "../../store/open.js";
import { isWebAddress } from "../../web/http/address.js";
import { parseHeaders } from "../compare/compare-arguments.js";
import { type VersionEndpoint, versionEndpoint } from "../named/version-endpoint.js";
import { printJson } from "../remote/print-json.js";
import { type RemoteArguments, showingRequests, warnOfPlainText } from "../remote/session.js";
import { parseProjectName } from "../subgraph/project-name.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { largestBlock } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

interface PoiArguments extends RemoteArguments {
  /** The word that names the subgraph. */
  readonly subgraph: string;
  readonly block?: number | undefined;
  readonly hash?: string | undefined;
  readonly indexer?: string | undefined;
  readonly database?: string | undefined;
  readonly status?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly output: "table" | "json";
}

/** A proof, and what it contains. */
interface Proof {
  readonly deployment: string;
  readonly block: number;
  readonly hash: string;
  /** 0x and 64 hex digits. */
  readonly proof: string;
}

/** Why there is no proof, in whole sentences. */
class NoProof extends Error {
  override readonly name = "NoProof";
}

/** Requests per second. */
const rate = 20;

/** Prints the proof of indexing of a subgraph; returns the exit code. */
export async function printProof(args: PoiArguments, terminal: Terminal): Promise<number> {
  checkArguments(args);
  try {
    const proof = await (args.database === undefined
      ? ofServer(args, terminal)
      : ofDatabase(args, args.database, terminal));
    if (args.output === "json") printJson({ ...proof, indexer: args.indexer ?? null }, terminal);
    else terminal.out(`${proof.proof}\n`);
    return exitCodes.clean;
  } catch (error) {
    if (error instanceof NoProof) {
      terminal.err(`${visible(error.message)}\n`);
      return args.database === undefined ? exitCodes.remote : exitCodes.diagnostics;
    }
    if (!(error instanceof DatabaseError)) throw error;
    terminal.err(`${visible(`${error.message}${error.hint === undefined ? "" : `. ${error.hint}`}`)}\n`);
    return exitCodes.diagnostics;
  }
}

/** @throws UsageError */
function checkArguments({ block, hash, indexer, database, status, header }: PoiArguments): void {
  if (block !== undefined && !(Number.isSafeInteger(block) && block >= 0 && block <= largestBlock))
    throw new UsageError(`--block must be a whole number from 0 to ${largestBlock}.`);
  if (hash !== undefined && !/^0x[0-9a-f]{64}$/i.test(hash))
    throw new UsageError("--hash must be 0x and 64 hex digits.");
  if (indexer !== undefined && !/^0x[0-9a-f]{40}$/i.test(indexer))
    throw new UsageError("--indexer must be an address: 0x and 40 hex digits.");
  if (database === "")
    throw new UsageError("--database requires a folder, or the address of a PostgreSQL database.");
  if (status !== undefined && !isWebAddress(status))
    throw new UsageError("--status must start with http:// or https://");
  if (database !== undefined && (status !== undefined || header !== undefined))
    throw new UsageError("--database asks no server: pass it without --status and --header.");
}

async function ofDatabase(args: PoiArguments, place: string, { cwd }: Terminal): Promise<Proof> {
  const database = await openExistingDatabase(
    isAddress(place) ? place : resolve(cwd, place),
    createNodeWorld(),
  );
  try {
    const { name = args.subgraph, version } = parseProjectName(args.subgraph) ?? {};
    return proofIn(args, await namedProof(database, { ...args, subgraph: name, version }));
  } finally {
    await database.close();
  }
}

/** @throws NoProof; UsageError if the word stands for no deployment, or for several */
function proofIn({ subgraph }: PoiArguments, found: NamedProof): Proof {
  switch (found.kind) {
    case "proof": {
      const { kind: _, ...proof } = found;
      return proof;
    }
    case "unknown-subgraph":
      throw new UsageError(`The database has no subgraph ${visible(subgraph)}.`);
    case "several":
      throw new UsageError(
        `${visible(subgraph)} stands for several deployments: ${found.deployments.join(", ")}. Name one by its id.`,
      );
    case "no-block":
      throw new NoProof(`${found.deployment} has indexed no block yet.`);
    case "unknown-hash":
      throw unknownHash(found.block);
    case "no-proofs":
      throw new NoProof(
        `${found.deployment} keeps no proofs of indexing: it began with --no-proofs, or with an older version of graphloom. Index it again to have them.`,
      );
    case "not-reached":
      throw new NoProof(
        `${found.deployment} has indexed up to block ${found.head}, so block ${found.block} has no proof yet.`,
      );
  }
}

async function ofServer(args: PoiArguments, terminal: Terminal): Promise<Proof> {
  const place = await placeOf(args, terminal);
  const world = createNodeWorld(terminal.signal);
  const pace = createPace(rate, world);
  const given = parseHeaders("--header", args.header ?? []);
  if (Object.keys(given).length > 0) warnOfPlainText(place.url, terminal);
  const open = (url: string, limits: object = {}): QueryEndpoint =>
    createQueryEndpoint({
      name: "the server",
      keyOption: "--header",
      url,
      headers: new URL(url).origin === new URL(place.url).origin ? { ...place.headers, ...given } : {},
      pace,
      world,
      sending: { ...showingRequests(args.verbose, terminal.err), ...limits },
    });
  const endpoint = open(place.url);
  const head = await readHead(endpoint);
  const { deployment } = head;
  if (deployment === undefined) throw endpoint.failure("it does not tell which deployment it serves");
  const status = args.status === undefined ? await findStatus(place.url, open) : open(args.status);
  if (!status)
    throw new NoProof(
      `There is no indexing status beside ${endpoint.shown}. Pass its address with --status: that of a graph-node is on port 8030, /graphql.`,
    );
  const block = args.block ?? head.number;
  const known = args.hash ?? (await hashAt(block, endpoint, head));
  const hash = known ?? (await blockHashOf(status, deployment, block));
  if (hash === undefined) throw unknownHash(block);
  const indexer = args.indexer?.toLowerCase() ?? null;
  const proof = await askProof(status, { deployment, block, hash, indexer });
  if (proof === undefined)
    throw new NoProof(
      `${status.shown} has no proof of ${deployment} at block ${block}. It keeps none of this deployment, or none of this block.`,
    );
  return { deployment, block, hash, proof };
}

/** @throws UsageError for a word that names no endpoint, and if no server is known */
async function placeOf(args: PoiArguments, terminal: Terminal): Promise<VersionEndpoint> {
  const { subgraph: word } = args;
  if (isWebAddress(word)) return { url: word, headers: {} };
  const { name, version } = parseProjectName(word) ?? {};
  if (name !== undefined && version !== undefined)
    return versionEndpoint({ name, version }, "to ask about it", args, terminal);
  throw new UsageError(
    `${visible(word)} names no endpoint.`,
    "Name the address of an endpoint, or <name>/<version> on a server. What run has indexed needs --database.",
  );
}

function unknownHash(block: number): NoProof {
  return new NoProof(
    `The hash of block ${block} is not known here, and the proof contains it. Pass it with --hash, as a node tells it: cast block ${block} --field hash`,
  );
}
