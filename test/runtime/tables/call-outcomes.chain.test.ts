import type { Result } from "ethers";
import { beforeAll, describe, expect, it } from "vitest";
import { type Compilation, renderText } from "../../../src/exports/index.js";
import type { RawLog, RawReceipt } from "../../support/chain/anvil.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { buildConfig, type PlainEntity, type Ran, runOn } from "../harness.js";
import {
  answered,
  ask,
  baseOfLog,
  byId,
  deployFrom,
  idOf,
  logOf,
  readsAt,
  type Watched,
  watch,
} from "./expected.js";
import { FAILURES, HANDLERS, SENT, SOURCE } from "./outcomes.js";

const anvil = useAnvil();
let built: Compilation;
let ran: Ran;
let watched: Watched;
/** In the order of their references: the last one's `next` is the second. */
let contract: Contract;
let second: Contract;
let third: Contract;
const receipts = new Map<string, RawReceipt>();

beforeAll(async () => {
  third = await deployFrom(anvil(), SOURCE, "Outcomes", [anvil().account(5)]);
  second = await deployFrom(anvil(), SOURCE, "Outcomes", [third.address]);
  contract = await deployFrom(anvil(), SOURCE, "Outcomes", [second.address]);
  for (const [event, kind, value] of SENT) {
    receipts.set(`${event} ${kind} ${value}`, await anvil().send(contract, `fire${event}`, [kind, value]));
  }
  const { abi } = compileContract(SOURCE, "Outcomes");
  built = await buildConfig({
    abis: { Outcomes: abi },
    instances: [
      {
        abi: "Outcomes",
        address: contract.address,
        startBlock: 0,
        chain: "mainnet",
        enrich: { handlers: HANDLERS },
      },
    ],
  });
  watched = watch(anvil());
  ran = await runOn(watched.chain, built);
});

/** The log of a sent event. */
function sent(event: string, kind: number, value = 7): RawLog {
  const receipt = receipts.get(`${event} ${kind} ${value}`);
  if (!receipt) throw new Error(`${event} ${kind} ${value} was not sent`);
  return logOf(receipt);
}

/** The entities of a type that an event created. */
async function madeBy(log: RawLog, type: string): Promise<readonly PlainEntity[]> {
  return (await ran.all(type)).filter(({ id }) => id === idOf(log));
}

const asked = (log: RawLog) => readsAt(watched, log.blockNumber, [contract]);

