import { isRecord } from "../base/text/json-value.js";
import type { QueryEndpoint } from "./endpoint.js";
import { EndpointFailure } from "./endpoint-failure.js";
import { sameValue } from "./same-value.js";
import { type EntityDifference, mostFields, shortened, shortJson } from "./tally.js";

/** A proof of indexing that both sides were asked for. */
export interface ProofComparison {
  readonly deployment: string;
  readonly block: number;
  /** 0x and 64 hex digits. */
  readonly left: string;
  readonly right: string;
  readonly isEqual: boolean;
  /** Where the sides begin to differ; absent if they are equal. */
  readonly first?: FirstDifference;
}

/** The first block whose proofs differ. */
export interface FirstDifference {
  readonly block: number;
  /** Whether a side keeps no earlier blocks, so that the sides may differ since before. */
  readonly isEarliest: boolean;
  /** What the block changed differently, by type and id; `undefined` if a side does not tell the changes of blocks. */
  readonly entities: readonly ChangedDifference[] | undefined;
  /** Number of entities that the block changed differently. */
  readonly count: number;
}

/** An entity that a block changed differently on the two sides. */
export interface ChangedDifference extends EntityDifference {
  readonly type: string;
}

export interface ProofOptions {
  /** The status APIs of the two sides. */
  readonly sides: readonly [left: QueryEndpoint, right: QueryEndpoint];
  /** The id of the deployment that both sides serve. */
  readonly deployment: string;
  readonly block: number;
  /** The block's hash, if it is known: the proof is then the one that others compute, too. */
  readonly hash: string | undefined;
  /** Differences to keep. */
  readonly show: number;
  /** Called before a block is asked for. */
  onBlock(block: number): void;
}

/** A proof contains whatever hash it was asked with, and the digests below it are what is compared. */
const anyHash = `0x${"0".repeat(64)}`;
const zeroAddress = `0x${"0".repeat(40)}`;

/**
 * Compares the proofs of indexing of a deployment at a block. If they differ, finds the first block at which they do by
 * bisection, and the entities that this block changed differently.
 * @returns undefined if a side has no proof of this block
 * @throws EndpointFailure if a side fails after its first answer
 */
export async function compareProofs(options: ProofOptions): Promise<ProofComparison | undefined> {
  const { sides, deployment, block, hash = anyHash, onBlock } = options;
  onBlock(block);
  const [left, right] = await Promise.all(
    sides.map((side) => askProof(side, { deployment, block, hash, indexer: zeroAddress })),
  );
  if (left === undefined || right === undefined) return undefined;
  const found = { deployment, block, left, right, isEqual: left === right };
  return found.isEqual ? found : { ...found, first: await firstDifference(options) };
}

async function firstDifference({
  sides,
  deployment,
  block,
  show,
  onBlock,
}: ProofOptions): Promise<FirstDifference> {
  const differsAt = async (number: number): Promise<boolean> => {
    onBlock(number);
    const [left, right] = await Promise.all(
      sides.map((side) => askProof(side, { deployment, block: number, hash: anyHash, indexer: zeroAddress })),
    );
    return left !== right;
  };
  const earliest = await Promise.all(sides.map((side) => earliestBlock(side, deployment)));
  const least = Math.min(block, Math.max(...earliest));
  let [same, different] = [least, block];
  const isEarliest = await differsAt(least);
  if (isEarliest) different = least;
  while (!isEarliest && different - same > 1) {
    const middle = same + Math.floor((different - same) / 2);
    if (await differsAt(middle)) different = middle;
    else same = middle;
  }
  const changes = await Promise.all(sides.map((side) => changesAt(side, deployment, different)));
  const [left, right] = changes;
  if (!left || !right) return { block: different, isEarliest, entities: undefined, count: 0 };
  const clean = (text: string): string => sides[0].clean(sides[1].clean(text));
  const entities = changeDifferences(left, right, clean);
  return { block: different, isEarliest, entities: entities.slice(0, show), count: entities.length };
}

/** A proof to ask for. */
export interface AskedProof {
  readonly deployment: string;
  readonly block: number;
  /** The block's hash, which the proof contains. */
  readonly hash: string;
  /** The indexer's address, which the proof contains; null for none. */
  readonly indexer: string | null;
}

/**
 * Asks a status API for a proof of indexing.
 * @returns 0x and 64 hex digits; undefined if there is no proof of the block
 * @throws EndpointFailure
 */
export async function askProof(
  side: QueryEndpoint,
  { deployment, block, hash, indexer }: AskedProof,
): Promise<string | undefined> {
  const query = `query Proof($deployment: String!, $block: Int!, $hash: Bytes!, $indexer: Bytes) {
    proofOfIndexing(subgraph: $deployment, blockNumber: $block, blockHash: $hash, indexer: $indexer)
  }`;
  const { proofOfIndexing: proof } = await side.ask(query, { deployment, block, hash, indexer });
  if (proof === null) return undefined;
  if (typeof proof === "string" && /^0x[0-9a-f]{64}$/.test(proof)) return proof;
  throw side.failure("its proof of indexing is not one");
}

