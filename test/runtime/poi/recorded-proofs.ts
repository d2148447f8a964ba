import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { normalized } from "../../../src/runtime/numbers/big-decimal.js";
import type { PoiEvent } from "../../../src/runtime/poi/events.js";
import type { StoreValue } from "../../../src/subgraph/schema/entity.js";

type RecordedValue = readonly [kind: string, value?: unknown];

type RecordedEvent =
  | {
      readonly kind: "SetEntity";
      readonly type: string;
      readonly id: string;
      readonly data: Readonly<Record<string, RecordedValue>>;
    }
  | { readonly kind: "RemoveEntity"; readonly type: string; readonly id: string }
  | { readonly kind: "DeterministicError"; readonly redacted_events: number };

export type RecordedBlock = readonly [number: number, hash: string, parentHash: string, timestamp: number];
export type RecordedLog = readonly [
  block: number,
  transaction: number,
  transactionHash: string,
  index: number,
  address: string,
  topics: readonly string[],
  data: string,
];

/** A deployment, as a graph-node has indexed it. */
export interface RecordedDeployment {
  readonly name: string;
  readonly deployment: string;
  readonly specVersion: string;
  readonly region: string;
  readonly manifest: string;
  readonly links: { readonly schema: string; readonly mapping: string; readonly abi: string };
  readonly schema: string;
  readonly abi: string;
  readonly module: string;
  readonly blocks: readonly RecordedBlock[];
  readonly logs: readonly RecordedLog[];
  /** What handlers have done. It was not kept if `stored` is false, and the chain has replaced it if it is orphaned. */
  readonly events: readonly {
    readonly block: number;
    readonly stored?: boolean;
    readonly orphaned?: boolean;
    readonly events: readonly RecordedEvent[];
  }[];
  /** The rows of `poi2$`; with aggregations, also the time of the block. */
  readonly rows: readonly (readonly [range: string, digest: string, time?: number])[];
  /** Answers without an indexer, for the zero address and for 0x1111…. */
  readonly proofs: readonly (readonly [
    block: number,
    hash: string,
    none: string | null,
    zero: string | null,
    ones: string | null,
  ])[];
  /** The last block that was indexed; -1 if there is none. */
  readonly head: number;
  readonly fatal?: readonly [block: number, hash: string];
  readonly graftOf?: string;
  /** Blocks that were on the chain for a time. */
  readonly replaced?: readonly {
    readonly blocks: readonly RecordedBlock[];
    readonly logs: readonly RecordedLog[];
  }[];
}

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

export const recordedDeployments = read("recorded-proofs.jsonl")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as RecordedDeployment);

const modules: Readonly<Record<string, string>> = JSON.parse(read("recorded-modules.json"));

/** The WASM of a deployment. */
export function moduleOf({ module }: RecordedDeployment): Uint8Array {
  return inflateSync(Buffer.from(modules[module] ?? "", "base64"));
}

/** The first block of a range. */
export function startOf(range: string): number {
  return Number(/\[(\d+),/.exec(range)?.[1]);
}

/** The digest of a deployment as of a block. */
export function digestAt({ rows }: RecordedDeployment, block: number): Uint8Array | undefined {
  const [, digest] = rows.findLast(([range]) => startOf(range) <= block) ?? [];
  return digest === undefined ? undefined : Buffer.from(digest, "hex");
}

export function poiEvent(event: RecordedEvent): PoiEvent {
  if (event.kind === "DeterministicError") return { kind: "error", events: event.redacted_events };
  const { type, id } = event;
  if (event.kind === "RemoveEntity") return { kind: "remove", type, id };
  const data = new Map(Object.entries(event.data).map(([name, value]) => [name, storeValue(value)]));
  return { kind: "set", type, id, data };
}

const plain = { String, Bytes: String, Int: Number, Bool: Boolean } as const;

function storeValue([kind, value]: RecordedValue): StoreValue {
  if (kind === "Null") return { kind };
  if (kind === "List")
    return { kind: "Array", value: (value as readonly RecordedValue[]).map((item) => storeValue(item)) };
  if (kind === "BigDecimal") return { kind, value: decimal(String(value)) };
  if (kind === "BigInt" || kind === "Int8" || kind === "Timestamp")
    return { kind, value: BigInt(String(value)) };
  return { kind, value: plain[kind as keyof typeof plain](value) } as StoreValue;
}

function decimal(text: string): ReturnType<typeof normalized> {
  const [, digits = "", fraction = "", exponent = "0"] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  return normalized(BigInt(digits + fraction), Number(exponent) - fraction.length);
}
