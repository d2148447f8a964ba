import { describe, expect, test } from "vitest";
import { check, dataSource, minimal } from "./harness.js";

/** A tenth of the full size by default. `npm run campaign:sizes` uses the full size. */
const share = Number(process.env.GRAPHLOOM_SIZES ?? 0.1);
const [keys, names] = [200_000 * share, 5000 * share];

describe("hostile input", () => {
  test("is checked in time with very many wrong keys in one object", async () => {
    const wrong = Object.fromEntries(Array.from({ length: keys }, (_, index) => [`wrong key ${index}`, 1]));
    expect((await check(minimal({ ...wrong, name: "x" }))).found).toHaveLength(keys);
  });

  test("is checked in time with unknown names among very many ABIs", async () => {
    const long = "x".repeat(90);
    const abis = Object.fromEntries(Array.from({ length: names }, (_, index) => [`${long}${index}`, []]));
    const instances = Array.from({ length: names }, (_, index) => ({
      ...dataSource,
      abi: `${long}y${index}`,
    }));
    expect((await check(minimal({ abis, instances }))).found).toHaveLength(names);
  });

  test("is checked in time with very many faulty instances", async () => {
    const instances = Array.from({ length: names }, () => ({ ...dataSource, startblock: 1, address: 1 }));
    expect((await check(minimal({ instances }))).found).toHaveLength(2 * names);
  });
});
