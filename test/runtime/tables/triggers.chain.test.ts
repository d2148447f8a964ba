import { AbiCoder, id as hashOf, Interface, keccak256, toUtf8Bytes } from "ethers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Compilation } from "../../../src/exports/index.js";
import { type Contract, type RawLog, type RawReceipt, useAnvil } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { buildConfig, type Ran, runOn } from "../harness.js";
import { answered, baseOfLog, byId, deployFrom, idOf, logOf, paramsOf } from "./expected.js";

const SOURCE = `
contract Events {
  struct Item { address to; uint8 kind; uint64 amount; }
  struct Terms { uint8 kind; string note; }
  struct Order { address maker; Terms terms; uint256[] ids; uint8[][] grid; }
  event Hashed(string indexed text, bytes indexed data, uint256[] indexed list, string plain);
  event HashedPair(address[2] indexed pair);
  event Unnamed(address indexed, uint256, uint256[] list);
  event Structs(Order order, Item[] items, Item[2] pair);
  event Repeated(uint256 x);
  function fireHashed(string calldata text, bytes calldata data, uint256[] calldata list) external {
    emit Hashed(text, data, list, text);
  }
  function fireHashedPair(address[2] calldata pair) external { emit HashedPair(pair); }
  function fireUnnamed(address who, uint256 x, uint256[] calldata list) external { emit Unnamed(who, x, list); }
  function fireStructs(Order calldata order, Item[] calldata items, Item[2] calldata pair) external {
    emit Structs(order, items, pair);
  }
  function fireRepeated(uint256 x, uint256 count) external {
    for (uint256 i = 0; i < count; i++) emit Repeated(x);
  }
}
contract Leaf {
  event Grown(uint256 size);
  uint256 public size;
  constructor(uint256 size_) { size = size_; emit Grown(size_); }
  function grow(uint256 by) external { size += by; emit Grown(size); }
}
contract Branch {
  event LeafMade(address indexed leaf, uint256 size);
  Leaf[] public leaves;
  function make(uint256 size) external {
    Leaf leaf = new Leaf(size);
    leaves.push(leaf);
    emit LeafMade(address(leaf), size);
  }
}
contract Trunk {
  event BranchMade(Branch branch, string name);
  Branch[] public branches;
  function make(string calldata name) public returns (Branch branch) {
    branch = new Branch();
    branches.push(branch);
    emit BranchMade(branch, name);
  }
  function makeBoth(string calldata name, uint256 size) external { make(name).make(size); }
}`;

const leafHandlers = {
  Grown: {
    calls: { size: { name: "size", required: true } },
    entities: {
      Growth: { "size uint256": "calls.size", "leaf address": "event.address.toHexString()" },
    },
  },
};
const branchHandlers = {
  LeafMade: {
    calls: { size: { abi: "Leaf", name: "size", source: "event.params.leaf", declared: true } },
    entities: {
      Planted: [
        {
          id: "event.params.leaf.toHexString()",
          explicit_id: true,
          mapping: { "size uint256": "calls.size" },
        },
      ],
    },
  },
};

const anvil = useAnvil();
let built: Compilation;
let ran: Ran;
let events: Contract;
let trunk: Contract;
let hashed: RawLog;
let hashedPair: RawLog;
let unnamed: RawLog;
let structs: RawLog;
let repeated: RawReceipt;
let both: RawReceipt;
let first: RawReceipt;
let grown: RawReceipt;
let branch: Contract;
let leaf: Contract;
const pair = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];
const order = [pair[0], [3n, "note \u{1f984}"], [1n, 2n], [[1n], [2n, 255n]]];
const items = [
  [pair[0], 1n, 10n],
  [pair[1], 255n, 20n],
] as const;

beforeAll(async () => {
  events = await deployFrom(anvil(), SOURCE, "Events");
  trunk = await deployFrom(anvil(), SOURCE, "Trunk");
  // No branch created this leaf, so its events must not be indexed.
  const stray = await deployFrom(anvil(), SOURCE, "Leaf", [9]);
  const fire = (name: string, args: readonly unknown[]) => anvil().send(events, `fire${name}`, args);
  hashed = logOf(await fire("Hashed", ["hello", "0x0102", [1n, 2n]]));
  hashedPair = logOf(await fire("HashedPair", [pair]));
  unnamed = logOf(await fire("Unnamed", [pair[1], 2n, [3n]]));
  structs = logOf(await fire("Structs", [order, items, items]));
  repeated = await fire("Repeated", [7n, 3n]);
  first = await anvil().send(trunk, "make", ["first"]);
  both = await anvil().send(trunk, "makeBoth", ["second", 4n]);
  branch = { ...abiOf("Branch"), address: addressIn(trunk, first, 0, "branch") };
  leaf = { ...abiOf("Leaf"), address: addressIn(branch, both, 2, "leaf") };
  await anvil().send(branch, "make", [5n]);
  grown = await anvil().send(leaf, "grow", [2n]);
  await anvil().send(stray, "grow", [2n]);
  const template = (abi: string, source: string, eventSignature: string, addressParam: string) => ({
    abi,
    source: { abi: source, eventSignature, addressParam },
  });
  built = await buildConfig({
    abis: Object.fromEntries(
      ["Events", "Trunk", "Branch", "Leaf"].map((name) => [name, compileContract(SOURCE, name).abi]),
    ),
    instances: [
      { abi: "Events", address: events.address, startBlock: 0, chain: "mainnet" },
      { abi: "Trunk", address: trunk.address, startBlock: 0, chain: "mainnet" },
      {
        ...template("Branch", "Trunk", "BranchMade(address,string)", "branch"),
        enrich: { handlers: branchHandlers },
      },
      {
        ...template("Leaf", "Branch", "LeafMade(indexed address,uint256)", "leaf"),
        enrich: { handlers: leafHandlers },
      },
    ],
  });
  ran = await runOn(anvil(), built);
  expect(ran.failure).toBeUndefined();
});

