import { describe, expect, it } from "vitest";
import { ArchivedChain } from "../../../src/datasets/archive/archived-chain.js";
import { checkedClient } from "../../../src/datasets/archive/checked-client.js";
import { type OpenedArchive, openArchive } from "../../../src/datasets/archive/open-archive.js";
import type { RpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../../src/runtime/chain/rpc-chain.js";
import { hashOf, madeBlocks, put } from "../../support/archive/made-chain.js";
import { MemoryArchiveFiles } from "../../support/archive/memory-files.js";
import { rawBlock } from "../../support/chain/raw-chain.js";

/** A node whose blocks may be replaced, with its head at block 1200. */
class PlayedNode implements RpcClient {
  /** What is asked for: `eth_getBlockByNumber 0x1`. */
  readonly asked: string[] = [];
  head = 1_200;
  /** The first block that was replaced. */
  fork = Number.POSITIVE_INFINITY;

  async request(method: string, [tag]: readonly unknown[]): Promise<unknown> {
    this.asked.push(`${method} ${tag ?? ""}`.trim());
    if (method === "eth_chainId") return "0x1";
    const number = tag === "latest" ? this.head : Number(tag);
    if (number > this.head) return null;
    const hash = (of: number): string => hashOf(of < this.fork ? `block ${of}` : `other block ${of}`);
    return { ...rawBlock(number), hash: hash(number), parentHash: hash(number - 1) };
  }
}

/** An archive of blocks 1 to 9 that knows block 1000 as final. */
async function archive(): Promise<OpenedArchive> {
  const files = new MemoryArchiveFiles();
  await put(files, { blocks: madeBlocks(1, 9) });
  return openArchive(files, "mainnet", undefined);
}

const finalAsked = "eth_getBlockByNumber 0x3e8";
const replaced = `The node has replaced block 1000, which the archive in kept holds as final (${hashOf("other block 1000").slice(0, 12)}… instead of ${hashOf("block 1000").slice(0, 12)}…). The archive was not changed. Use a different --archive, or remove the replaced chain with graphloom archive prune --archive kept --chain 1 --all.`;

describe("a client of a node that was compared with an archive", () => {
  it("asks for the last final block once, and answers when it is the archived one", async () => {
    const node = new PlayedNode();
    const client = checkedClient(node, await archive(), "kept");
    expect(node.asked).toEqual([]);
    await Promise.all(["0x1", "0x2"].map((tag) => client.request("eth_getBlockByNumber", [tag, false])));
    expect(node.asked.filter((question) => question === finalAsked)).toHaveLength(1);
  });

  it("asks nothing else of a node whose blocks differ from the archive", async () => {
    const node = new PlayedNode();
    node.fork = 1_000;
    const client = checkedClient(node, await archive(), "kept");
    await expect(client.request("eth_getLogs", [])).rejects.toThrow(replaced);
    await expect(client.request("eth_getLogs", [])).rejects.toThrow(replaced);
    expect(node.asked.filter((question) => question === finalAsked)).toHaveLength(6);
    expect(node.asked).not.toContain("eth_getLogs");
  });

  it("accepts a pool of which one node stayed on a replaced chain", async () => {
    const node = new PlayedNode();
    node.fork = 1_000;
    let asked = 0;
    const pool: RpcClient = {
      request: async (method, parameters) => {
        if (++asked > 3) node.fork = Number.POSITIVE_INFINITY;
        return node.request(method, parameters);
      },
    };
    const client = checkedClient(pool, await archive(), "kept");
    expect(await client.request("eth_getBlockByNumber", ["0x1", false])).toMatchObject({ number: "0x1" });
  });

  it("accepts a node that is behind the archive", async () => {
    const node = new PlayedNode();
    node.head = 900;
    const client = checkedClient(node, await archive(), "kept");
    expect(await client.request("eth_getBlockByNumber", ["latest", false])).toMatchObject({
      number: "0x384",
    });
  });

  it("compares again when a run notices a reorganisation", async () => {
    const node = new PlayedNode();
    const opened = await archive();
    const client = checkedClient(node, opened, "kept");
    const chain = new ArchivedChain(createRpcChain(client), opened.archive, {
      finalOf: async () => undefined,
      recheck: client.recheck,
    });
    expect((await chain.block(5))?.hash).toBe(hashOf("block 5"));
    expect((await chain.block(1_100))?.hash).toBe(hashOf("block 1100"));
    node.fork = 900;
    chain.forget();
    await expect(chain.head()).rejects.toThrow(replaced);
    await expect(chain.block(20)).rejects.toThrow(replaced);
  });
});
