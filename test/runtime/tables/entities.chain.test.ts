import { beforeAll, describe, expect, it } from "vitest";
import { type Compilation, renderText } from "../../../src/exports/index.js";
import { type Contract, type RawLog, useAnvil } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { buildConfig, type PlainEntity, type Ran, runOn } from "../harness.js";
import { HANDLERS, type Sent, SOURCE, useBank } from "./bank.js";
import { answered, baseOfLog, byId, deployFrom, idOf, logOf, paramsOf } from "./expected.js";
import { derivedIds, typesOf } from "./schema.js";

const anvil = useAnvil();
let built: Compilation;
let ran: Ran;
let bank: Contract;
let sent: Sent;

beforeAll(async () => {
  bank = await deployFrom(anvil(), SOURCE, "Bank");
  sent = await useBank(anvil(), bank);
  built = await buildConfig({
    abis: { Bank: compileContract(SOURCE, "Bank").abi },
    instances: [
      { abi: "Bank", address: bank.address, startBlock: 0, chain: "mainnet", enrich: { handlers: HANDLERS } },
    ],
  });
  ran = await runOn(anvil(), built);
  expect(ran.failure).toBeUndefined();
});

/** The entities of a type that a log created. */
async function madeBy(log: RawLog, type: string): Promise<readonly PlainEntity[]> {
  return (await ran.all(type)).filter(({ id }) => String(id).startsWith(idOf(log)));
}

const types = (type: string, ...names: readonly string[]) => typesOf(built, type, names);
const derived = (type: string, field: string, id: string) => derivedIds(built, ran, type, field, id);

describe("the simple form", () => {
  it("creates one entity with the id of the triggering entity", async () => {
    const { value } = paramsOf(bank, sent.transfer);
    const id = idOf(sent.transfer);
    expect(await madeBy(sent.transfer, "EnrichmentBalance")).toEqual([
      { id, transfer: id, parent: id, value },
    ]);
    expect(await ran.all("EnrichmentBalance")).toHaveLength(2);
  });
});

describe("the array form", () => {
  it("creates entities with the parent's id and a suffix", async () => {
    const { from, to } = paramsOf(bank, sent.transfer);
    const id = idOf(sent.transfer);
    expect(await madeBy(sent.transfer, "Side")).toEqual([
      { id: `${id}-in-5`, transfer: id, who: to.toLowerCase() },
      { id: `${id}-out`, transfer: id, who: from.toLowerCase() },
    ]);
  });

  it("with explicit_id creates a missing entity", async () => {
    const accounts = await ran.all("Account", Number(sent.deposit.blockNumber));
    const id = idOf(sent.deposit);
    expect(accounts).toEqual([{ id: sent.ann, deposit: id, deposited: 50n, last: "deposit" }]);
  });

  it("with explicit_id loads an entity of an earlier block and keeps fields that are not set again", async () => {
    const at = sent.withdrawal.blockNumber;
    const [left] = await answered(anvil(), bank, "left", [sent.ann], at);
    expect(byId(await ran.all("Account", Number(at)), sent.ann)).toEqual({
      id: sent.ann,
      deposit: idOf(sent.deposit),
      withdraw: idOf(sent.withdrawal),
      deposited: 50n,
      withdrawn: 20n,
      last: "withdraw",
      left,
    });
  });

  it("with explicit_id loads an entity of the same block", async () => {
    const [first, second] = sent.sameBlock.map((receipt) => logOf(receipt)) as [RawLog, RawLog];
    expect(first.blockNumber).toBe(second.blockNumber);
    const [left] = await answered(anvil(), bank, "left", [sent.cid], second.blockNumber);
    expect(byId(await ran.all("Account"), sent.cid)).toEqual({
      id: sent.cid,
      deposit: idOf(first),
      withdraw: idOf(second),
      deposited: 5n,
      withdrawn: 2n,
      last: "withdraw",
      left,
    });
  });
});

