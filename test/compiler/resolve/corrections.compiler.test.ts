import { describe, expect, it } from "vitest";
import { applyFixes } from "../../../src/compiler/fix/apply-fixes.js";
import type { JsonEntry } from "../abi/abi-of.js";
import { event, fn } from "../abi/entries.js";
import { address, findings, run } from "../pipeline/harness.js";

const abi: readonly JsonEntry[] = [
  event("Deposit", "indexed address owner", "uint256 amount"),
  event("Created", "address vault", "address keeper", "uint256 amount"),
  event("Moved", "indexed address owner", "uint256 value"),
  event("Moved", "address owner", "uint256 value"),
  fn("totalAssets", "view", [], ["uint256"]),
  fn("feesOf", "view", [], ["uint256"]),
  fn("feesAt", "view", [], ["uint256"]),
  fn("burned", "view", [], ["uint256"]),
  fn("shareOf", "view", ["address owner"], ["uint256"]),
  fn("collect", "nonpayable", ["uint256 amount"], ["uint256 paid"]),
];

interface Written {
  readonly signature?: string;
  readonly call?: object;
  readonly field?: string;
  readonly value?: string;
  readonly ref?: string;
  readonly abi?: string;
  readonly import?: string;
  readonly source?: object;
}

const source = { abi: "Vault", eventSignature: "Created", addressParam: "keeper" };

/** A configuration that is valid except for the given parts. */
function configuration(written: Written, declared: unknown = abi): Readonly<Record<string, string>> {
  const handler = {
    calls: { total: { name: "totalAssets" }, [written.ref ?? "x"]: { name: "totalAssets", ...written.call } },
    entities: { Position: { [written.field ?? "shares uint256"]: written.value ?? "event.params.amount" } },
  };
  const enrich = {
    options: { imports: [written.import ?? "BigInt"] },
    handlers: { [written.signature ?? "Deposit"]: handler },
  };
  return {
    "c.json": JSON.stringify({
      version: "1",
      enableCallHandlers: written.signature === "collect",
      abis: { Vault: declared, Other: [event("Else", "address other")] },
      instances: [
        { abi: written.abi ?? "Vault", address, startBlock: 1, chain: "mainnet", enrich },
        { abi: "Vault", source: { ...source, ...written.source } },
      ],
    }),
  };
}

/** The texts that fixes change, and their replacements. */
async function fixed(written: Written) {
  const files = configuration(written);
  const { diagnostics } = await run("compile", files);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const config = { path: "c.json", text: files["c.json"] ?? "" };
  const { text, skipped } = applyFixes(config, errors);
  const { found } = await findings("compile", { "c.json": text });
  return {
    hints: errors.map(({ hint }) => hint),
    skipped: skipped.length,
    left: found.filter((line) => line.startsWith("error")).length,
    changed: text !== config.text,
  };
}

describe("a certain fix", () => {
  it.each<[string, Written, string]>([
    ["the case of an event", { signature: "deposit" }, 'write "Deposit"'],
    ["a letter too many", { signature: "Depositt" }, 'write "Deposit"'],
    [
      "a slip before right parameters",
      { signature: "Depsoit(address,uint256)" },
      'write "Deposit(address,uint256)"',
    ],
    [
      "what is indexed",
      { signature: "Deposit(address,indexed uint)" },
      'write "Deposit(indexed address,uint256)"',
    ],
    [
      "the parameters of the only event of that name",
      { signature: "Deposit(address)" },
      'write "Deposit(indexed address,uint256)"',
    ],
    [
      "the parameters of the event that creates a template",
      { source: { eventSignature: "Created(address)" } },
      'write "Created(address,address,uint256)"',
    ],
    ["a handler of mappings", { signature: "handleDeposit" }, 'write "Deposit"'],
    ["the case of a function", { call: { name: "totalassets" } }, 'write "totalAssets"'],
    ["a function with a signature", { call: { name: "totalAsset()" } }, 'write "totalAssets()"'],
    ["an ABI", { abi: "vault" }, 'write "Vault"'],
    ["the ABI of a call", { call: { abi: "Valt" } }, 'write "Vault"'],
    ["a dependency", { call: { depends_on: ["Total"] } }, 'write "total"'],
    ["a parameter", { source: { addressParam: "keper" } }, 'write "keeper"'],
    ["a parameter as of expressions", { source: { addressParam: "event.params.keeper" } }, 'write "keeper"'],
    ["a parameter behind params", { source: { addressParam: "params.vault" } }, 'write "vault"'],
    ["a parameter behind event", { source: { addressParam: "event.vault" } }, 'write "vault"'],
    [
      "a parameter as text",
      { source: { addressParam: "event.params.vault.toHexString()" } },
      'write "vault"',
    ],
    ["a slip behind the prefix", { source: { addressParam: "event.params.keper" } }, 'write "keeper"'],
    ["underscores before a parameter", { source: { addressParam: "__keeper" } }, 'write "keeper"'],
    ["a function as bindings have it", { call: { name: "try_totalAssets" } }, 'write "totalAssets"'],
    ["the ABI of the event that creates a template", { source: { abi: "Other" } }, 'write "Vault"'],
    ["the type before the name", { field: "uint256 shares" }, 'write "shares uint256"'],
    ["an import", { import: "Addres" }, 'write "Address"'],
    ["the type of a field", { field: "shares adress" }, 'write "address"'],
  ])("corrects %s", async (_, written, hint) => {
    expect(await fixed(written)).toEqual({ hints: [hint], skipped: 0, left: 0, changed: true });
  });
});

