import { isRecord } from "../base/text/json-value.js";
import type { QueryEndpoint } from "./endpoint.js";
import { EndpointFailure } from "./endpoint-failure.js";

/** The head of an endpoint: its last indexed block. */
export interface EndpointHead {
  readonly number: number;
  readonly hash: string | undefined;
  /** The id of the deployment that it serves. */
  readonly deployment: string | undefined;
  readonly hasIndexingErrors: boolean;
}

/** The block at which two endpoints are compared. */
export interface ComparedBlock {
  readonly number: number;
  /** Its hash on each side; absent when the endpoint does not return it. */
  readonly left: string | undefined;
  readonly right: string | undefined;
  /** Whether both sides mean the same block; undefined when a side does not return its hash. */
  readonly isSame: boolean | undefined;
}

/** Reads the last block of an endpoint. @throws EndpointFailure when the endpoint does not return it */
export async function readHead(endpoint: QueryEndpoint): Promise<EndpointHead> {
  const data = await endpoint.ask("{ _meta { deployment hasIndexingErrors block { number hash } } }");
  const head = headIn(data);
  if (head) return head;
  throw endpoint.failure("its _meta does not report the latest block");
}

/**
 * Finds the hashes of a block on both sides. graph-node returns the hash of its head only. If just one side returns
 * a hash, the other side is asked whether it knows the block of that hash.
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

/** The hash of a block, if the endpoint tells it. @throws EndpointFailure */
export async function hashAt(
  number: number,
  endpoint: QueryEndpoint,
  head: EndpointHead,
): Promise<string | undefined> {
  if (head.number === number && head.hash !== undefined) return head.hash;
  const query =
    "query At($block: Block_height) { _meta(block: $block) { deployment hasIndexingErrors block { number hash } } }";
  return headIn(await endpoint.ask(query, { block: { number } }))?.hash;
}

/** Whether an endpoint knows the block of this hash and number. A node forgets hashes, so `false` proves nothing. */
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

/** Parses `_meta` of an answer; `undefined` when it is invalid. */
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
