import { describe, expect, test } from "vitest";
import { check, dataSource, minimal } from "./harness.js";

describe("hostile input", () => {
  test("two hundred thousand wrong keys in one object", async () => {
    const wrong = Object.fromEntries(
      Array.from({ length: 200_000 }, (_, index) => [`wrong key ${index}`, 1]),
    );
    expect((await check(minimal({ ...wrong, name: "x" }))).found).toHaveLength(200_000);
  });

  test("five thousand unknown names among five thousand ABIs", async () => {
    const long = "x".repeat(90);
    const abis = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${long}${index}`, []]));
    const instances = Array.from({ length: 5000 }, (_, index) => ({
      ...dataSource,
      abi: `${long}y${index}`,
    }));
    expect((await check(minimal({ abis, instances }))).found).toHaveLength(5000);
  });

  test("five thousand faulty instances", async () => {
    const instances = Array.from({ length: 5000 }, () => ({ ...dataSource, startblock: 1, address: 1 }));
    expect((await check(minimal({ instances }))).found).toHaveLength(10_000);
  });
});
