import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Block, Log, Transaction } from "../../../src/runtime/chain/chain.js";
import { createRunner } from "../../../src/runtime/create-runner.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { playBlocks } from "../../../src/testing/json/play-blocks.js";

const all = JSON.parse(readFileSync("/work/shared/reference/graph-node-recorded/poi-cases.json", "utf8")) as any[];
const wasmOf = (c: any): string => c.wasmBase64 ?? wasmOf(all.find((o) => o.name === (c.wasmOf ?? c.sourcesOf)));

test.each(all.filter((c) => c.wasmBase64 ?? c.wasmOf ?? c.sourcesOf))("replay $name", async (c) => {
  const src = c.manifest ? c : all.find((o) => o.name === c.sourcesOf);
  const files = new Map<string, string | Uint8Array>([["subgraph.yaml", String(c.manifest ?? src.manifest).replace(/\{ \/: \/ipfs\/(\w+) \}/g, "$1")]]);
  const links = c.links ?? src.links;
  const put = (cid: string, v: string | Uint8Array) => files.set(`/ipfs/${cid}`, v);
  put(links.schema, c.schema ?? src.schema);
  put(links.abi, c.abi ?? src.abi);
  put(links.mapping, Buffer.from(wasmOf(c), "base64"));
  const map = new Map<string, string | Uint8Array>();
  for (const [k, v] of files) { map.set(k, v); map.set(k.replace(/^\//, ""), v); map.set(k.replace("/ipfs/", ""), v); }
  const built = readRunnable({ manifest: "subgraph.yaml", files: map });
  const store = new MemoryStore(built.entities);
  let current: { logs: Log[] } = { logs: [] };
  const { runner } = createRunner(built, {
    chain: { receipt: async () => undefined }, store,
    callsOf: () => ({ want() {}, fetchWanted: async () => {}, asked: 0, answer() { throw new Error("call") }, balance() { throw new Error() }, hasCode() { throw new Error() }, readAhead: async () => {} }) as any,
    firstBlock: 0, triggersFor: async () => ({ logs: current.logs, calls: [] }),
    finder: { files: { read: async () => undefined } as any, patience: 0, pause: async () => undefined, chance: () => 0.5, now: () => 0, signal: undefined } as any,
  });
  const rows = new Map(c.poi2.map((r: any) => [Number(/\[(\d+)/.exec(r.block_range)?.[1]), r.digest]));
  const out: unknown[] = [], want: unknown[] = [];
  for (const b of c.chain.blocks) {
    const base = playBlocks({ blocks: [{ number: BigInt(b.number), timestamp: BigInt(b.timestamp), events: [], ethCalls: [], getBalanceCalls: [], hasCodeCalls: [] }] }, 0).blocks[0]?.block as Block;
    const logs0 = c.chain.logs.filter((l: any) => l.block === b.number);
    const transactions = new Map<string, Transaction>(logs0.map((l: any) => [l.txHash, { hash: l.txHash, index: l.tx, from: `0x${"0".repeat(40)}`, to: l.address, value: 0n, gasLimit: 0n, gasPrice: 0n, input: "0x", nonce: 0n }]));
    const block = { ...base, number: b.number, hash: b.hash, parentHash: b.parentHash, timestamp: BigInt(b.timestamp), transactions };
    const logs = logs0.map((l: any): Log => ({ address: l.address, topics: l.topics, data: l.data, block: { number: b.number, hash: b.hash }, transactionHash: l.txHash, transactionIndex: l.tx, logIndex: l.index } as any));
    if (logs.length === 0) continue;
    current = { logs };
    let outcome;
    try { outcome = await runner.run(block, { logs, calls: [] }); } catch (e) { out.push([b.number, String(e).slice(0, 120)]); want.push([b.number, rows.get(b.number)]); break; }
    const before = await store.proofDigest();
    const digest = outcome.writes.proofDigest ?? outcome.proofDigest;
    const hex = digest && Buffer.from(digest).toString("hex");
    if (hex !== (before && Buffer.from(before).toString("hex")) || rows.has(b.number)) { out.push([b.number, hex]); want.push([b.number, rows.get(b.number)]); }
    if (outcome.failure) { out.push([String(outcome.failure.error).slice(0, 100)]); break; }
    await store.commit(block, outcome.writes);
  }
  expect(out).toEqual(want);
});
