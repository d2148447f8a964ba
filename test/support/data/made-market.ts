import { keccak256, toUtf8Bytes } from "ethers";
import type { Store } from "../../../src/runtime/store/store.js";
import type { Database } from "../../../src/store/database/database.js";
import { type Deployment, openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { EntityChange, StoreValue } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { bigInt, int, none, set, text } from "../../runtime/store/values.js";

/** The entity types of a market. */
export const marketSchema = `
  type Activity @entity(immutable: false) {
    id: ID!, block: BigInt!, timestamp: BigInt!, transactionHash: String!, logIndex: Int!, part: Int!,
    eventType: String!, side: String!, orderType: String!, address: String!, counterparty: String, tokenId: BigInt,
    amountUsdc: BigInt, amountShares: BigInt, fee: BigInt, feeAsset: String, orderId: String, builder: String
  }
  type Balance @entity(immutable: false) {
    id: ID!, address: String!, contractAddress: String!, tokenId: BigInt!, balance: BigInt!, block: BigInt!, timestamp: BigInt!
  }
  type Position @entity(immutable: false) {
    id: ID!, address: String!, tokenId: BigInt!, amount: BigInt!, avgPrice: BigInt!, realizedPnl: BigInt!,
    totalBought: BigInt!, block: BigInt!, timestamp: BigInt!
  }
`;

/** A subgraph whose entities a test writes itself. */
export interface MadeMarket {
  readonly deployment: Deployment;
  readonly store: Store;
  /** Writes a block. */
  commit(block: number, changes?: readonly EntityChange[], isNearHead?: boolean): Promise<void>;
  /** Removes the blocks after one. Later blocks get different hashes. */
  revert(last: number): Promise<void>;
  hashOf(block: number): string;
}

/** The timestamp of a block: two blocks share each. */
export function marketTime(block: number): number {
  return 1_700_000_000 + 2 * Math.floor(block / 2);
}

let made = 0;

/** A market without blocks, in a migrated database. */
export async function makeMarket(
  database: Database,
  {
    schema = marketSchema,
    historyBlocks,
  }: { readonly schema?: string; readonly historyBlocks?: number } = {},
): Promise<MadeMarket> {
  made += 1;
  const deployment = await openDeployment(database, {
    deployment: `Qm${String(made).replaceAll("0", "z").padStart(44, "M")}`,
    network: "matic",
    schema,
    startBlock: 0,
    ...(historyBlocks !== undefined && { historyBlocks }),
  });
  const store = openStore(
    database,
    deployment,
    { entities: readEntitySchema(schema), dataSources: [], templates: [] },
    {},
  );
  const hashes = new Map<number, string>();
  let fork = 0;
  const hashOf = (number: number): string => hashes.get(number) ?? "";
  return {
    deployment,
    store,
    hashOf,
    commit: async (number, changes = [], isNearHead = true) => {
      const hash = keccak256(toUtf8Bytes(`${number} ${fork}`));
      hashes.set(number, hash);
      const block = { number, hash, timestamp: BigInt(marketTime(number)) };
      await store.commit(block, { changes, dataSources: [] }, { isNearHead });
    },
    revert: async (number) => {
      fork += 1;
      await store.revert({ number, hash: hashOf(number) });
    },
  };
}

/** An activity, with what matters to a test. */
export interface MadeActivity {
  readonly block: number;
  readonly log: number;
  readonly part?: number;
  readonly address: string;
  readonly eventType?: string;
  readonly side?: string;
  readonly orderType?: string;
  readonly counterparty?: string;
  readonly token?: bigint;
  readonly usdc?: bigint | null;
  readonly shares?: bigint | null;
  readonly fee?: bigint;
  readonly feeAsset?: string;
}

/** The id of an activity. */
export function activityId({ block, log, part = 0 }: MadeActivity): string {
  return `${keccak256(toUtf8Bytes(`transaction ${block}`))}_${log}${part === 0 ? "" : `_${part}`}`;
}

export function activity(given: MadeActivity): EntityChange {
  const { block, log, part = 0, address, token = 1n, usdc = 500_000n, shares = 1_000_000n } = given;
  return set("Activity", activityId(given), {
    block: bigInt(BigInt(block)),
    timestamp: bigInt(BigInt(marketTime(block))),
    transactionHash: text(activityId(given).split("_")[0] ?? ""),
    logIndex: int(log),
    part: int(part),
    eventType: text(given.eventType ?? "TRADE"),
    side: text(given.side ?? "BUY"),
    orderType: text(given.orderType ?? "taker"),
    address: text(address),
    counterparty: maybe(given.counterparty, text),
    tokenId: bigInt(token),
    amountUsdc: maybe(usdc, bigInt),
    amountShares: maybe(shares, bigInt),
    fee: maybe(given.fee, bigInt),
    feeAsset: maybe(given.feeAsset, text),
  });
}

export function balance(
  address: string,
  contract: string,
  token: bigint,
  amount: bigint,
  block: number,
): EntityChange {
  return set("Balance", `${address}-${contract}-${token}`, {
    address: text(address),
    contractAddress: text(contract),
    tokenId: bigInt(token),
    balance: bigInt(amount),
    block: bigInt(BigInt(block)),
    timestamp: bigInt(BigInt(marketTime(block))),
  });
}

/** @param numbers null for what is not known, if the schema allows it */
export function position(
  address: string,
  token: bigint,
  numbers: { readonly amount: bigint | null; readonly pnl?: bigint | null },
  block: number,
): EntityChange {
  return set("Position", `${address}-${token}`, {
    address: text(address),
    tokenId: bigInt(token),
    amount: maybe(numbers.amount, bigInt),
    avgPrice: bigInt(100_000n),
    realizedPnl: maybe(numbers.pnl === undefined ? 0n : numbers.pnl, bigInt),
    totalBought: bigInt(7n),
    block: bigInt(BigInt(block)),
    timestamp: bigInt(BigInt(marketTime(block))),
  });
}

function maybe<Value>(value: Value | null | undefined, of: (value: Value) => StoreValue): StoreValue {
  return value === null || value === undefined ? none : of(value);
}