describe("a mapping named like the triggering entity", () => {
  it("changes that entity and saves it again", async () => {
    const own = { ...(await baseOfLog(anvil(), sent.extended)), amount: 6n, double: 10n };
    expect(await ran.all("Extended")).toEqual([own]);
    expect(types("Extended", "double", "amount")).toEqual(["BigInt", "BigInt!"]);
  });

  it("in the array form creates a new instance of the type", async () => {
    const base = await baseOfLog(anvil(), sent.child);
    const extra = byId(await ran.all("Child"), `${idOf(sent.child)}-extra`);
    expect(byId(await ran.all("Child"), idOf(sent.child))).toEqual({ ...base, amount: 8n });
    expect(extra).toMatchObject({ ...base, id: `${idOf(sent.child)}-extra`, amount: 9n });
  });
});

describe("a mapping named like another event's entity", () => {
  it("creates a new instance of that type, and makes fields it leaves unset nullable", async () => {
    const base = await baseOfLog(anvil(), sent.audit);
    const id = idOf(sent.audit);
    const [total] = await answered(anvil(), bank, "total", [], sent.audit.blockNumber);
    expect(await madeBy(sent.audit, "Deposit")).toEqual([
      { ...base, id: `${id}-copy`, amount: total, audit: id },
    ]);
    expect(await madeBy(sent.audit, "Withdraw")).toEqual([{ ...base, audit: id, who: bank.address }]);
    expect(types("Deposit", "who", "amount", "audit")).toEqual(["String", "BigInt!", "Audit"]);
    expect(types("Withdraw", "who", "amount", "audit")).toEqual(["String!", "BigInt", "Audit"]);
  });

  it("with explicit_id changes that event's own entity", async () => {
    const { from, to, value } = paramsOf(bank, sent.transfer);
    const own = { from: from.toLowerCase(), to: to.toLowerCase(), value };
    const base = await baseOfLog(anvil(), sent.transfer);
    const id = idOf(sent.transfer);
    expect(await ran.all("Transfer", Number(sent.transfer.blockNumber))).toEqual([{ ...base, ...own }]);
    expect(byId(await ran.all("Transfer"), id)).toEqual({
      ...base,
      ...own,
      closed: true,
      close: idOf(sent.close),
    });
    expect(byId(await ran.all("Transfer"), idOf(sent.untouched))).not.toHaveProperty("closed");
  });

  it("with explicit_id creates a missing entity with the fields of the mapping", async () => {
    const id = `${sent.transfer.transactionHash}-99`;
    const base = await baseOfLog(anvil(), sent.closeOfNone);
    const made = byId(await ran.all("Transfer"), id);
    expect(made).toEqual({ ...base, id, closed: true, close: idOf(sent.closeOfNone) });
    expect(types("Transfer", "from", "value", "closed")).toEqual(["String", "BigInt", "Boolean"]);
  });
});

describe("an entity written by several handlers", () => {
  it("is one type with the union of the fields, nullable where some handler leaves a field unset", async () => {
    const [left] = await answered(anvil(), bank, "left", [sent.ann], sent.move.blockNumber);
    const [out, into] = [logOf(sent.move, 0), logOf(sent.move, 1)];
    expect(await madeBy(out, "Movement")).toEqual([{ id: idOf(out), withdraw: idOf(out), amount: 7n, left }]);
    expect(await madeBy(into, "Movement")).toEqual([
      { id: idOf(into), deposit: idOf(into), amount: 7n, isDeposit: true },
    ]);
    expect(types("Movement", "amount", "isDeposit", "left")).toEqual(["BigInt!", "Boolean", "BigInt"]);
    expect(types("Account", "last", "deposited", "withdrawn")).toEqual(["String!", "BigInt", "BigInt"]);
  });
});