function abiOf(name: string): Pick<Contract, "interface"> {
  return { interface: new Interface(compileContract(SOURCE, name).abi) };
}

/** An address from an event. */
function addressIn(contract: Contract, receipt: RawReceipt, log: number, name: string): string {
  return String(paramsOf(contract, logOf(receipt, log))[name]).toLowerCase();
}

describe("the triggering entity", () => {
  it("holds the hashes of indexed strings, bytes and lists", async () => {
    const words = AbiCoder.defaultAbiCoder().encode(["uint256", "uint256"], [1n, 2n]);
    expect(byId(await ran.all("Hashed"), idOf(hashed))).toEqual({
      ...(await baseOfLog(anvil(), hashed)),
      text: keccak256(toUtf8Bytes("hello")),
      data: keccak256("0x0102"),
      list: keccak256(words),
      plain: "hello",
    });
    expect(hashed.topics[1]).toBe(hashOf("hello"));
    const addresses = AbiCoder.defaultAbiCoder().encode(["address", "address"], pair);
    expect(await ran.all("HashedPair")).toEqual([
      { ...(await baseOfLog(anvil(), hashedPair)), pair: keccak256(addresses) },
    ]);
  });

  it("numbers unnamed parameters by position", async () => {
    const [who, x, list] = paramsOf(events, unnamed);
    expect(await ran.all("Unnamed")).toEqual([
      {
        ...(await baseOfLog(anvil(), unnamed)),
        param0: who.toLowerCase(),
        param1: x,
        list: list.toArray(),
      },
    ]);
  });

  it("flattens structs, stores lists of structs as columns, and encodes deeper lists", async () => {
    const [stored, list, two] = paramsOf(events, structs);
    const columns = (name: string, entries: typeof list) => ({
      [`${name}_to`]: entries.map(({ to }: { to: string }) => to.toLowerCase()),
      [`${name}_kind`]: entries.map(({ kind }: { kind: bigint }) => Number(kind)),
      [`${name}_amount`]: entries.map(({ amount }: { amount: bigint }) => amount),
    });
    expect(await ran.all("Structs")).toEqual([
      {
        ...(await baseOfLog(anvil(), structs)),
        order_maker: stored.maker.toLowerCase(),
        order_terms_kind: Number(stored.terms.kind),
        order_terms_note: stored.terms.note,
        order_ids: stored.ids.toArray(),
        order_grid: AbiCoder.defaultAbiCoder().encode(["uint8[][]"], [[[1n], [2n, 255n]]]),
        ...columns("items", list),
        ...columns("pair", two),
      },
    ]);
  });

  it("is created for each of several equal events in a transaction", async () => {
    const expected = await Promise.all(
      repeated.logs.map(async (log) => ({ ...(await baseOfLog(anvil(), log)), x: 7n })),
    );
    expect(await ran.all("Repeated")).toEqual(expected);
    expect(expected).toHaveLength(3);
  });
});

describe("data sources created by a child of a factory", () => {
  it("receive all events of the block that created them, even those logged before the creation", async () => {
    const made = await ran.all("LeafMade", Number(both.blockNumber));
    expect(made).toHaveLength(1);
    const log = both.logs.find(({ address }) => address === leaf.address) as RawLog;
    const creation = both.logs.findIndex(
      ({ address }) => address !== trunk.address && address !== leaf.address,
    );
    expect(Number(log.logIndex)).toBeLessThan(Number(logOf(both, creation).logIndex));
    expect(byId(await ran.all("Grown"), idOf(log))).toEqual({
      ...(await baseOfLog(anvil(), log)),
      size: 4n,
    });
  });

  it("are enriched with the results of their own contracts", async () => {
    const log = logOf(grown);
    const [size] = await answered(anvil(), leaf, "size", [], grown.blockNumber);
    expect(size).toBe(6n);
    expect(byId(await ran.all("Growth"), idOf(log))).toEqual({
      id: idOf(log),
      grown: idOf(log),
      size,
      leaf: leaf.address,
    });
    const planted = byId(await ran.all("Planted"), leaf.address);
    expect(planted).toMatchObject({ size: 4n });
  });

  it("are created only for matching events", async () => {
    expect(await ran.all("BranchMade")).toHaveLength(2);
    expect((await ran.all("LeafMade")).map(({ size }) => size).sort()).toEqual([4n, 5n]);
    expect((await ran.all("Grown")).map(({ size }) => size).sort()).toEqual([4n, 5n, 6n]);
    const sources = await ran.store.dataSources();
    expect(sources.map(({ template }) => template).sort()).toEqual(["Branch", "Branch", "Leaf", "Leaf"]);
    expect(sources.map(({ address }) => address)).toContain(leaf.address);
  });
});
