import { AbiCoder, encodeBytes32String, Interface, keccak256, ParamType } from "ethers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Compilation } from "../../../src/exports/index.js";
import { type Contract, type RawLog, useAnvil } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { buildConfig, type Ran, runOn } from "../harness.js";
import {
  ARGUMENTS,
  ARGUMENTS_SOURCE,
  a,
  argumentHandlers,
  RESULTS,
  resultHandlers,
  STRUCTS,
} from "./argument-kinds.js";
import {
  answered,
  byId,
  deployFrom,
  idOf,
  logOf,
  paramsOf,
  readsAt,
  type Watched,
  watch,
} from "./expected.js";

const OVERLOADED = `
  function get(uint256 x) external pure returns (uint256) { return x + 1; }
  function get(uint256 x, uint256 y) external pure returns (uint256) { return x * y; }
  function get(address who) external pure returns (string memory) { return who == address(0) ? "nobody" : "somebody"; }
  function get(uint8[] calldata kinds) external pure returns (uint256) { return kinds.length; }`;

const SOURCES = ["Own", "Literal", "Parameter", "Expression", "Earlier"];
const ELSEWHERE = `
contract Elsewhere {
  ${SOURCES.map((name) => `event ${name}(address who, uint256 x);`).join("\n")}
  event Counted(uint256 x); event Signed(uint256 x); event Named(address who); event Listed(uint8[] kinds); event Odd(string text);
  address private other;
  uint8 private places;
  constructor(address other_, uint8 places_) { other = other_; places = places_; }
  ${SOURCES.map((name) => `function fire${name}(address who, uint256 x) external { emit ${name}(who, x); }`).join("\n")}
  function fireCounted(uint256 x) external { emit Counted(x); }
  function fireSigned(uint256 x) external { emit Signed(x); }
  function fireNamed(address who) external { emit Named(who); }
  function fireListed(uint8[] calldata kinds) external { emit Listed(kinds); }
  function fireOdd() external { emit Odd(string(bytes(hex"61ff62"))); }
  /// As old tokens have it; the ABI the calls are made with says string.
  function label() external pure returns (bytes32) { return "LBL"; }
  function odd() external pure returns (string memory) { return string(bytes(hex"61ff62")); }
  function decimals() external view returns (uint8) { return places; }
  function next() external view returns (address) { return other; }
  ${OVERLOADED}
}`;

const anvil = useAnvil(["--disable-code-size-limit"]);
let built: Compilation;
let ran: Ran;
let watched: Watched;
let contract: Contract;
let elsewhere: Contract;
let other: Contract;
let given: readonly RawLog[];
let questions: readonly RawLog[];
const fired = new Map<string, RawLog>();

beforeAll(async () => {
  other = await deployFrom(anvil(), ELSEWHERE, "Elsewhere", [a(5), 6]);
  elsewhere = await deployFrom(anvil(), ELSEWHERE, "Elsewhere", [other.address, 18]);
  contract = await deployFrom(anvil(), ARGUMENTS_SOURCE, "Arguments");
  given = await sendAll(ARGUMENTS.map(([, values], i) => [`give${i}`, values]));
  questions = await sendAll(RESULTS.map(({ values }, i) => [`answer${i}`, values]));
  const fire = async (name: string, args: readonly unknown[]): Promise<void> => {
    fired.set(name, logOf(await anvil().send(elsewhere, `fire${name}`, args)));
  };
  for (const name of SOURCES) await fire(name, [other.address, 4n]);
  await fire("Counted", [5n]);
  await fire("Signed", [5n]);
  await fire("Named", [other.address]);
  await fire("Listed", [[1n, 2n, 3n]]);
  await fire("Odd", []);
  built = await buildConfig({
    abis: {
      Arguments: compileContract(ARGUMENTS_SOURCE, "Arguments").abi,
      "Other ABI": compileContract(ELSEWHERE, "Elsewhere").abi,
      Newer: JSON.parse(new Interface(["function label() view returns (string)"]).formatJson()),
      Elsewhere: compileContract(ELSEWHERE, "Elsewhere").abi,
    },
    instances: [
      instance("Arguments", contract, { ...argumentHandlers(), ...resultHandlers() }),
      instance("Elsewhere", elsewhere, { ...sourceHandlers(), ...overloadHandlers() }),
    ],
  });
  watched = watch(anvil());
  ran = await runOn(watched.chain, built);
  expect(ran.failure).toBeUndefined();
});

async function sendAll(
  calls: readonly (readonly [name: string, args: readonly unknown[]])[],
): Promise<readonly RawLog[]> {
  const logs: RawLog[] = [];
  for (const [name, args] of calls) logs.push(logOf(await anvil().send(contract, name, args)));
  return logs;
}

function instance(abi: string, { address }: Contract, handlers: object): object {
  return { abi, address, startBlock: 0, chain: "mainnet", enrich: { handlers } };
}

function sourceHandlers(): object {
  const mixedCase = other.address.replace(/[a-f]/g, (digit) => digit.toUpperCase());
  const of = (calls: object, type: string): object => ({
    calls,
    entities: { [`${type}Places`]: { "places uint8": "calls.places" } },
  });
  const at = (source: string): object => ({ abi: "Other ABI", name: "decimals", source });
  return {
    Own: of({ places: { abi: "Other ABI", name: "decimals" } }, "Own"),
    Literal: of({ places: at(mixedCase) }, "Literal"),
    Parameter: of({ places: at("event.params.who") }, "Parameter"),
    Expression: of(
      { places: at("event.params.x > BigInt.fromI32(3) ? event.params.who : event.address") },
      "Expression",
    ),
    Earlier: of({ next: { name: "next", required: true }, places: at("calls.next") }, "Earlier"),
  };
}