describe("a reverted call that is neither required nor a dependency", () => {
  /** The expected `Seen` entity, by querying the contract. */
  async function seen(log: RawLog, kind: number): Promise<PlainEntity> {
    const direct = (name: string) => ask(anvil(), contract, name, [kind], log.blockNumber);
    const names = ["number", "small", "flag", "text", "list", "digest", "next", "place", "pair"];
    const answers = new Map<string, Result | undefined>();
    for (const name of names) answers.set(name, await direct(name));
    const only = (name: string): unknown => answers.get(name)?.[0];
    const list: Result | undefined = answers.get("list")?.[0];
    const gone = names.map((name) => [`${name}Gone`, answers.get(name) === undefined]);
    const all = {
      id: idOf(log),
      optional: idOf(log),
      number: only("number"),
      small: only("small") === undefined ? undefined : Number(only("small")),
      flag: only("flag"),
      text: only("text"),
      list: list?.toArray(),
      digest: only("digest"),
      next: String(only("next") ?? "none").toLowerCase(),
      tick: Number(answers.get("place")?.[0].tick ?? 1),
      left: answers.get("pair")?.left ?? -1n,
      ...Object.fromEntries(gone),
      nobodyGone: true,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }

  it.each(FAILURES)("leaves its result of any type unset, and sets _reverted (%i: %s)", async (kind) => {
    const log = sent("Optional", kind);
    const expected = await seen(log, kind);
    expect(expected).toMatchObject({ flagGone: true, numberGone: true, pairGone: true });
    for (const name of ["number", "small", "flag", "text"]) expect(expected).not.toHaveProperty(name);
    expect(await madeBy(log, "Seen")).toEqual([expected]);
  });

  it("differs from a successful call, which returns the result as of the block and leaves _reverted false", async () => {
    const log = sent("Optional", 0);
    const expected = await seen(log, 0);
    expect(expected).toMatchObject({ number: 7n, small: 207, flag: true, text: "some", numberGone: false });
    expect(expected).toMatchObject({ next: second.address, tick: -7, left: 7n, nobodyGone: true });
    expect(await madeBy(log, "Seen")).toEqual([expected]);
  });

  it("is not confused with an empty or zero result", async () => {
    const log = sent("Optional", 0, 0);
    const expected = await seen(log, 0);
    expect(expected).toMatchObject({ number: 0n, flag: false, flagGone: false, text: "", list: [] });
    expect(await madeBy(log, "Seen")).toEqual([expected]);
  });
});

describe("calls.<ref>_reverted", () => {
  it("can control later calls and fields", async () => {
    const [fine, reverted] = [sent("Flags", 0), sent("Flags", 2)];
    const [level] = await answered(anvil(), contract, "level", [], fine.blockNumber);
    const made = { id: idOf(fine), flags: idOf(fine), level, small: 207 };
    expect(await madeBy(fine, "Flagged")).toEqual([made]);
    expect(await madeBy(reverted, "Flagged")).toEqual([]);
    expect(asked(reverted)).toEqual([[contract.address, "small(uint8)", 2n]]);
  });
});

describe("a reverted call that is required, or named in depends_on", () => {
  it.each(
    FAILURES,
  )("aborts the enrichment without writes or further calls, and keeps the trigger's entity (%i: %s)", async (kind) => {
    const log = sent("Required", kind);
    expect(await madeBy(log, "Kept")).toEqual([]);
    const own = { ...(await baseOfLog(anvil(), log)), how: kind, amount: 7n };
    expect(byId(await ran.all("Required"), idOf(log))).toEqual(own);
    expect(asked(log)).toEqual([
      [contract.address, "level()"],
      [contract.address, "text(uint8)", BigInt(kind)],
    ]);
  });

  it("never fails the subgraph, and the next event is enriched", async () => {
    expect(ran.failure).toBeUndefined();
    expect(await madeBy(sent("Required", 0, 8), "Kept")).toHaveLength(1);
  });

  it("does not abort when the call succeeds", async () => {
    const log = sent("Required", 0);
    const [text] = await answered(anvil(), contract, "text", [0], log.blockNumber);
    expect(await madeBy(log, "Kept")).toEqual([{ id: idOf(log), required: idOf(log), text }]);
    expect(byId(await ran.all("Required"), idOf(log))).toMatchObject({ text, amount: 7n });
    expect(asked(log)).toHaveLength(3);
  });

  it("also aborts as a dependency, and its dependent is not called", async () => {
    const log = sent("Dependency", 2);
    expect(await madeBy(log, "Dependent")).toEqual([]);
    expect(await madeBy(log, "Dependency")).toHaveLength(1);
    expect(asked(log)).toEqual([[contract.address, "next(uint8)", 2n]]);
  });

  it("passes its result to its dependent when it succeeds", async () => {
    const log = sent("Dependency", 0);
    const made = { id: idOf(log), dependency: idOf(log), next: second.address, level: 100n };
    expect(await madeBy(log, "Dependent")).toEqual([made]);
  });
});

describe("conditions.pre", () => {
  it("that is false aborts before the call is made", async () => {
    const log = sent("Pre", 0, 10);
    expect(await madeBy(log, "Above")).toEqual([]);
    expect(await madeBy(log, "Pre")).toHaveLength(1);
    expect(asked(log)).toEqual([]);
  });

  it("that is true allows the call, which may still revert", async () => {
    const answers = [sent("Pre", 0, 11), sent("Pre", 2, 11)];
    const [number] = await answered(anvil(), contract, "number", [0], sent("Pre", 0, 11).blockNumber);
    expect(number).toBe(11n);
    const made = await Promise.all(answers.map((log) => madeBy(log, "Above")));
    expect(made.flat()).toEqual([
      { id: idOf(answers[0] as RawLog), pre: idOf(answers[0] as RawLog), number, level: 100n },
      { id: idOf(answers[1] as RawLog), pre: idOf(answers[1] as RawLog), level: 100n },
    ]);
  });
});

describe("conditions.post", () => {
  it("that is false aborts, with the result in scope, before later calls", async () => {
    const log = sent("Post", 0, 10);
    expect(await madeBy(log, "Checked")).toEqual([]);
    expect(await madeBy(log, "Post")).toHaveLength(1);
    expect(asked(log)).toEqual([[contract.address, "number(uint8)", 0n]]);
  });

  it("that is true continues", async () => {
    const log = sent("Post", 0, 11);
    const [number] = await answered(anvil(), contract, "number", [0], log.blockNumber);
    expect(await madeBy(log, "Checked")).toEqual([{ id: idOf(log), post: idOf(log), number, level: 100n }]);
  });

  it("is not evaluated for a reverted call, which aborts", async () => {
    expect(await madeBy(sent("Post", 2, 11), "Checked")).toEqual([]);
    expect(asked(sent("Post", 2, 11))).toHaveLength(1);
    expect(await madeBy(sent("BarePost", 2), "Certain")).toEqual([]);
    expect(await madeBy(sent("BarePost", 0), "Certain")).toHaveLength(1);
    expect(ran.failure).toBeUndefined();
  });
});

describe("depends_on", () => {
  it("lets calls use the results of earlier calls, in the written order", async () => {
    const log = sent("Order", 0);
    expect(asked(log)).toEqual([
      [contract.address, "level()"],
      [contract.address, "next(uint8)", 0n],
      [second.address, "next(uint8)", 0n],
      [third.address, "number(uint8)", 0n],
    ]);
    const [last] = await answered(anvil(), third, "number", [0], log.blockNumber);
    const made = { id: idOf(log), order: idOf(log), after: third.address, last };
    expect(await madeBy(log, "Chain")).toEqual([made]);
  });

  it("does not make the dependent required", async () => {
    const log = sent("Order", 3);
    const made = { id: idOf(log), order: idOf(log), after: third.address };
    expect(await madeBy(log, "Chain")).toEqual([made]);
  });
});

describe("reading calls.<ref> before that call has run", () => {
  it("yields null with a warning, and its value afterwards", async () => {
    const log = sent("NotYet", 0);
    const [number] = await answered(anvil(), contract, "number", [0], log.blockNumber);
    const made = { id: idOf(log), notYet: idOf(log), early: number, afterwards: number };
    expect(await madeBy(log, "Early")).toEqual([made]);
    expect(renderText(built.diagnostics)).toMatch(/warning.*call-not-made-yet/);
  });
});
