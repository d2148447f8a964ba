import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { makeStableHash } from "../../../scripts/make-stable-hash.mjs";
import { normalized } from "../../../src/runtime/numbers/big-decimal.js";
import type { PoiEvent, PoiVariant } from "../../../src/runtime/poi/events.js";
import { ProofStream, proofOfIndexing } from "../../../src/runtime/poi/proof-of-indexing.js";
import { stableHash } from "../../../src/runtime/poi/stable-hash-wasm.js";
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

/** What a graph-node has shown of a deployment. */
interface RecordedCase {
  readonly name: string;
  readonly specVersion: string;
  readonly deployment: string;
  readonly region: string;
  readonly events: readonly {
    readonly block: number;
    readonly stored?: boolean;
    readonly orphaned?: boolean;
    readonly events: readonly RecordedEvent[];
  }[];
  readonly poi2: readonly { readonly digest: string; readonly block_range: string }[];
  readonly proofs: readonly {
    readonly block: number;
    readonly hash: string;
    readonly none: string | null;
    readonly zero: string | null;
    readonly ones: string | null;
  }[];
  readonly head: number;
  readonly fatal?: { readonly number: number; readonly hash: string };
  readonly graftOf?: string;
}

const recorded = readFileSync(new URL("recorded-proofs.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as RecordedCase);

const parts = { String: String, Bytes: String, Int: Number, Bool: Boolean } as const;

function storeValue([kind, value]: RecordedValue): StoreValue {
  if (kind === "Null") return { kind };
  if (kind === "List")
    return { kind: "Array", value: (value as readonly RecordedValue[]).map((item) => storeValue(item)) };
  if (kind === "BigDecimal") return { kind, value: decimal(String(value)) };
  if (kind === "BigInt" || kind === "Int8" || kind === "Timestamp")
    return { kind, value: BigInt(String(value)) };
  return { kind, value: parts[kind as keyof typeof parts](value) } as StoreValue;
}

function decimal(text: string): ReturnType<typeof normalized> {
  const [, digits = "", fraction = "", exponent = "0"] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  return normalized(BigInt(digits + fraction), Number(exponent) - fraction.length);
}

function poiEvent(event: RecordedEvent): PoiEvent {
  if (event.kind === "DeterministicError") return { kind: "error", events: event.redacted_events };
  const { type, id } = event;
  if (event.kind === "RemoveEntity") return { kind: "remove", type, id };
  const data = new Map(Object.entries(event.data).map(([name, value]) => [name, storeValue(value)]));
  return { kind: "set", type, id, data };
}

const variantOf = ({ specVersion }: RecordedCase): PoiVariant =>
  /^0\.0\.[0-5]$/.test(specVersion) ? "legacy" : "fast";
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const fromHex = (text: string): Uint8Array => Buffer.from(text.replace(/^0x/, ""), "hex");
const startOf = (range: string): number => Number(/\[(\d+),/.exec(range)?.[1]);

/** The digest of a case at a block, from its rows. */
function digestAt({ poi2 }: RecordedCase, block: number): Uint8Array | undefined {
  const row = poi2.findLast(({ block_range }) => startOf(block_range) <= block);
  return row && fromHex(row.digest);
}

describe("a deployment recorded with a graph-node", () => {
  it.each(recorded)("has the same digest after each block: $name", (one) => {
    const stream = new ProofStream(variantOf(one));
    const rows = new Map(one.poi2.map(({ block_range, digest }) => [startOf(block_range), digest]));
    const first = Math.min(...rows.keys());
    const base = recorded.find(({ name }) => name === one.graftOf);
    let compared = 0;
    for (const { block, events, stored, orphaned } of one.events) {
      // A pruned deployment has lost its first rows, and the rows of a graft are those of its base until its first block.
      if (stored === false || orphaned || block < first || !rows.has(block)) continue;
      const before = one.poi2.findLast(({ block_range }) => startOf(block_range) < block);
      if (!before && (block > first || one.name === "prune")) continue;
      const previous = before ? fromHex(before.digest) : base && digestAt(base, block - 1);
      expect([block, hex(stream.digestOf(block, events.map(poiEvent), previous))]).toEqual([
        block,
        rows.get(block),
      ]);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(one.poi2.length > 0 ? 0 : -1);
  });

  it.each(recorded)("gives the same proofs: $name", (one) => {
    for (const { block, hash, none, zero, ones } of one.proofs) {
      const at = block > one.head && one.fatal ? one.fatal : { number: block, hash };
      const isKnown = one.head >= 0 && (block <= one.head || one.fatal !== undefined);
      const digest = digestAt(one, at.number);
      const proof = (indexer?: Uint8Array): string | null =>
        isKnown
          ? proofOfIndexing({
              variant: variantOf(one),
              deployment: one.deployment,
              block: at.number,
              blockHash: fromHex(at.hash),
              indexer,
              regions: new Map(digest ? [[one.region, digest]] : []),
            })
          : null;
      expect([block, proof(), proof(new Uint8Array(20)), proof(new Uint8Array(20).fill(0x11))]).toEqual([
        block,
        none,
        zero,
        ones,
      ]);
    }
  });
});

test("the compiled hash is that of its source", async () => {
  expect(await makeStableHash()).toContain(stableHash);
});