/** The first block that a side still keeps; 0 if it does not say. */
async function earliestBlock(side: QueryEndpoint, deployment: string): Promise<number> {
  const chain = await chainOf(side, deployment);
  const number = isRecord(chain.earliestBlock) ? Number(chain.earliestBlock.number) : 0;
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}

/**
 * The hash of a block as the status API of a deployment knows it: 0x and hex digits.
 * @throws EndpointFailure
 */
export async function blockHashOf(
  side: QueryEndpoint,
  deployment: string,
  block: number,
): Promise<string | undefined> {
  const { network } = await chainOf(side, deployment);
  if (typeof network !== "string") return undefined;
  const query = `query Hash($network: String!, $block: Int!) {
    blockHashFromNumber(network: $network, blockNumber: $block)
  }`;
  const { blockHashFromNumber: hash } = await side.ask(query, { network, block });
  if (typeof hash !== "string" || !/^(?:0x)?[0-9a-f]{64}$/i.test(hash)) return undefined;
  return hash.startsWith("0x") ? hash : `0x${hash}`;
}

/** What a status API tells of the chain of a deployment. */
async function chainOf(side: QueryEndpoint, deployment: string): Promise<Readonly<Record<string, unknown>>> {
  const query = `query Chain($deployments: [String!]) {
    indexingStatuses(subgraphs: $deployments) { subgraph chains { network earliestBlock { number } } }
  }`;
  const { indexingStatuses: statuses } = await side.ask(query, { deployments: [deployment] });
  const [status]: unknown[] = Array.isArray(statuses) ? statuses : [];
  const [chain]: unknown[] = isRecord(status) && Array.isArray(status.chains) ? status.chains : [];
  return isRecord(chain) ? chain : {};
}

/** What a block changed: values by field, or null for a removed entity, by type and id. */
type Changes = ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, unknown>> | null>>;

/** @returns undefined if the side does not tell the changes of the block */
async function changesAt(
  side: QueryEndpoint,
  deployment: string,
  block: number,
): Promise<Changes | undefined> {
  const query = `query Changes($deployment: String!, $block: Int!) {
    entityChangesInBlock(subgraphId: $deployment, blockNumber: $block) {
      updates { type entities }
      deletions { type entities }
    }
  }`;
  let answer: unknown;
  try {
    ({ entityChangesInBlock: answer } = await side.ask(query, { deployment, block }));
  } catch (error) {
    if (error instanceof EndpointFailure) return undefined;
    throw error;
  }
  if (!isRecord(answer)) return undefined;
  const found = new Map<string, Map<string, Readonly<Record<string, unknown>> | null>>();
  const add = (type: string, id: string, entity: Readonly<Record<string, unknown>> | null): void => {
    const ofType = found.get(type) ?? new Map<string, Readonly<Record<string, unknown>> | null>();
    found.set(type, ofType.set(id, entity));
  };
  for (const { type, entities } of typesIn(answer.updates))
    for (const entity of entities) if (isRecord(entity)) add(type, String(entity.id), entity);
  for (const { type, entities } of typesIn(answer.deletions))
    for (const id of entities) add(type, String(id), null);
  return found;
}

function typesIn(
  value: unknown,
): readonly { readonly type: string; readonly entities: readonly unknown[] }[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) =>
    isRecord(one) && typeof one.type === "string" && Array.isArray(one.entities)
      ? [{ type: one.type, entities: one.entities as readonly unknown[] }]
      : [],
  );
}

function changeDifferences(
  left: Changes,
  right: Changes,
  clean: (text: string) => string,
): readonly ChangedDifference[] {
  const types = [...new Set([...left.keys(), ...right.keys()])].sort();
  return types.flatMap((type) => {
    const [mine, theirs] = [left.get(type), right.get(type)];
    const ids = [...new Set([...(mine?.keys() ?? []), ...(theirs?.keys() ?? [])])].sort();
    return ids.flatMap((id): readonly ChangedDifference[] => {
      const [one, other] = [mine?.get(id), theirs?.get(id)];
      const head = { type: shortened(clean(type)), id: shortened(clean(id)) };
      if (one === undefined || other === undefined)
        return [{ ...head, only: one === undefined ? "right" : "left", fields: [] }];
      const fields = fieldDifferences(one, other, clean);
      return fields.length === 0 ? [] : [{ ...head, only: null, fields }];
    });
  });
}

/** @param one the values of an entity; null if the block removed it */
function fieldDifferences(
  one: Readonly<Record<string, unknown>> | null,
  other: Readonly<Record<string, unknown>> | null,
  clean: (text: string) => string,
): EntityDifference["fields"] {
  if (one === null || other === null) {
    if (one === other) return [];
    const state = (entity: typeof one): string => (entity === null ? "removed" : "written");
    return [{ name: "entity", left: state(one), right: state(other) }];
  }
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  const differing = names.filter((name) => !sameValue("exact", one[name] ?? null, other[name] ?? null));
  const shown = (value: unknown): string => shortJson(value ?? null, { clean });
  return differing
    .slice(0, mostFields)
    .map((name) => ({ name: shortened(clean(name)), left: shown(one[name]), right: shown(other[name]) }));
}
