import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { asc } from "../../support/asc.js";
import { testFolder } from "../../support/folder.js";
import { graphTs } from "./harness.js";

vi.setConfig({ testTimeout: 60_000 });

test("a release is byte for byte what graph build makes of the same files", { timeout: 60_000 }, async () => {
  const files: Record<string, string> = {
    "subgraph.yaml": [
      "specVersion: 1.2.0",
      "schema: { file: ./schema.graphql }",
      "dataSources:",
      "  - kind: ethereum",
      "    name: Tok",
      "    network: mainnet",
      "    source: { address: '0x0000000000000000000000000000000000000001', abi: Tok, startBlock: 1 }",
      "    mapping:",
      "      kind: ethereum/events",
      "      apiVersion: 0.0.9",
      "      language: wasm/assemblyscript",
      "      entities: [Move]",
      "      abis: [{ name: Tok, file: ./abis/Tok.json }]",
      "      eventHandlers: [{ event: 'Transfer(indexed address,uint256)', handler: handleTransfer }]",
      "      file: ./src/mapping.ts",
    ].join("\n"),
    "schema.graphql": "type Move @entity(immutable: true) { id: Bytes!, to: Bytes!, value: BigInt! }\n",
    "abis/Tok.json": JSON.stringify([
      {
        type: "event",
        name: "Transfer",
        anonymous: false,
        inputs: [
          { name: "to", type: "address", indexed: true },
          { name: "value", type: "uint256", indexed: false },
        ],
      },
    ]),
    "src/mapping.ts": [
      'import { Transfer } from "../generated/Tok/Tok";',
      'import { Move } from "../generated/schema";',
      "",
      "export function handleTransfer(event: Transfer): void {",
      "  let move = new Move(event.transaction.hash.concatI32(event.logIndex.toI32()));",
      "  move.to = event.params.to;",
      "  move.value = event.params.value;",
      "  move.save();",
      "}",
      "",
    ].join("\n"),
  };
  const folder = testFolder(files);
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const graph = resolve("node_modules/.bin/graph");
  execFileSync(graph, ["codegen"], { cwd: folder, stdio: "pipe" });
  execFileSync(graph, ["build"], { cwd: folder, stdio: "pipe" });
  const paths = ["src/mapping.ts", "generated/schema.ts", "generated/Tok/Tok.ts"];
  const sources = new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
  const output = await asc.compile({
    entry: "src/mapping.ts",
    files: sources,
    graphTs,
    expressions: [],
    mode: "full",
  });
  expect(output.kind).toBe("compiled");
  const wasm = readFileSync(join(folder, "build/Tok/Tok.wasm"));
  expect(wasm.equals((output as { wasm: Uint8Array }).wasm)).toBe(true);
});
