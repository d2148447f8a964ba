import { beforeAll, describe, expect, it } from "vitest";
import { useAnvil } from "../support/chain/anvil.js";
import { graphloom, workplace } from "./harness.js";
import { exampleFolder, type Traded, trade } from "./run/chains.js";

const anvil = useAnvil();
let traded: Traded;
beforeAll(async () => {
  traded = await trade(anvil(), 7);
});

/** Runs the Uniswap example on the local chain. */
function runExample(options: string): ReturnType<typeof graphloom> {
  const first = options.includes("--from-block") ? "" : "--from-block 0";
  return graphloom(
    exampleFolder(traded.factory),
    `run subgraph.json --rpc mainnet=${anvil().url} ${first} ${options}`,
  );
}

/** The expected `Swap` entities according to the receipts: id, block and amounts. */
function expectedSwaps(): readonly object[] {
  return traded.swaps.flatMap(({ transactionHash, blockNumber, logs }) =>
    logs.flatMap((log) => {
      const event = traded.pool.interface.parseLog({ topics: [...log.topics], data: log.data });
      if (event?.name !== "Swap") return [];
      return [
        {
          id: `${transactionHash}-${Number(log.logIndex)}`,
          block_number: String(Number(blockNumber)),
          amount0: String(event.args.getValue("amount0")),
          amount1: String(event.args.getValue("amount1")),
          tick: Number(event.args.getValue("tick")),
        },
      ];
    }),
  );
}

describe("run with the Uniswap example", () => {
  it("prints tables of at most 80 columns", async () => {
    const { code, out, err } = await runExample("");
    expect([code, err]).toEqual([0, ""]);
    const head = await anvil().blockNumber();
    const lines = out.split("\n");
    expect(lines[0]).toMatch(
      new RegExp(`^mainnet: blocks 0 to ${head}, ${7 + traded.swaps.length} triggers, \\d+ calls$`),
    );
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    const title = lines.indexOf("Swap: 7, showing the last 5");
    expect(lines[title + 1]).toMatch(/^ {2}id +sender +recipient +amount0 +amount1/);
    const last = traded.swaps.slice(-5).map(({ transactionHash: hash }) => hash);
    const ids = lines.slice(title + 2, title + 7).map((line) => line.trim().split(/\s+/)[0]);
    expect(ids).toEqual(last.map((hash) => `${hash.slice(0, 6)}…${hash.slice(-4)}-2`));
    expect(lines[title + 7]).toMatch(/^ {2}no room to show: .*block_number/);
    expect(out).toContain("\nPool: 1, written 8 times\n");
    expect(out).toMatch(/\nno entities: Burn, Collect, .*\n {2}.*SetFeeProtocol\n$/);
  });

  it("prints one JSON document that agrees with the receipts", async () => {
    const { code, out, err } = await runExample("--output json");
    expect([code, err]).toEqual([0, ""]);
    const document = JSON.parse(out);
    expect(Object.keys(document)).toEqual(["mainnet"]);
    const { blocks, triggers, calls, entities } = document.mainnet;
    expect(blocks).toEqual({ first: 0, last: await anvil().blockNumber() });
    expect([triggers, typeof calls]).toEqual([14, "number"]);
    expect(entities.Swap).toEqual(expectedSwaps().map((swap) => expect.objectContaining(swap)));
    expect(entities.Pool).toMatchObject([{ id: traded.pool.address, pair: "BBB/AAA", feePercent: "0.3" }]);
    expect(entities.SwapVolume[0]).toMatchObject({ isBuy: false, amount0: "0.001" });
    expect(entities.Burn).toEqual([]);
  });

  it("prints a JSON line per entity, limited by --entity and --last", async () => {
    const { code, out } = await runExample("--output ndjson --entity Swap --entity Pool --last 2");
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const [before, last] = expectedSwaps().slice(-2);
    const block = Number(traded.swaps.at(-1)?.blockNumber);
    expect(lines).toEqual([
      { chain: "mainnet", type: "Swap", block: block - 1, entity: expect.objectContaining(before) },
      { chain: "mainnet", type: "Swap", block, entity: expect.objectContaining(last) },
      {
        chain: "mainnet",
        type: "Pool",
        block,
        entity: expect.objectContaining({ id: traded.pool.address, swap: lines[1].entity.id }),
      },
    ]);
  });

  it("ends at the block given with --blocks or --to-block", async () => {
    const first = Number(traded.swaps[0]?.blockNumber);
    const some = await runExample(`--blocks ${first + 2} --output json --entity Swap`);
    expect(JSON.parse(some.out).mainnet).toMatchObject({
      blocks: { first: 0, last: first + 1 },
      entities: { Swap: expectedSwaps().slice(0, 2) },
    });
    const fewer = await runExample(`--to-block ${first} --output json --entity Swap`);
    expect(JSON.parse(fewer.out).mainnet.entities.Swap).toHaveLength(1);
  });

  it("reports that the chain ends before the start block", async () => {
    const cwd = exampleFolder(traded.factory);
    const { code, out, err } = await graphloom(cwd, `run subgraph.json --rpc ${anvil().url}`);
    expect([code, out]).toEqual([1, ""]);
    const head = await anvil().blockNumber();
    expect(err).toBe(
      `mainnet ends at block ${head}, before the first block to index, 12369621. ` +
        "For a local chain, pass --from-block 0\n",
    );
    const beyond = await runExample(`--from-block ${head + 1}`);
    expect([beyond.code, beyond.err]).toEqual([
      1,
      expect.stringMatching(/ before the first block to index, \d+\.\n$/),
    ]);
  });
});

