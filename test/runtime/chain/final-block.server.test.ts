import { afterEach, beforeEach, expect, it } from "vitest";
import type { BlockPointer } from "../../../src/runtime/chain/chain.js";
import { finalBlock } from "../../../src/runtime/chain/final-block.js";
import { createRpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { type FaultyNode, NodeError, startFaultyNode } from "../../support/chain/faulty-node.js";
import { hash, rawBlock } from "../../support/chain/raw-chain.js";
import { fastWorld } from "../../support/worlds.js";

/** What the node has for the block tag "finalized": a number, null, or an error. */
let tagged: number | null | NodeError;
let node: FaultyNode;
let refusals: string[];
/** What the node answers instead, by tag. */
let answers: ((tag: unknown) => unknown) | undefined;

beforeEach(async () => {
  refusals = [];
  answers = undefined;
  node = await startFaultyNode(({ params: [tag] }) => {
    if (answers) return answers(tag);
    if (tag !== "finalized") return rawBlock(Number(tag));
    if (tagged instanceof NodeError) throw tagged;
    return tagged === null ? null : rawBlock(tagged);
  });
});
afterEach(() => node.stop());

const [ethereum, fantom, berachain, polygonZkEvm, unlisted] = ["1", "250", "80094", "1101", "31337"];
const pointer = (number: number): BlockPointer => ({ number, hash: hash(number) });

/** The final block by this node, whose head is block 1000. */
function ask(chainId: string, head = 1000): Promise<BlockPointer | undefined> {
  const client = createRpcClient(node.url, fastWorld({ time: 0 }), { patience: 0 });
  return finalBlock(client, pointer(head), chainId, (why) => refusals.push(why));
}

const asked = (): unknown[] => node.exchanges.flat().map(({ params }) => params[0]);

it("the client believes the tag where nodes of the chain know it", async () => {
  tagged = 936;
  expect(await ask(ethereum)).toEqual(pointer(936));
  expect(asked()).toEqual(["finalized"]);
});

it("the client does not go beyond the head, when another node of a pool is ahead", async () => {
  tagged = 1003;
  expect(await ask(ethereum)).toEqual(pointer(1000));
  expect(asked()).toEqual(["finalized", "0x3eb", "0x3e8"]);
});

it.each([
  ["with a number that no block has", rawBlock(936, { number: "0xfffff" }), undefined],
  ["with a number that another block has", rawBlock(936, { number: "0x3eb" }), undefined],
  ["and the head was replaced", rawBlock(1003), 1000],
])("the client accepts no block when the final block is beyond the head %s", async (_, final, replaced) => {
  answers = (tag) => {
    if (tag === "finalized") return final;
    const number = Number(tag);
    if (number > 1010) return null;
    return rawBlock(number, number === replaced ? { hash: hash(number, "b") } : {});
  };
  expect(await ask(ethereum)).toBeUndefined();
  expect(refusals).toEqual([]);
});

it("the client accepts no block with a different number than requested", async () => {
  answers = () => rawBlock(936);
  expect(await ask(fantom)).toBeUndefined();
});

it.each([
  ["null", null],
  // Geth before its first final block, Nethermind, Besu, and nodes that parse tags themselves.
  ["finalized block not found", new NodeError(-39001, "finalized block not found")],
  ["unknown block", new NodeError(-39001, "Unknown block")],
  ["invalid parameters", new NodeError(-32602, "invalid argument 0: hex string without 0x prefix")],
  ["unsupported", new NodeError(-32000, "block number not supported")],
])("the client reports that the node does not name the final block, and takes no block instead: %s", async (_, answer) => {
  tagged = answer;
  expect(await ask(ethereum)).toBeUndefined();
  expect(refusals).toEqual([expect.stringMatching(/does not say which block is final.*Use another node$/)]);
  expect(asked()).toEqual(["finalized"]);
});

it("the client counts from the head if nodes do not know the tag, without requesting it", async () => {
  // A gateway may answer all the same, with its head.
  tagged = 1000;
  expect(await ask(fantom)).toEqual(pointer(744));
  expect(asked()).toEqual(["0x2e8"]);
  expect(await ask(fantom, 255)).toBeUndefined();
  expect(await ask(fantom, 256)).toEqual(pointer(0));
  expect(refusals).toEqual([]);
});

it.each([
  ["an unknown one", berachain, 700, 700],
  ["an unknown one whose tag names the head", berachain, 1000, 744],
  ["an unknown one without the tag", berachain, null, 744],
  ["an unknown one that refuses the tag", berachain, new NodeError(-39001, "unknown block"), 744],
  ["one with a distance of its own", polygonZkEvm, 1000, 500],
  ["one that is not in the registry", unlisted, 1000, 744],
])("the client takes the lower of both if finality is unknown: %s", async (_, chainId, answer, number) => {
  tagged = answer;
  expect(await ask(chainId)).toEqual(pointer(number));
  expect(refusals).toEqual([]);
});