describe("a name from another tool", () => {
  const inCalls = { signature: "collect" };
  it.each<[string, Written, string]>([
    ["a parameter", { value: "amount" }, "write event.params.amount"],
    ["a parameter of params", { value: "params.amount" }, "write event.params.amount"],
    ["a parameter of args", { value: "args.amount" }, "write event.params.amount"],
    ["a slip in a parameter of args", { value: "args.amonut" }, "write event.params.amount"],
    ["a parameter of the event", { value: "event.amount" }, "write event.params.amount"],
    ["a parameter of the event's args", { value: "event.args.amount" }, "write event.params.amount"],
    ["a parameter in a function", { value: "((x: i32): BigInt => amount)(1)" }, "write event.params.amount"],
    ["all parameters", { value: "params.amount.plus(params.amount)" }, "write event.params.amount"],
    ["the block", { value: "block.number" }, "write event.block.number"],
    ["the time", { value: "event.timestamp" }, "write event.block.timestamp"],
    ["the transaction", { value: "tx.value" }, "write event.transaction.value"],
    ["the price of gas", { value: "tx.gasprice" }, "write event.transaction.gasPrice"],
    ["the value that was sent", { value: "msg.value" }, "write event.transaction.value"],
    ["the sender", { value: "msg.sender.toHexString()" }, "write event.transaction.from"],
    [
      "the contract",
      { value: "contract.address.toHexString()", field: "shares string" },
      "write event.address",
    ],
    ["this", { value: "address(this).toHexString()", field: "shares string" }, "write event.address"],
    ["a call", { value: "total" }, "write calls.total"],
    ["a call by its function", { value: "burned", call: { name: "burned" } }, "write calls.x"],
    ["a call as a function", { value: "total()" }, "write calls.total"],
    ["a call of the contract", { value: "contract.total()" }, "write calls.total"],
    [
      "a call as libraries make it",
      { value: "vault.try_burned()", call: { name: "burned" } },
      "write calls.x",
    ],
    ["a call as mappings make it", { value: "Vault.bind(event.address).total()" }, "write calls.total"],
    [
      "a call by its function, of calls",
      { value: "calls.burned", call: { name: "burned" } },
      "write calls.x",
    ],
    ["the input of a function", { ...inCalls, value: "amount" }, "write call.inputs.amount"],
    ["an output of it", { ...inCalls, value: "paid" }, "write call.outputs.paid"],
    ["an input as of events", { ...inCalls, value: "event.params.amount" }, "write call.inputs.amount"],
    ["an input of params", { ...inCalls, value: "call.params.amount" }, "write call.inputs.amount"],
    ["its block", { ...inCalls, value: "block.number" }, "write call.block.number"],
    ["its caller", { ...inCalls, value: "msg.sender.toHexString()" }, "write call.from"],
  ])("is replaced by our name for %s", async (_, written, hint) => {
    const all = await fixed(written);
    expect({ ...all, hints: [...new Set(all.hints)] }).toEqual({
      hints: [hint],
      skipped: 0,
      left: 0,
      changed: true,
    });
  });

  it.each<[string, Written, (string | undefined)[]]>([
    ["is a builtin function", { value: "BigInt.fromI32(min(1, 2))" }, []],
    ["a function declares", { value: "((amount: BigInt): BigInt => amount)(event.params.amount)" }, []],
    ["could be two things", { value: "amount", call: { name: "burned" }, ref: "amount" }, []],
    [
      "has arguments that would be lost",
      { value: "contract.total(amount)" },
      ["write calls.total", "write event.params.amount"],
    ],
    [
      "is a call that is not declared",
      { value: "contract.burned()" },
      ['add "burned": { "name": "burned" } to "calls", then write calls.burned'],
    ],
    [
      "is a call that is not declared, of calls",
      { value: "calls.burned" },
      ['add "burned": { "name": "burned" } to "calls"'],
    ],
    [
      "is a call that needs arguments",
      { value: "Vault.bind(event.address).shareOf(event.params.owner)" },
      ['declare a call of "shareOf" under "calls", then write calls.<name>'],
    ],
  ])("is left alone when it %s", async (_, written, hints) => {
    expect(await fixed(written)).toMatchObject({ hints });
  });
});

