import { beforeAll, describe, expect, it } from "vitest";
import { type Compilation, renderText } from "../../../src/exports/index.js";
import type { LogLine } from "../../../src/runtime/indexer/handler-world.js";
import { type Contract, type RawLog, type RawReceipt, useAnvil } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { buildConfig, type Ran, runOn } from "../harness.js";
import { answered, byId, deployFrom, idOf, logOf, type Watched, watch, wordsOf } from "./expected.js";
import { DEBUGGED, FAILING, HANDLERS, IMPORTED, SOURCE } from "./options.js";

const anvil = useAnvil();
let built: Compilation;
let ran: Ran;
let watched: Watched;
const lines: (readonly [block: number, line: LogLine])[] = [];
let contract: Contract;
/** Contracts with the same code but different enrichments. */
let talking: Contract;
let giving: Contract;
let quiet: Contract;
let declared: RawLog;
let receipt: RawReceipt;
const debuggings = new Map<string, RawLog>();
let text: RawLog;

beforeAll(async () => {
  contract = await deployFrom(anvil(), SOURCE, "Options");
  talking = await deployFrom(anvil(), SOURCE, "Options");
  giving = await deployFrom(anvil(), SOURCE, "Options");
  quiet = await deployFrom(anvil(), SOURCE, "Options");
  const order = [anvil().account(3), 20n, [anvil().account(4), 300n]];
  declared = logOf(await anvil().send(contract, "fireDeclared", [talking.address, 5n, order]));
  receipt = await anvil().send(contract, "fireReceipt", [contract.address, 3n]);
  for (const amount of [0n, 4n, 5n]) {
    debuggings.set(`talking ${amount}`, logOf(await anvil().send(talking, "fireDebugged", [amount])));
  }
  debuggings.set("giving 4", logOf(await anvil().send(giving, "fireDebugged", [4n])));
  debuggings.set("quiet 4", logOf(await anvil().send(quiet, "fireDebugged", [4n])));
  const json = `0x${Buffer.from('{ "answer": 42 }').toString("hex")}`;
  text = logOf(await anvil().send(contract, "fireImported", [json]));

  const { abi } = compileContract(SOURCE, "Options");
  const instance = ({ address }: Contract, enrich: object): object => {
    return { abi: "Options", address, startBlock: 0, chain: "mainnet", enrich };
  };
  built = await buildConfig({
    abis: { Options: abi },
    instances: [
      instance(contract, {
        options: { imports: ["JSONValueKind"] },
        handlers: { ...HANDLERS, ...IMPORTED },
      }),
      instance(talking, { options: { debugging: true }, handlers: DEBUGGED }),
      instance(giving, { options: { debugging: true }, handlers: FAILING }),
      instance(quiet, { handlers: DEBUGGED }),
    ],
  });
  watched = watch(anvil());
  ran = await runOn(watched.chain, built, {
    onBlock: (block, outcome) => {
      for (const line of outcome.lines) lines.push([block.number, line]);
    },
  });
  expect(ran.failure).toBeUndefined();
});

const linesAt = (name: string): readonly string[] => {
  const log = debuggings.get(name);
  return lines.filter(([block]) => block === Number(log?.blockNumber)).map(([, { message }]) => message);
};

describe("declared: true", () => {
  it("makes declared calls in one batch before the handler, which makes the others itself", () => {
    const batches = watched.batches.filter(([read]) => read?.block === Number(declared.blockNumber));
    const words = batches.map((batch) => batch.map((read) => wordsOf(read, [contract])));
    const own = contract.address;
    const ahead: readonly unknown[] = [
      [own, "balanceOf(address)", sameAddress(talking.address)],
      [own, "balanceOf(address)", sameAddress(anvil().account(3))],
      [own, "balanceOf(address)", sameAddress(anvil().account(4))],
      [own, "sum(uint256,uint256)", 5n, 300n],
      [talking.address, "number()"],
      ["0x00000000000000000000000000000000000000e5", "number()"],
      [own, "broken()"],
    ];
    expect(words).toHaveLength(2);
    expect(words[0]).toHaveLength(ahead.length);
    expect(words[0]).toEqual(expect.arrayContaining([...ahead]));
    expect(words[1]).toEqual([[own, "balanceOf(address)", sameAddress(anvil().account(0))]]);
    expect(renderText(built.diagnostics)).toMatch(/not-declarable[\s\S]*event\.transaction\.from/);
  });

  it("returns the same results as direct calls", async () => {
    const at = declared.blockNumber;
    const balance = async (of: string): Promise<unknown> =>
      (await answered(anvil(), contract, "balanceOf", [of], at))[0];
    const [number] = await answered(anvil(), talking, "number", [], at);
    expect(byId(await ran.all("Told"), idOf(declared))).toEqual({
      id: idOf(declared),
      declared: idOf(declared),
      own: await balance(talking.address),
      maker: await balance(anvil().account(3)),
      payee: await balance(anvil().account(4)),
      sum: 305n,
      elsewhere: number,
      brokenGone: true,
      computed: 0n,
    });
    expect(await balance(anvil().account(4))).toBe(300n);
  });

  function sameAddress(address: string): unknown {
    return expect.stringMatching(new RegExp(`^${address}$`, "i"));
  }
});

describe("an expression that reads event.receipt", () => {
  it("receives the receipt, with all logs of the transaction", async () => {
    const last = logOf(receipt, 2);
    const gas = {
      used: BigInt(receipt.gasUsed),
      logs: 3,
      topic: last.topics[0],
      data: last.data,
      status: 1,
    };
    const expected = receipt.logs.map((log) => ({ id: idOf(log), receipt: idOf(log), ...gas }));
    expect(await ran.all("Gas")).toEqual(expected);
  });
});

describe("options.debugging", () => {
  it("logs successful and reverted calls, and the saved entity", () => {
    const id = idOf(debuggings.get("talking 4") as RawLog);
    const said = linesAt("talking 4");
    expect(said).toHaveLength(4);
    expect(said[0]).toMatch(/broken.*reverted/);
    expect(said[1]).toMatch(/number.*made/);
    expect(said[2]).toMatch(/sum.*made/);
    expect(said[3]).toMatch(/saved.*Traced/);
    expect(said[3]).toContain(id);
  });

  it("logs why the enrichment was aborted", () => {
    expect(linesAt("talking 0").at(-1)).toMatch(/aborted.*before.*number.*false/);
    expect(linesAt("talking 5").at(-1)).toMatch(/aborted.*after.*sum.*false/);
    expect(linesAt("giving 4").join("\n")).toMatch(/broken.*reverted\n.*aborted.*broken/);
  });

  it("logs nothing when it is not set", async () => {
    expect(linesAt("quiet 4")).toEqual([]);
    const traced = (await ran.all("Traced")).map(({ id }) => id);
    expect(traced).toContain(idOf(debuggings.get("quiet 4") as RawLog));
  });
});

describe("options.imports", () => {
  it("imports the named values, and the default imports stay available", async () => {
    expect(byId(await ran.all("Parsed"), idOf(text))).toEqual({
      id: idOf(text),
      imported: idOf(text),
      answer: 42n,
      kind: 5,
      isObject: true,
    });
  });
});
