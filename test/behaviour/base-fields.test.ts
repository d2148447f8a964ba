import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";

const token = [
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event Ping()",
  "event Ping(uint256 nonce)",
];

let built: BuiltScenario;
beforeAll(async () => {
  built = await buildScenario({ abis: { Token: token }, instances: [instance("Token", a(1))] });
});

describe("an event", () => {
  test("is stored with the base fields", () => {
    const host = built.host();
    host.emit(token, a(1), "Transfer", [a(0xaa), a(0xbb), 12n], { transaction: id("t"), logIndex: 7 });
    expect(host.all("Transfer")).toEqual([
      {
        id: `${id("t")}-7`,
        block_number: 100n,
        timestamp_: 1_600_001_200n,
        transactionHash_: id("t"),
        contractId_: a(1),
        from: a(0xaa),
        to: a(0xbb),
        value: 12n,
      },
    ]);
  });
});
