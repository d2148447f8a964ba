import { describe, expect, it } from "vitest";
import { ProofStream, poiVariant, proofOfIndexing } from "../../../src/runtime/poi/proof-of-indexing.js";
import { digestAt, poiEvent, recordedDeployments, startOf } from "./recorded-proofs.js";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const fromHex = (text: string): Uint8Array => Buffer.from(text.replace(/^0x/, ""), "hex");

describe("a deployment recorded with a graph-node", () => {
  it.each(recordedDeployments)("has the same digest after each block: $name", (one) => {
    const stream = new ProofStream(poiVariant(one));
    const digests = new Map(one.rows.map(([range, digest]) => [startOf(range), digest]));
    const first = Math.min(...digests.keys());
    const base = recordedDeployments.find(({ name }) => name === one.graftOf);
    const isPruned = one.name === "prune";
    const computed = one.events.flatMap(({ block, events, stored, orphaned }) => {
      const digest = digests.get(block);
      if (stored === false || orphaned || digest === undefined || (isPruned && block === first)) return [];
      const previous = digestAt(one, block - 1) ?? (base && digestAt(base, block - 1));
      return [[block, hex(stream.digestOf(block, events.map(poiEvent), previous)), digest] as const];
    });
    expect(computed.map(([block, digest]) => [block, digest])).toEqual(
      computed.map(([block, , digest]) => [block, digest]),
    );
    expect(computed.length > 0).toBe(one.rows.length > 0);
  });

  it.each(recordedDeployments)("gives the same proofs: $name", (one) => {
    const { deployment, region, head, fatal } = one;
    for (const [asked, hash, none, zero, ones] of one.proofs) {
      const [block, blockHash] = asked > head && fatal ? fatal : [asked, hash];
      const isKnown = head >= 0 && (asked <= head || fatal !== undefined);
      const digest = digestAt(one, block);
      const regions = new Map(digest ? [[region, digest]] : []);
      const subject = { variant: poiVariant(one), deployment, block, blockHash: fromHex(blockHash), regions };
      const proof = (indexer?: Uint8Array): string | null =>
        isKnown ? proofOfIndexing({ ...subject, indexer }) : null;
      const got = [asked, proof(), proof(new Uint8Array(20)), proof(new Uint8Array(20).fill(0x11))];
      expect(got).toEqual([asked, none, zero, ones]);
    }
  });
});
