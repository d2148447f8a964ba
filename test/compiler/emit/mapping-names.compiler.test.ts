import { expect, test } from "vitest";
import { buildConfig } from "../../runtime/harness.js";

const address = (name: string) => ({ name, type: "address", indexed: false });
const event = (name: string, ...parameters: string[]) => ({
  type: "event",
  name,
  anonymous: false,
  inputs: parameters.map(address),
});
const inputsFunction = {
  type: "function",
  name: "inputs",
  stateMutability: "nonpayable",
  inputs: [address("inputs"), address("outputs")],
  outputs: [address("outputs"), address("inputs")],
};

test("events, functions and parameters may have the names of a handler's local variables", async () => {
  const { files } = await buildConfig({
    enableCallHandlers: true,
    abis: {
      Odd: [
        event("params", "params", "transactionHash"),
        event("transactionHash", "inputs", "outputs"),
        event("Made", "delete"),
        inputsFunction,
      ],
      Child: [event("Moved", "params")],
    },
    instances: [
      { abi: "Odd", address: `0x${"99".repeat(20)}`, startBlock: 1, chain: "mainnet" },
      {
        abi: "Child",
        source: { abi: "Odd", eventSignature: "Made(address)", addressParam: "delete" },
      },
    ],
  });
  const mapping = String(files.get("src/odd.ts"));
  expect(mapping).toContain("new paramsEntity(");
  expect(mapping).toContain("new transactionHashEntity(");
  expect(mapping).toContain("entity.output_inputs = outputs.inputs.toHexString();");
  expect(mapping).toContain('DataSourceTemplate.create("Child", [event.params.delete_.toHexString()]);');
});