function overloadHandlers(): object {
  const of = (name: string, params: string, type: string): object => ({
    calls: { got: { name, params } },
    entities: { [`Got${type}`]: { [`got ${type}`]: "calls.got" } },
  });
  return {
    Counted: of("get", "event.params.x, event.params.x", "uint256"),
    Signed: of("get(uint256)", "event.params.x", "uint128"),
    Named: of("get(address)", "event.params.who", "string"),
    Listed: of("get(uint8[])", "event.params.kinds", "uint64"),
    Odd: {
      calls: { odd: { name: "odd" }, label: { abi: "Newer", name: "label" } },
      entities: {
        Label: { "label string": "calls.label", "gone bool": "calls.label_reverted" },
        OddText: { "said string": "calls.odd", "gone bool": "calls.odd_reverted" },
      },
    },
  };
}

/** The log of an event emitted by `elsewhere`. */
function sent(name: string): RawLog {
  const log = fired.get(name);
  if (!log) throw new Error(`${name} was not fired`);
  return log;
}

describe("contract: calls use the named ABI, bound to", () => {
  it.each([
    ["Own", "the instance's own address without a source", () => elsewhere, 18n],
    ["Literal", "a plain hex address", () => other, 6n],
    ["Parameter", "an expression of type Address", () => other, 6n],
    ["Expression", "an expression with a condition", () => other, 6n],
    ["Earlier", "the result of an earlier call", () => other, 6n],
  ] as const)("%s: %s", async (name, _, target, expected) => {
    const log = sent(name);
    const [places] = await answered(anvil(), target(), "decimals", [], log.blockNumber);
    expect(places).toBe(expected);
    expect(byId(await ran.all(`${name}Places`), idOf(log))).toMatchObject({ places: Number(places) });
    expect(readsAt(watched, log.blockNumber, [elsewhere]).at(-1)).toEqual([target().address, "decimals()"]);
  });
});

describe("name: selects an overload", () => {
  it.each([
    ["Counted", "by the number of parameters", "get(uint256,uint256)", "uint256", [5n, 5n]],
    ["Signed", "by its signature", "get(uint256)", "uint128", [5n]],
    ["Named", "by its signature with a different result type", "get(address)", "string", undefined],
    ["Listed", "by its signature, with a list argument", "get(uint8[])", "uint64", [[1n, 2n, 3n]]],
  ] as const)("%s: %s", async (name, _, signature, type, args) => {
    const log = sent(name);
    const params = args ?? paramsOf(elsewhere, log).toArray(true);
    const [got] = await answered(anvil(), elsewhere, signature, params, log.blockNumber);
    expect(byId(await ran.all(`Got${type}`), idOf(log))).toMatchObject({ got });
    expect(readsAt(watched, log.blockNumber, [elsewhere])).toEqual([
      [elsewhere.address, signature, ...params],
    ]);
  });
});

describe("arguments: the contract receives each kind unchanged:", () => {
  it.each(
    ARGUMENTS.map(([types, , text], i) => [types, text ?? "of the event", i] as const),
  )("%s: %s", async (types, _, i) => {
    const [, values] = ARGUMENTS[i] as (typeof ARGUMENTS)[number];
    const log = given[i] as RawLog;
    const [hash] = await answered(anvil(), contract, `take${i}`, values, log.blockNumber);
    expect(hash).toBe(keccak256(AbiCoder.defaultAbiCoder().encode(typesOf(types), values)));
    expect(byId(await ran.all(`Taken${i}`), idOf(log))).toMatchObject({ hash });
  });

  function typesOf(types: string): readonly ParamType[] {
    return types.split(", ").map((type) => {
      const [, struct = "", dimensions = ""] = /^(\w+)(.*)$/.exec(type) ?? [];
      return ParamType.from(`${STRUCTS[struct] ?? struct}${dimensions}`);
    });
  }
});

describe("arguments: each kind of result is returned unchanged:", () => {
  it.each(RESULTS.map(({ types }, i) => [types, i] as const))("%s", async (_, i) => {
    const { expected } = RESULTS[i] as (typeof RESULTS)[number];
    const log = questions[i] as RawLog;
    const result = await answered(anvil(), contract, `read${i}`, [], log.blockNumber);
    const own = { id: idOf(log), [`asked${i}`]: idOf(log) };
    expect(byId(await ran.all(`Answer${i}`), idOf(log))).toEqual({ ...own, ...expected(result) });
  });

  it("invalid UTF-8 is returned with replacement characters", async () => {
    const log = sent("Odd");
    expect(byId(await ran.all("Odd"), idOf(log))).toMatchObject({ text: "a\ufffdb" });
    expect(byId(await ran.all("OddText"), idOf(log))).toMatchObject({ said: "a\ufffdb", gone: false });
  });

  it("a result that does not match the ABI counts as reverted", async () => {
    const log = sent("Odd");
    const [label] = await answered(anvil(), elsewhere, "label", [], log.blockNumber);
    expect(label).toBe(encodeBytes32String("LBL"));
    expect(byId(await ran.all("Label"), idOf(log))).toEqual({ id: idOf(log), odd: idOf(log), gone: true });
  });
});
