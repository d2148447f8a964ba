import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";

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
  const host = (chain = "mainnet") => {
    const opened = built.host(`build/${chain}/subgraph.yaml`);
    opened.contracts = () => [9n];
    return opened;
  };

  test.each([
    [1, "mainnet", [{ note: "first", total: 9n }]],
    [2, "mainnet", [{ note: "first", total: 9n }]],
    [3, "mainnet", [{ note: `othermainnet${a(3)}`, total: 9n }]],
    [4, "mainnet", []],
    [1, "base", [{ note: "first", total: 9n }]],
  ] as const)("the enrichment of instance %i on %s is its own", (address, chain, expected) => {
    const opened = host(chain);
    opened.emit(token, a(address), "Minted", [5n]);
    expect(opened.all("Supply")).toMatchObject(expected);
    expect(opened.all("Minted")).toMatchObject([{ amount: 5n, contractId_: a(address) }]);
  });

  test("an event that two ABIs of one address share is stored once, and enriched by whichever says so", () => {
    const opened = host();
    opened.emit(token, a(4), "Transfer", [a(8), a(9), 5n], { transaction: id("t"), logIndex: 1 });
    opened.emit(facet, a(4), "Cut", [a(8)]);
    opened.endBlock();
    expect(opened.all("Transfer")).toMatchObject([{ id: `${id("t")}-1`, value: 5n }]);
    expect(opened.all("Cut")).toHaveLength(1);
    expect(opened.all("Moved")).toMatchObject([{ value: 5n }]);
  });
});

describe("an entity from several triggers of one transaction", () => {
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
  const notes = (run: (host: ReturnType<BuiltScenario["host"]>) => void) => {
    const host = built.host();
    run(host);
    return host
      .all("Movement")
      .map(({ note }) => note)
      .toSorted();
  };

  test("is one per call, of one function", () => {
    const found = notes((host) => {
      host.call(token, a(1), "deposit", [1n]);
      host.call(token, a(1), "deposit", [1n]);
    });
    expect(found).toEqual(["deposit", "deposit"]);
  });

  test("is one per call, of two functions", () => {
    const found = notes((host) => {
      host.call(token, a(1), "deposit", [1n]);
      host.call(token, a(1), "withdraw", [1n]);
    });
    expect(found).toEqual(["deposit", "withdraw"]);
  });

  test("is one per trigger, of an event and a call", () => {
    const found = notes((host) => {
      host.emit(token, a(1), "Minted", [1n], { logIndex: 0 });
      host.call(token, a(1), "deposit", [1n]);
    });
    expect(found).toEqual(["deposit", "minted"]);
  });

  test("with the trigger's ABI name means the trigger's type, also when that was prefixed", () => {
    const host = built.host();
    host.emit(token, a(1), "Transfer", [a(8), a(9), 5n]);
    host.emit(nft, a(2), "Transfer", [a(8), a(9), 6n]);
    expect(host.all("TokenTransfer")).toMatchObject([{ value: 5n, extra: true }]);
    expect(host.all("NftTransfer")).toMatchObject([{ tokenId: 6n }]);
  });
});
