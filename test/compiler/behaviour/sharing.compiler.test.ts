import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";
import type { PlayedSubgraph } from "./played-subgraph.js";

const token = [
  "event Transfer(address from, address to, uint256 value)",
  "event Minted(uint256 amount)",
  "function total() view returns (uint256)",
  "function deposit(uint256 amount)",
  "function withdraw(uint256 amount)",
];
const facet = ["event Transfer(address from, address to, uint256 value)", "event Cut(address facet)"];
const nft = ["event Transfer(address from, address to, uint256 indexed tokenId)"];

const supply = (text: string) => ({
  Minted: {
    calls: { total: { name: "total", required: true } },
    entities: { Supply: { "total uint256": "calls.total", "note string": text } },
  },
});
const movements = (text: string) => ({ entities: { Movement: { "note string": text } } });

describe("one mapping for many contracts", () => {
  let built: BuiltScenario;
  beforeAll(async () => {
    built = await buildScenario({
      abis: { Token: token, Facet: facet },
      instances: [
        instance("Token", a(1), supply('"first"')),
        instance("Token", a(2), supply('"first"')),
        instance(
          "Token",
          a(3),
          supply('"other" + dataSource.network() + dataSource.address().toHexString()'),
        ),
        instance("Token", a(4)),
        instance("Facet", a(4), {
          Transfer: { entities: { Moved: { "value uint256": "event.params.value" } } },
        }),
        instance("Token", a(1), supply('"first"'), { chain: "base" }),
      ],
    });
  });
  const playOn = (chain = "mainnet") => {
    const played = built.play(`build/${chain}/subgraph.yaml`);
    played.contracts = () => [9n];
    return played;
  };

  test.each([
    [1, "mainnet", [{ note: "first", total: 9n }]],
    [2, "mainnet", [{ note: "first", total: 9n }]],
    [3, "mainnet", [{ note: `othermainnet${a(3)}`, total: 9n }]],
    [4, "mainnet", []],
    [1, "base", [{ note: "first", total: 9n }]],
  ] as const)("instance %i on %s has a separate enrichment", async (address, chain, expected) => {
    const played = playOn(chain);
    await played.emit(token, a(address), "Minted", [5n]);
    expect(played.all("Supply")).toMatchObject(expected);
    expect(played.all("Minted")).toMatchObject([{ amount: 5n, contractId_: a(address) }]);
  });

  test("an event that two ABIs of one address share is stored once and enriched by either", async () => {
    const played = playOn();
    await played.emit(token, a(4), "Transfer", [a(8), a(9), 5n], { transaction: id("t"), logIndex: 1 });
    await played.emit(facet, a(4), "Cut", [a(8)]);
    played.endBlock();
    expect(played.all("Transfer")).toMatchObject([{ id: `${id("t")}-1`, value: 5n }]);
    expect(played.all("Cut")).toHaveLength(1);
    expect(played.all("Moved")).toMatchObject([{ value: 5n }]);
  });
});

describe("an entity that several triggers of one transaction create", () => {
  let built: BuiltScenario;
  beforeAll(async () => {
    built = await buildScenario({
      abis: { Token: token, Nft: nft },
      enableCallHandlers: true,
      instances: [
        instance("Token", a(1), {
          "deposit(uint256)": movements('"deposit"'),
          "withdraw(uint256)": movements('"withdraw"'),
          Minted: movements('"minted"'),
          Transfer: { entities: { Transfer: { "extra bool": "true" } } },
        }),
        instance("Nft", a(2)),
      ],
    });
  });
  const notes = async (run: (played: PlayedSubgraph) => Promise<void>) => {
    const played = built.play();
    await run(played);
    return played
      .all("Movement")
      .map(({ note }) => note)
      .toSorted();
  };

  test("exists once per call of one function", async () => {
    const found = await notes(async (played) => {
      await played.call(token, a(1), "deposit", [1n]);
      await played.call(token, a(1), "deposit", [1n]);
    });
    expect(found).toEqual(["deposit", "deposit"]);
  });

  test("exists once per call of two functions", async () => {
    const found = await notes(async (played) => {
      await played.call(token, a(1), "deposit", [1n]);
      await played.call(token, a(1), "withdraw", [1n]);
    });
    expect(found).toEqual(["deposit", "withdraw"]);
  });

  test("exists once per trigger, for an event and a call", async () => {
    const found = await notes(async (played) => {
      await played.emit(token, a(1), "Minted", [1n], { logIndex: 0 });
      await played.call(token, a(1), "deposit", [1n]);
    });
    expect(found).toEqual(["deposit", "minted"]);
  });

  test("with the trigger's name in the ABI is of the trigger's type, even if that was prefixed", async () => {
    const played = built.play();
    await played.emit(token, a(1), "Transfer", [a(8), a(9), 5n]);
    await played.emit(nft, a(2), "Transfer", [a(8), a(9), 6n]);
    expect(played.all("TokenTransfer")).toMatchObject([{ value: 5n, extra: true }]);
    expect(played.all("NftTransfer")).toMatchObject([{ tokenId: 6n }]);
  });
});
