import { expect, test } from "vitest";
import { Abi } from "../../src/subgraph/abi.js";

const abi = new Abi(
  "Lab",
  JSON.stringify([
    {
      type: "event",
      name: "A",
      inputs: [
        { name: "n", type: "uint256", indexed: true },
        { name: "v", type: "uint256", indexed: false },
      ],
    },
  ]),
);

test.each([
  ["A(indexed uint256,uint256)", true],
  ["A(uint256,uint256)", true],
  ["A(uint256,indexed uint256)", false],
  ["A(indexed uint256,indexed uint256)", false],
  ["A(uint256)", false],
])("the ABI finds an event by its indexed parameters, or without any indexed: %s", (signature, isFound) => {
  expect(abi.event(signature) !== undefined).toBe(isFound);
});
