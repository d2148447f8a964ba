import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";

const token = [
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event Transfer(address from, uint256 amount)",
  "event Transfer(uint8 kind)",
];
const nft = ["event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)"];
const other = ["event Paused(address account)"];
const factory = [
  "event Created(uint256 indexed salt, address vault, address indexed pair)",
  "event Created(address vault)",
];
const vault = ["event Opened(address by)", "event Spawned(address child)"];
const pair = ["event Swapped(uint8 kind)"];

const renamed = [
  `event Names(uint256 id, uint256 timestamp, address _from, address from, uint256 amount_in, uint256 block_number,
    bool token_not, uint256 tokenID, uint256 tokenId, uint256 a__b, address transactionHash, uint256 contractId_)`,
];

let built: BuiltScenario;
beforeAll(async () => {
  const listens = (addressParam: string, eventSignature: string) => ({
    abi: "Factory",
    eventSignature,
    addressParam,
  });
  built = await buildScenario({
    abis: {
      Token: token,
      Nft: nft,
      Other: other,
      Factory: factory,
      Vault: vault,
      Pair: pair,
      Renamed: renamed,
    },
    instances: [
      instance("Token", a(1)),
      instance("Token", a(2)),
      instance("Nft", a(3)),
      instance("Other", a(4)),
      instance("Factory", a(5)),
      instance("Renamed", a(6)),
      { abi: "Vault", source: listens("vault", "Created(uint256,address,address)") },
      { abi: "Pair", source: listens("pair", "Created(uint256,address,address)") },
      { abi: "Vault", source: { abi: "Vault", eventSignature: "Spawned(address)", addressParam: "child" } },
    ],
  });
});

describe("an event", () => {
  test("is stored with the base fields, first and in order", async () => {
    const played = built.play();
    await played.emit(other, a(4), "Paused", [a(0xaa)], { transaction: id("t"), logIndex: 7 });
    expect(played.all("Paused")).toEqual([
      {
        id: `${id("t")}-7`,
        block_number: 100n,
        timestamp_: 1_600_001_200n,
        transactionHash_: id("t"),
        contractId_: a(4),
        account: a(0xaa),
      },
    ]);
    const base = ["id", "block_number", "timestamp_", "transactionHash_", "contractId_"];
    expect(built.schema.fieldsOf("Paused")).toEqual([...base, "account"]);
    const types = base.map((field) => built.schema.typeOf("Paused", field));
    expect(types).toEqual(["ID!", "BigInt!", "BigInt!", "String!", "String!"]);
    expect(built.schema.isImmutable("Paused")).toBe(true);
  });

  test("of every address with the ABI is stored with the address that emitted it", async () => {
    const played = built.play();
    for (const [address, transaction] of [
      [a(1), id("x")],
      [a(2), id("y")],
    ] as const) {
      await played.emit(token, address, "Transfer(uint8)", [1n], { transaction });
    }
    const stored = played.all("Transfer2");
    expect(stored.map(({ contractId_ }) => contractId_).sort()).toEqual([a(1), a(2)]);
  });

  test("may be overloaded: overloads are numbered as in graph-cli, and clashing types get the ABI's name", async () => {
    const played = built.play();
    await played.emit(token, a(1), "Transfer(address,address,uint256)", [a(8), a(9), 5n]);
    await played.emit(token, a(1), "Transfer(address,uint256)", [a(8), 6n]);
    await played.emit(token, a(1), "Transfer(uint8)", [7n]);
    await played.emit(nft, a(3), "Transfer", [a(8), a(9), 10n]);
    expect(played.all("TokenTransfer")).toMatchObject([{ from: a(8), to: a(9), value: 5n }]);
    expect(played.all("NftTransfer")).toMatchObject([{ from: a(8), to: a(9), tokenId: 10n }]);
    expect(played.all("Transfer1")).toMatchObject([{ from: a(8), amount: 6n }]);
    expect(played.all("Transfer2")).toMatchObject([{ kind: 7 }]);
  });
});

describe("templates", () => {
  test("are created from the parameters that hold their addresses", async () => {
    const played = built.play();
    await played.emit(factory, a(5), "Created(uint256,address,address)", [1n, a(0x11), a(0x12)]);
    expect(played.created.toSorted((x, y) => (x.address < y.address ? -1 : 1))).toEqual([
      { template: "Vault", address: a(0x11) },
      { template: "Pair", address: a(0x12) },
    ]);
    await played.emit(vault, a(0x11), "Opened", [a(7)]);
    expect(played.all("Opened")).toMatchObject([{ by: a(7), contractId_: a(0x11) }]);
    await played.emit(pair, a(0x12), "Swapped", [7n]);
    expect(played.all("Swapped")).toMatchObject([{ kind: 7, contractId_: a(0x12) }]);
  });

  test("are created by templates too, but not by other overloads", async () => {
    const played = built.play();
    await played.emit(factory, a(5), "Created(address)", [a(0x11)]);
    expect(played.created).toEqual([]);
    await played.emit(factory, a(5), "Created(uint256,address,address)", [1n, a(0x11), a(0x12)]);
    await played.emit(vault, a(0x11), "Spawned", [a(0x13)]);
    expect(played.created.at(-1)).toEqual({ template: "Vault", address: a(0x13) });
    await played.emit(vault, a(0x13), "Opened", [a(7)]);
    expect(played.all("Opened")).toMatchObject([{ contractId_: a(0x13) }]);
  });
});

test("renamed fields hold the right values", async () => {
  const played = built.play();
  await played.emit(renamed, a(6), "Names", [1n, 2n, a(3), a(4), 5n, 6n, true, 8n, 9n, 10n, a(11), 12n]);
  const [{ id: _, ...entity } = {}] = played.all("Names");
  expect(entity).toMatchObject({
    idParam: 1n,
    timestampParam: 2n,
    timestamp_: 1_600_001_200n,
    amount_inParam: 5n,
    block_numberParam: 6n,
    block_number: 100n,
    token_notParam: true,
    a_bParam: 10n,
    transactionHashParam: a(11),
    transactionHash_: id("transaction"),
    contractId_Param: 12n,
    contractId_: a(6),
  });
  // When two names clash, the first one keeps it.
  expect(entity).toMatchObject({ from: a(3), fromParam: a(4), tokenID: 8n, tokenIdParam: 9n });
  expect(built.said.filter((text) => text.startsWith("field-renamed"))).toHaveLength(10);
});
