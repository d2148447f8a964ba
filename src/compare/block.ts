import { isRecord } from "../base/json-value.js";
import type { QueryEndpoint } from "./endpoint.js";
import { EndpointFailure } from "./endpoint-failure.js";

/** Where an endpoint stands. */
export interface EndpointHead {
  readonly number: number;
  readonly hash: string | undefined;
  /** The id of what it serves. */
  readonly deployment: string | undefined;
  readonly hasIndexingErrors: boolean;
}

/** The block at which two endpoints are compared. */
export interface ComparedBlock {
  readonly number: number;
  /** Its hash on each side; absent where the endpoint does not tell. */
  readonly left: string | undefined;
  readonly right: string | undefined;
  /** Whether it is one block of one chain: sides that tell no hash leave it open. */
  readonly isSame: boolean | undefined;
}

/** Asks an endpoint for its last block. @throws EndpointFailure when it does not tell */
export async function readHead(endpoint: QueryEndpoint): Promise<EndpointHead> {
  const data = await endpoint.ask("{ _meta { deployment hasIndexingErrors block { number hash } } }");
  const head = headIn(data);
  if (head) return head;
  throw endpoint.failure("its _meta does not report the latest block");
}

/**
 * Finds the hashes of a block on both sides. graph-node tells that of its head alone; whether the other side knows
 * the block is asked by the hash then.
 */
export async function readBlock(
  number: number,
  sides: readonly [QueryEndpoint, QueryEndpoint],
  heads: readonly [EndpointHead, EndpointHead],
): Promise<ComparedBlock> {
  const [left, right] = await Promise.all([
    hashAt(number, sides[0], heads[0]),
    hashAt(number, sides[1], heads[1]),
  ]);
  if (left !== undefined && right !== undefined)
    return { number, left, right, isSame: left.toLowerCase() === right.toLowerCase() };
  const known = left ?? right;
  if (known === undefined) return { number, left, right, isSame: undefined };
  const isSame = (await isKnown(known, number, left === undefined ? sides[0] : sides[1])) || undefined;
  return { number, left, right, isSame };
}

async function hashAt(
  number: number,
  endpoint: QueryEndpoint,
  head: EndpointHead,
): Promise<string | undefined> {
  if (head.number === number && head.hash !== undefined) return head.hash;
  const query =
    "query At($block: Block_height) { _meta(block: $block) { deployment hasIndexingErrors block { number hash } } }";
  return headIn(await endpoint.ask(query, { block: { number } }))?.hash;
}

/** Whether an endpoint knows a block of this hash at this number; a node forgets hashes, so that no is no proof. */
async function isKnown(hash: string, number: number, endpoint: QueryEndpoint): Promise<boolean> {
  const query =
    "query By($block: Block_height) { _meta(block: $block) { deployment hasIndexingErrors block { number hash } } }";
  try {
    return headIn(await endpoint.ask(query, { block: { hash } }))?.number === number;
  } catch (error) {
    if (error instanceof EndpointFailure) return false;
    throw error;
  }
}

/** `_meta` of an answer; `undefined` when it is none. */
export function headIn({ _meta: meta }: Readonly<Record<string, unknown>>): EndpointHead | undefined {
  if (!isRecord(meta) || !isRecord(meta.block)) return undefined;
  const { number, hash } = meta.block;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0) return undefined;
  return {
    number,
    hash: typeof hash === "string" ? hash : undefined,
    deployment: typeof meta.deployment === "string" ? meta.deployment : undefined,
    hasIndexingErrors: meta.hasIndexingErrors === true,
  };
}
