import { AbiCoder } from "ethers/abi";
import { expect, it } from "vitest";
import { decodeParameters, decodeValue } from "../../../src/runtime/abi/encode-value.js";

it("decodes bytes and strings whose last word is not padded, as graph-node 0.45 does", () => {
  const cut = (data: string): string => data.replace(/(?:00)+$/, "");
  const coder = AbiCoder.defaultAbiCoder();
  const text = { kind: "string", value: "Safe" } as const;
  expect(decodeValue("string", cut(coder.encode(["string"], ["Safe"])))).toEqual(text);
  expect(decodeParameters("string", cut(coder.encode(["string"], ["Safe"])))).toEqual(text);
  const parameters = cut(coder.encode(["uint8", "bytes"], [3, "0xabcd"]));
  expect(decodeParameters("(uint8,bytes)", parameters)).toEqual({
    kind: "tuple",
    value: [
      { kind: "uint", value: 3n },
      { kind: "bytes", value: "0xabcd" },
    ],
  });
  expect(decodeParameters("(uint8,bytes)", parameters.slice(0, -2))).toBeUndefined();
});