describe("an uncertain correction", () => {
  it.each<[string, Written, string | undefined]>([
    ["two names are near", { call: { name: "feesAf" } }, 'write "feesAt"'],
    ["two names differ only in case", { import: "Bigint" }, 'write "BigInt"'],
    ["two slips", { call: { name: "totlAsets" } }, 'write "totalAssets"'],
    [
      "the parameters differ as well",
      { signature: "Deposits(address)" },
      'write "Deposit(indexed address,uint256)"',
    ],
    [
      "two events have these types",
      { signature: "Moved(indexed address,indexed uint256)" },
      'write "Moved(indexed address,uint256)"',
    ],
    ["nothing is near", { call: { name: "price" } }, 'name the ABI of the called contract under "abi"'],
    [
      "too short a name to tell",
      { call: { depends_on: ["y"] } },
      'declare it under "calls", before this one',
    ],
    ["text would have to go", { call: { params: "1" } }, 'remove "params"'],
    ["the type is from a different language", { field: "shares BigInt" }, 'write "uint256"'],
  ])("is only a hint when %s", async (_, written, hint) => {
    expect(await fixed(written)).toMatchObject({ hints: [hint], changed: false });
  });
});

describe("an address parameter that cannot be guessed", () => {
  it.each<[string, string, string]>([
    ["nothing is near", "x", "unknown-parameter"],
    ["the word behind the prefix is not a parameter", "event.params.clone", "unknown-parameter"],
    ["all parameters are meant", "event.params", "unknown-parameter"],
    ["the emitter is meant", "event.address", "unknown-parameter"],
    ["only two slips lead to one", "kepr", "unknown-parameter"],
    ["a different number would", "vault2", "unknown-parameter"],
    ["a number is named", "amount", "parameter-not-address"],
    ["a number is named as of expressions", "event.params.amount", "parameter-not-address"],
  ])("lists all address parameters and suggests none when %s", async (_, addressParam, code) => {
    const { diagnostics } = await run("compile", configuration({ source: { addressParam } }));
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    expect(errors.map((error) => [error.code, error.notes, error.hint, error.fix])).toEqual([
      [
        code,
        ["its address parameters are vault, keeper"],
        "name the parameter that holds the address of the new contract",
        undefined,
      ],
    ]);
  });

  it("asks for a different event when this one has no address", async () => {
    const created = { eventSignature: "Counted", addressParam: "event.params.count" };
    const written = configuration({ source: created }, [...abi, event("Counted", "uint256 count")]);
    const { diagnostics } = await run("compile", written);
    const [error] = diagnostics.filter(({ severity }) => severity === "error");
    expect([error?.message, error?.notes, error?.hint]).toEqual([
      'parameter "count" is not an address',
      [],
      "name an event with an address parameter",
    ]);
  });
});

describe("an event that announces contracts", () => {
  const created = event("PairCreated", "address token", "address pair");
  const unreached = (factory: readonly JsonEntry[]): Readonly<Record<string, string>> => ({
    "c.json": JSON.stringify({
      version: "1",
      abis: { Vault: abi, Factory: factory },
      instances: [
        { abi: "Factory", address, startBlock: 1, chain: "mainnet" },
        { abi: "Vault", source: { abi: "Vault", eventSignature: "Created", addressParam: "vault" } },
      ],
    }),
  });
  const add = 'add an instance of "Vault" with an address and a chain';
  it.each<[string, readonly JsonEntry[], string[], string]>([
    [
      "is shown when there is one",
      [created, event("Moved", "address to")],
      [
        'this event may announce it: "abi": "Factory", "eventSignature": "PairCreated", with one of "token", "pair" as "addressParam"',
      ],
      `use that event, or ${add}`,
    ],
    ["is not when there are two", [created, event("NewPair", "address pair")], [], add],
    ["is not when none is one", [event("Moved", "address to")], [], add],
  ])("is suggested only when there is exactly one: %s", async (_, factory, notes, hint) => {
    const { diagnostics } = await run("compile", unreached(factory));
    const [error] = diagnostics.filter(({ severity }) => severity === "error");
    expect([error?.code, error?.notes, error?.hint]).toEqual(["unreachable-template", notes, hint]);
  });
});

describe("the nearest entry", () => {
  const text = JSON.stringify(abi);
  it.each<[string, unknown, string]>([
    ["in a list in the configuration", abi, "c.json /abis/Vault/0/name"],
    ["in a text in the configuration", text, "c.json /abis/Vault"],
    ["in an artifact in a text", JSON.stringify({ abi: text }), "c.json /abis/Vault"],
    ["in a file", { path: "v.json" }, "v.json /0/name"],
  ])("is shown where it stands: %s", async (_, declared, place) => {
    const files = { ...configuration({ signature: "Deposited" }, declared), "v.json": text };
    const { diagnostics } = await run("compile", files);
    const at = diagnostics.find(({ code }) => code === "unknown-signature")?.related[0]?.at;
    expect(at && `${at.source.path} ${at.pointer}`).toBe(place);
    expect(at?.source.text.slice(at.start, at.end).replaceAll("\\", "")).toBe('"Deposit"');
  });
});
