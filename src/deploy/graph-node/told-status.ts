import { isRecord } from "../../base/text/json-value.js";

/** A block as graph-node returns it; the hash with or without 0x. */
export interface ToldBlock {
  readonly number: string;
  readonly hash: string;
}

/** An error as graph-node returns it; foreign text. */
export interface ToldError {
  readonly message: string;
  readonly handler: string | null;
  readonly block: ToldBlock | null;
  readonly deterministic: boolean;
}

/** All status fields of a deployment, as graph-node returns them. */
export interface ToldStatus {
  readonly subgraph: string;
  readonly synced: boolean;
  readonly health: string;
  readonly fatalError: ToldError | null;
  readonly nonFatalErrors: readonly ToldError[];
  /** The index node that indexes it; null if no name points to it or it was unassigned. */
  readonly node: string | null;
  readonly paused: boolean | null;
  readonly entityCount: string;
  readonly historyBlocks: number;
  readonly network: string;
  readonly chainHeadBlock: ToldBlock | null;
  readonly earliestBlock: ToldBlock | null;
  readonly latestBlock: ToldBlock | null;
  readonly lastHealthyBlock: ToldBlock | null;
}

const block = "{ number hash }";
const error = `{ message handler deterministic block ${block} }`;

export const toldFields =
  `subgraph synced health fatalError ${error} nonFatalErrors ${error} node paused entityCount historyBlocks ` +
  `chains { network chainHeadBlock ${block} earliestBlock ${block} latestBlock ${block} lastHealthyBlock ${block} }`;

/** Reads a status from an answer; `undefined` if it is invalid. */
export function readTold(value: unknown): ToldStatus | undefined {
  if (!isRecord(value)) return undefined;
  const { subgraph, synced, health, node, paused, historyBlocks } = value;
  const chain = Array.isArray(value.chains) && isRecord(value.chains[0]) ? value.chains[0] : {};
  if (typeof subgraph !== "string" || typeof synced !== "boolean" || typeof health !== "string") {
    return undefined;
  }
  const others = Array.isArray(value.nonFatalErrors) ? value.nonFatalErrors : [];
  return {
    subgraph,
    synced,
    health,
    fatalError: readError(value.fatalError),
    nonFatalErrors: others.flatMap((one) => readError(one) ?? []),
    node: typeof node === "string" ? node : null,
    paused: typeof paused === "boolean" ? paused : null,
    entityCount: scalarText(value.entityCount) ?? "0",
    historyBlocks: typeof historyBlocks === "number" ? historyBlocks : 2_147_483_647,
    network: scalarText(chain.network) ?? "",
    chainHeadBlock: readBlock(chain.chainHeadBlock),
    earliestBlock: readBlock(chain.earliestBlock),
    latestBlock: readBlock(chain.latestBlock),
    lastHealthyBlock: readBlock(chain.lastHealthyBlock),
  };
}

/** The number of a block; `undefined` if there is no block or its number is invalid. */
export function numberOf(told: ToldBlock | null): number | undefined {
  const number = told === null ? Number.NaN : Number(told.number);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function readError(value: unknown): ToldError | null {
  if (!isRecord(value) || typeof value.message !== "string") return null;
  const { message, handler, deterministic } = value;
  return {
    message,
    handler: typeof handler === "string" ? handler : null,
    block: readBlock(value.block),
    deterministic: deterministic === true,
  };
}

function readBlock(value: unknown): ToldBlock | null {
  const number = isRecord(value) ? scalarText(value.number) : undefined;
  if (!isRecord(value) || number === undefined) return null;
  return { number, hash: scalarText(value.hash) ?? "" };
}

/** Reads a large number, which graph-node sends as a string. */
function scalarText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
