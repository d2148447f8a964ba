import { describe, expect, it } from "vitest";
import { findCreation } from "../../src/discovery/find-creation.js";
import { ReorgError } from "../../src/runtime/chain/chain.js";
import type { RpcClient } from "../../src/runtime/chain/rpc/rpc-client.js";
import { RpcError } from "../../src/runtime/chain/rpc-errors.js";

/** A node whose chain has a contract from one block on, and that has pruned the states before a given block. */
function node(created: number, kept: number, refusal?: Error): RpcClient & { readonly asked: number[] } {
  const asked: number[] = [];
  const refused =
    refusal ?? new RpcError("eth_getCode", "node", { code: -32000, reason: "missing trie node", data: null });
  return {
    asked,
    request: async (_, [, block]) => {
      const number = Number(block);
      asked.push(number);
      if (number < kept) throw refused;
      return number >= created ? "0x6001" : "0x";
    },
  };
}

const head = 20_000_000;

describe("the block in which a contract was created", () => {
  it.each([0, 1, 6_082_465, head - 1, head])("is found: %s", async (created) => {
    const client = node(created, 0);
    expect(await findCreation(client, "0x1", head)).toEqual({ kind: "found", block: created });
    expect(client.asked.length).toBeLessThan(30);
  });

  it.each([
    [6_082_465, 6_000_000],
    [head, head - 128],
  ])("is found on a node with recent blocks only: %s, from %s on", async (created, kept) => {
    const client = node(created, kept);
    expect(await findCreation(client, "0x1", head)).toEqual({ kind: "found", block: created });
    expect(client.asked.length).toBeLessThan(60);
  });

  it.each([
    ["a refusal", undefined],
    ["an unknown block", new ReorgError("header not found")],
  ])("is unknown when the node has pruned it and answers with %s", async (_, refusal) => {
    const client = node(6_082_465, head - 128, refusal);
    const creation = await findCreation(client, "0x1", head);
    expect(creation).toMatchObject({ kind: "unknown", latest: head - 128 });
    expect(client.asked.length).toBeLessThan(60);
  });

  it("does not hide an unexpected error", async () => {
    await expect(findCreation(node(5, 9, new TypeError("bug")), "0x1", 10)).rejects.toThrow("bug");
  });
});
