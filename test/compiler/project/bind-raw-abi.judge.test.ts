import { expect, test } from "vitest";
import { printAbiBindings } from "../../../src/compiler/emit/bindings/print-abi-bindings.js";
import { readEntries } from "../../../src/compiler/project/abi-entries.js";
import { bindRawAbi } from "../../../src/compiler/project/bind-raw-abi.js";
import { peerAbiBindingsOfJson } from "../emit/bindings/peer.js";

function ours(json: unknown): string {
  const entries = readEntries(json)?.entries ?? [];
  return printAbiBindings(
    bindRawAbi("Tok", entries, () => ({ source: { path: "", text: "" }, pointer: "", start: 0, end: 0 })),
  );
}

test("only inputs of events count as indexed, as in graph-cli", async () => {
  const inputs = ["uint256", "string", "bytes", "uint8[]", "tuple", "tuple[2]"].map((type, at) => ({
    name: `a${at}`,
    type,
    indexed: true,
    ...(type.startsWith("tuple") && {
      components: [
        { name: "text", type: "string", indexed: true },
        { name: "list", type: "bool[]", indexed: true },
      ],
    }),
  }));
  const components = inputs;
  const json = [
    { type: "event", name: "Done", inputs },
    { type: "event", name: "Held", inputs: [{ name: "all", type: "tuple", components }] },
    { type: "function", name: "get", stateMutability: "view", inputs, outputs: inputs },
    { type: "function", name: "one", stateMutability: "view", inputs: [], outputs: inputs.slice(1, 2) },
    { type: "function", name: "put", stateMutability: "nonpayable", inputs, outputs: inputs },
    { type: "constructor", stateMutability: "nonpayable", inputs },
  ];
  expect(ours(json)).toBe(await peerAbiBindingsOfJson("Tok", json));
});
