import { AbiCoder } from "ethers";
import { expect, it } from "vitest";
import { buildProject } from "../../../src/machine/compiler/build-project.js";
import { compileMapping } from "../../../src/runtime/wasm/compile-mapping.js";
import type { Mapping } from "../../../src/runtime/wasm/mapping.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { ask, bytes, text } from "../../runtime/wasm/probe.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";

const manifest = `
specVersion: 1.3.0
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Safe
    network: mainnet
    source: { abi: Safe, startBlock: 0, address: "0x41675C099F32341bf84BFc5382aF534df5C7461a" }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.10
      language: wasm/assemblyscript
      entities: [Run]
      abis: [{ name: Safe, file: ./Safe.json }]
      eventHandlers: [{ event: Ran(), handler: decodeBoth }]
      file: ./mapping.ts
`;
const mappingText = `
import { Bytes, ethereum, log } from "@graphprotocol/graph-ts";
function shown(value: ethereum.Value | null): string {
  return value ? ethereum.encode(value)!.toHexString() : "null";
}
export function decodeBoth(event: ethereum.Event): void {
  const type = event.parameters[0].value.toString();
  const data = event.parameters[1].value.toBytes();
  log.info("{}", [shown(ethereum.decode(type, data))]);
  log.info("{}", [shown(ethereum.decodeParams(type, data))]);
}
`;

async function built(): Promise<Mapping> {
  const host = memoryHost({
    "subgraph.yaml": manifest,
    "schema.graphql": "type Run @entity(immutable: true) { id: Bytes! }",
    "Safe.json": '[{"type":"event","name":"Ran","inputs":[]}]',
    "mapping.ts": mappingText,
  });
  const { diagnostics, files } = await buildProject("subgraph.yaml", host, { asc, optimize: "fast" });
  expect(diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message)).toEqual(
    [],
  );
  const { apiVersion } = readRunnable({ manifest: "subgraph.yaml", files });
  expect(apiVersion).toBe("0.0.10");
  const wasm = [...files].find(([path]) => path.endsWith(".wasm"))?.[1];
  if (!(wasm instanceof Uint8Array)) throw new Error("there is no WASM");
  return compileMapping(wasm);
}

it("the compiler builds mappings of apiVersion 0.0.10, which decode parameters", async () => {
  const mapping = await built();
  const coder = AbiCoder.defaultAbiCoder();
  const decoded = (type: string, data: string): readonly string[] =>
    ask(mapping, "decodeBoth", text(type), bytes(data));
  const [target, call] = ["0x41675c099f32341bf84bfc5382af534df5c7461a", `0x${"ab".repeat(40)}`];
  const alone = (type: string, value: unknown): string => coder.encode([type], [value]);
  for (const [types, values] of [
    [
      ["address", "uint256", "bytes", "uint8"],
      [target, 5n, call, 1n],
    ],
    [["string"], ["Safe"]],
    [
      ["uint256[]", "(string,bool)[2]"],
      [
        [1n, 2n],
        [
          ["a", true],
          ["b", false],
        ],
      ],
    ],
  ] as const) {
    const type = `(${types.join()})`;
    const parameters = coder.encode(types, values);
    expect(parameters).not.toBe(alone(type, values));
    // `ethereum.decode` takes one value, before which there is an offset.
    expect(decoded(type, parameters)).toEqual(["null", alone(type, values)]);
  }
  // Both are the same for what has no offset, and for a single parameter.
  for (const [type, data] of [
    ["(address,uint256)", coder.encode(["address", "uint256"], [target, 5n])],
    ["uint256", alone("uint256", 7n)],
    ["string", alone("string", "Safe")],
    ["bytes[]", alone("bytes[]", [call, "0x"])],
  ] as const)
    expect(decoded(type, data)).toEqual([data, data]);
  for (const [type, data] of [
    ["(address,bytes)", "0x"],
    ["(address,bytes)", alone("uint256", 1n)],
    ["(address", alone("uint256", 1n)],
    ["nothing", alone("uint256", 1n)],
  ] as const)
    expect(decoded(type, data)).toEqual(["null", "null"]);
});