describe("a field type", () => {
  it("can be any ABI type, with the value of its expression", async () => {
    const block = await anvil().rpc<{ hash: string }>("eth_getBlockByNumber", sent.fields.blockNumber, false);
    const transaction = await anvil().rpc<{ gas: string }>(
      "eth_getTransactionByHash",
      sent.fields.transactionHash,
    );
    const { who, amount: ten } = paramsOf(bank, sent.fields);
    expect(byId(await ran.all("Kinds"), idOf(sent.fields))).toEqual({
      id: idOf(sent.fields),
      fields: idOf(sent.fields),
      idParam: "not the id",
      who: who.toLowerCase(),
      raw: who.toLowerCase(),
      word: block.hash,
      flag: false,
      small: Number(ten),
      signed: -Number(ten),
      wide: ten,
      share: "2.5",
      who2: [who.toLowerCase()],
      list: [ten, 0n],
      none: [],
      hash: [sent.fields.transactionHash],
      gas: BigInt(transaction.gas),
      text: "many",
    });
    expect(types("Kinds", "who", "raw", "small", "wide", "share", "hash")).toEqual([
      "String!",
      "Bytes!",
      "Int!",
      "BigInt!",
      "BigDecimal!",
      "[Bytes!]!",
    ]);
  });
});

describe("nullability", () => {
  it("makes a field that is just an optional call's result null when the call reverts", async () => {
    const id = idOf(sent.shutWithdrawal);
    expect(await madeBy(sent.shutWithdrawal, "Movement")).toEqual([{ id, withdraw: id, amount: 1n }]);
    expect(types("Movement", "left", "amount")).toEqual(["BigInt", "BigInt!"]);
  });

  it("clears the field of a loaded entity when the call reverts", async () => {
    const before = byId(await ran.all("Account", Number(sent.move.blockNumber)), sent.ann);
    expect(before).toHaveProperty("left");
    expect(byId(await ran.all("Account"), sent.ann)).toEqual({
      id: sent.ann,
      deposit: idOf(sent.deposit),
      withdraw: idOf(sent.shutWithdrawal),
      deposited: 50n,
      withdrawn: 1n,
      last: "withdraw",
    });
  });
});

describe("the field name `id`", () => {
  it("becomes idParam, with a warning that names explicit_id", async () => {
    const stored = byId(await ran.all("Kinds"), idOf(sent.fields));
    expect(stored.id).toBe(idOf(sent.fields));
    expect(stored.idParam).toBe("not the id");
    const said = renderText(built.diagnostics.filter(({ code }) => code === "id-is-reserved"));
    expect(said).toMatch(/^warning[\s\S]*explicit_id/);
  });
});

describe("relations", () => {
  it("link an entity to its trigger, nullable when several triggers create it", async () => {
    expect(types("EnrichmentBalance", "transfer")).toEqual(["Transfer!"]);
    expect(types("Movement", "deposit", "withdraw")).toEqual(["Deposit", "Withdraw"]);
    const [balance] = await madeBy(sent.transfer, "EnrichmentBalance");
    expect(byId(await ran.all("Transfer"), String(balance?.transfer))).toMatchObject({ value: 5n });
  });

  it("link a trigger to all entities it created", async () => {
    const id = idOf(sent.transfer);
    expect(types("Transfer", "enrichmentBalances", "sides")).toEqual(["[EnrichmentBalance!]!", "[Side!]!"]);
    expect(await derived("Transfer", "enrichmentBalances", id)).toEqual([id]);
    expect(await derived("Transfer", "sides", id)).toEqual([`${id}-in-5`, `${id}-out`]);
    expect(await derived("Audit", "deposits", idOf(sent.audit))).toEqual([`${idOf(sent.audit)}-copy`]);
  });

  it("link a loaded entity to the last trigger that saved it", async () => {
    expect(await derived("Withdraw", "accounts", idOf(sent.withdrawal))).toEqual([]);
    expect(await derived("Withdraw", "accounts", idOf(sent.shutWithdrawal))).toEqual([sent.ann]);
    expect(await derived("Deposit", "accounts", idOf(sent.deposit))).toEqual([sent.ann]);
  });
});