describe("the command line of run", () => {
  it.each([
    [
      "",
      "No node to index from. Pass --rpc mainnet=<url>, or set GRAPHLOOM_RPC_MAINNET. Chains in the configuration: mainnet",
    ],
    ["--rpc base=http://h", '--rpc: unknown chain "base". Chains in the configuration: mainnet'],
    ["--rpc http://h --entity swap", '--entity: unknown entity type "swap". Did you mean Swap?'],
    ["--rpc http://h --blocks 0", "--blocks must be a whole number, 1 or more."],
    ["--rpc http://h --last x", "--last must be a whole number, 0 or more."],
    ["--rpc http://h --from-block 7 --to-block 6", "--to-block is before --from-block."],
    [
      "--rpc http://h --output json --format json",
      "--output json and --format json both write to standard output",
    ],
    ["--rpc http://h --blocks 5 --to-block 6", "mutually exclusive"],
    ["--rpc http://h --patience 1 --patience 2", "Pass --patience only once."],
  ])("is rejected: %s", async (options, message) => {
    const { code, out, err } = await graphloom(exampleFolder(traded.factory), `run subgraph.json ${options}`);
    expect([code, out === ""]).toEqual([2, !options.includes("--output json")]);
    expect(err).toContain(message);
  });

  it("gets the node's address from the environment", async () => {
    const { code, out } = await graphloom(
      exampleFolder(traded.factory),
      "run subgraph.json --from-block 0 --blocks 1 --output json",
      { env: { GRAPHLOOM_RPC_MAINNET: anvil().url } },
    );
    expect([code, JSON.parse(out).mainnet.blocks]).toEqual([0, { first: 0, last: 0 }]);
  });

  it("is explained by run --help", async () => {
    const { code, out } = await graphloom(workplace(), "run --help");
    expect(code).toBe(0);
    for (const name of [
      "rpc",
      "blocks",
      "from-block",
      "to-block",
      "watch",
      "database",
      "entity",
      "last",
      "output",
      "patience",
      "verify",
    ])
      expect(out).toContain(`--${name}`);
  });

  it("reports errors in the configuration like the other commands", async () => {
    const cwd = workplace({ "c.json": "[]" });
    const { code, out, err } = await graphloom(cwd, "run c.json --rpc http://h");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^error\[wrong-type\]/);
  });
});
