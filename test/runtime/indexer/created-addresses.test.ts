import { describe, expect, test } from "vitest";
import { RetriedError } from "../../../src/runtime/errors.js";
import type { ActiveSource } from "../../../src/runtime/indexer/active-source.js";
import { type BlockContext, HandlerWorld } from "../../../src/runtime/indexer/handler-world.js";

const digits = "00000000000000000000000000000000000000Aa";

/** The world of a handler that may create data sources of a template for contracts. */
function world(): HandlerWorld {
  const context = { block: { number: 7, hash: "0x07" }, templateOf: () => ({ name: "Child" }) };
  return new HandlerWorld({} as ActiveSource, context as unknown as BlockContext);
}

describe("a data source that a handler creates", () => {
  test.each([
    `0x${digits}`,
    digits,
  ])("reads the address %s of a created data source as graph-node does", (address) => {
    const own = world();
    own.createDataSource("Child", [address, "x"]);
    own.end();
    expect(own.created).toEqual([
      { template: "Child", address: `0x${digits.toLowerCase()}`, creationBlock: 7 },
    ]);
  });

  test.each([
    [["nope"], "invalid address provided: nope"],
    [["0x1234"], "invalid address provided: 0x1234"],
    [[`0x0${digits}`], "invalid address provided"],
    [[""], "invalid address provided"],
    [[], "address parameter is missing"],
  ])("fails the handler after its end for a data source with the parameters %j", (params, message) => {
    const own = world();
    own.createDataSource("Child", params);
    expect(() => own.end()).toThrow(RetriedError);
    expect(() => own.end()).toThrow(message);
    expect(own.created).toEqual([]);
  });
});
