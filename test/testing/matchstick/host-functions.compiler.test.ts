import { beforeAll, describe, expect, it } from "vitest";
import type { SuiteOutcome } from "../../../src/testing/outcome.js";
import { linesOf, runAssembly } from "../../support/testing/run-assembly.js";

const schema = `
  type Owner @entity(immutable: false) { id: Bytes! tokens: [Token!]! @derivedFrom(field: "owner") }
  type Token @entity(immutable: false) { id: ID! owner: Owner! amount: BigInt! price: BigDecimal flags: [Boolean!] }
`;

const beginning = `
import {
  afterAll, assert, beforeEach, clearInBlockStore, clearStore, countEntities, createMockedFunction, dataSourceMock,
  describe, log, logDataSources, logEntity, logStore, mockFunction, mockInBlockStore, mockIpfsFile, newMockCall,
  newMockEvent, readFile, test,
} from "matchstick-as/assembly/index";
import {
  Address, BigDecimal, BigInt, Bytes, DataSourceContext, DataSourceTemplate, Entity, JSONValue, Value, dataSource,
  ens, ethereum, ipfs, json, log as graphLog, store,
} from "@graphprotocol/graph-ts";

const contract = Address.fromString("0x00000000000000000000000000000000000000aa");
const one = ethereum.Value.fromUnsignedBigInt(BigInt.fromI32(1));

function tokenOf(id: string): Entity {
  const token = new Entity();
  token.set("id", Value.fromString(id));
  token.set("owner", Value.fromBytes(Bytes.fromHexString("0xaa")));
  token.set("amount", Value.fromBigInt(BigInt.fromI32(5)));
  token.set("price", Value.fromBigDecimal(BigDecimal.fromString("1.50")));
  token.set("flags", Value.fromBooleanArray([true, false]));
  return token;
}

function save(id: string): void {
  store.set("Token", id, tokenOf(id));
}

function call(signature: string, args: ethereum.Value[]): ethereum.Value[] | null {
  return ethereum.call(new ethereum.SmartContractCall("Token", contract, "f", signature, args));
}

export function storeItem(value: JSONValue, userData: Value): void {
  const token = tokenOf(value.toObject().get("id")!.toString());
  token.set("amount", userData);
  store.set("Token", token.getString("id"), token);
}

beforeEach(() => { clearStore(); clearInBlockStore(); dataSourceMock.resetValues(); });
`;

/** Each test: its name, its code, and how its lines begin if it fails. */
const cases: readonly (readonly [name: string, code: string, ...failure: string[]])[] = [
  ["fieldEquals holds", `save("1"); assert.fieldEquals("Token", "1", "amount", "5");`],
  ["fieldEquals knows bytes", `save("1"); assert.fieldEquals("Token", "1", "owner", "0xaa");`],
  ["fieldEquals knows decimals", `save("1"); assert.fieldEquals("Token", "1", "price", "1.5");`],
  ["fieldEquals knows lists", `save("1"); assert.fieldEquals("Token", "1", "flags", "[true, false]");`],
  [
    "fieldEquals differs",
    `save("1"); assert.fieldEquals("Token", "1", "amount", "6");`,
    "(assert.fieldEquals) Expected field 'amount' to equal '6', but was '5' instead.",
  ],
  [
    "fieldEquals differs, with a message",
    `save("1"); assert.fieldEquals("Token", "1", "amount", "6", "wrong amount");`,
    "(assert.fieldEquals) wrong amount",
  ],
  [
    "fieldEquals finds no type",
    `assert.fieldEquals("Token", "1", "amount", "6", "unused");`,
    "(assert.fieldEquals) No entities with type 'Token' found.",
  ],
  [
    "fieldEquals finds no entity",
    `save("1"); assert.fieldEquals("Token", "2", "amount", "6");`,
    "(assert.fieldEquals) No entity with type 'Token' and id '2' found.",
  ],
  [
    "fieldEquals finds no field",
    `save("1"); assert.fieldEquals("Token", "1", "size", "6");`,
    "(assert.fieldEquals) No field named 'size' on entity with type 'Token' and id '1' found.",
  ],
  ["equals holds", `assert.equals(one, one); assert.equals(one, ethereum.Value.fromI32(1));`],
  [
    "equals differs",
    `assert.equals(one, ethereum.Value.fromI32(2));`,
    "(assert.equals) Expected value was '1' but actual value was '2'",
  ],
  [
    "equals differs, with a message",
    `assert.equals(one, ethereum.Value.fromI32(2), "no");`,
    "(assert.equals) no",
  ],
  ["addressEquals holds", `assert.addressEquals(contract, contract);`],
  [
    "addressEquals differs",
    `assert.addressEquals(contract, Address.zero());`,
    "(assert.equals) Expected value was '0x00000000000000000000000000000000000000aa' but actual value was '0x0",
  ],
  ["bytesEquals holds", `assert.bytesEquals(Bytes.fromHexString("0x01"), Bytes.fromHexString("0x01"));`],
  [
    "bytesEquals differs",
    `assert.bytesEquals(Bytes.fromHexString("0x01"), Bytes.fromHexString("0x02"));`,
    "(assert.equals) Expected value was '0x01' but actual value was '0x02'",
  ],
  ["i32Equals holds", `assert.i32Equals(-1, -1);`],
  [
    "i32Equals differs",
    `assert.i32Equals(-1, 1);`,
    "(assert.equals) Expected value was '-1' but actual value was '1'",
  ],
  ["bigIntEquals holds", `assert.bigIntEquals(BigInt.fromI32(-7), BigInt.fromString("-7"));`],
  [
    "bigIntEquals differs",
    `assert.bigIntEquals(BigInt.fromI32(7), BigInt.fromI32(8));`,
    "(assert.equals) Expected value was '7' but actual value was '8'",
  ],
  ["booleanEquals holds", `assert.booleanEquals(true, true);`],
  [
    "booleanEquals differs",
    `assert.booleanEquals(true, false);`,
    "(assert.equals) Expected value was 'true' but actual value was 'false'",
  ],
  ["stringEquals holds", `assert.stringEquals("a", "a");`],
  [
    "stringEquals differs",
    `assert.stringEquals("a", "b");`,
    "(assert.equals) Expected value was 'a' but actual",
  ],
  ["arrayEquals holds", `assert.arrayEquals([one, one], [one, one]);`],
  [
    "arrayEquals differs",
    `assert.arrayEquals([one, one], [one]);`,
    "(assert.equals) Expected value was '[1, 1]' but actual value was '[1]'",
  ],
  [
    "tupleEquals holds",
    `const tuple = changetype<ethereum.Tuple>([one]); assert.tupleEquals(tuple, changetype<ethereum.Tuple>([one]));`,
  ],
  [
    "tupleEquals differs",
    `assert.tupleEquals(changetype<ethereum.Tuple>([one]), changetype<ethereum.Tuple>([ethereum.Value.fromI32(2)]));`,
    "(assert.equals) Expected value was '[1]' but actual value was '[2]'",
  ],
  [
    "values of two kinds differ though they read alike",
    `assert.equals(ethereum.Value.fromString("1"), one);`,
    "(assert.equals) Expected value was '1' but actual value was '1': one is of the kind String, the other of BigInt",
  ],
  ["assertTrue holds", `assert.assertTrue(true);`],
  ["assertTrue fails", `assert.assertTrue(false);`, "(assert.equals) Expected value was 'true' but"],
  ["assertNull holds", `assert.assertNull(store.get("Token", "1"));`],
  ["assertNull fails", `save("1"); assert.assertNull(store.get("Token", "1"));`, "(assert.equals) Expected"],
  ["assertNotNull holds", `save("1"); assert.assertNotNull(store.get("Token", "1"));`],
  ["assertNotNull fails", `assert.assertNotNull(store.get("Token", "1"), "none");`, "(assert.equals) none"],
  ["entityCount holds", `save("1"); save("2"); assert.entityCount("Token", 2);`],
  [
    "entityCount differs",
    `save("1"); assert.entityCount("Token", 2);`,
    "(assert.equals) Expected value was '2' but",
  ],
  [
    "countEntities counts",
    `save("1"); assert.i32Equals(countEntities("Token"), 1); clearStore(); assert.i32Equals(countEntities("Token"), 0);`,
  ],
  ["notInStore holds", `assert.notInStore("Token", "1");`],
  [
    "notInStore fails",
    `save("1"); assert.notInStore("Token", "1");`,
    "(assert.notInStore) Value for entity type: 'Token' and id: '1' was found in store.",
  ],
  [
    "notInStore fails, with a message",
    `save("1"); assert.notInStore("Token", "1", "there");`,
    "(assert.notInStore) there",
  ],
  [
    "data sources are counted by address",
    `DataSourceTemplate.create("Pool", ["0xa1"]); DataSourceTemplate.create("Pool", ["0xa1"]);
     DataSourceTemplate.createWithContext("Pool", ["0xa2"], new DataSourceContext());
     assert.dataSourceCount("Pool", 2); assert.dataSourceExists("Pool", "0xa2"); logDataSources("Pool");`,
  ],
  [
    "dataSourceCount differs",
    `assert.dataSourceCount("Pool", 9);`,
    "(assert.dataSourceCount) Expected dataSource count for template `Pool` to be '9' but was '2'",
  ],
  [
    "dataSourceCount differs, with a message",
    `assert.dataSourceCount("Pool", 9, "nine");`,
    "(assert.dataSourceCount) nine",
  ],
  [
    "dataSourceCount finds no template",
    `assert.dataSourceCount("Lake", 0, "unused");`,
    "(assert.dataSourceCount) No template with name 'Lake' found.",
  ],
  [
    "dataSourceExists fails",
    `assert.dataSourceExists("Pool", "0xff");`,
    "(assert.dataSourceExists) No dataSource with address '0xff' found for template 'Pool'",
  ],
  [
    "dataSourceExists fails, with a message",
    `assert.dataSourceExists("Pool", "0xff", "no pool");`,
    "(assert.dataSourceExists) no pool",
  ],
  [
    "dataSourceExists finds no template",
    `assert.dataSourceExists("Lake", "0xff");`,
    "(assert.dataSourceExists) No template with name 'Lake' found.",
  ],
  [
    "a data source needs a template",
    `DataSourceTemplate.create("Lake", ["0xa1"]);`,
    "Failed to create data source from name `Lake`: No template with this name available. Available names: Pool.",
  ],
  [
    "logDataSources finds no template",
    `logDataSources("Lake");`,
    "(logDataSources) No template with name 'Lake' found.",
  ],
  [
    "the data source can be mocked",
    `const context = new DataSourceContext(); context.setString("name", "x");
     dataSourceMock.setReturnValues("0x00000000000000000000000000000000000000bb", "gnosis", context);
     assert.stringEquals(dataSource.network(), "gnosis");
     assert.stringEquals(dataSource.address().toHexString(), "0x00000000000000000000000000000000000000bb");
     assert.stringEquals(dataSource.context().getString("name"), "x");`,
  ],
  [
    "the data source has defaults",
    `assert.stringEquals(dataSource.network(), "mainnet"); assert.addressEquals(dataSource.address(), Address.zero());`,
  ],
  [
    "the address of a file data source is the hash of its file",
    `dataSourceMock.setAddress("QmHash"); assert.stringEquals(dataSource.stringParam(), "QmHash");`,
  ],
  [
    "a mocked function answers",
    `createMockedFunction(contract, "f", "f(uint256,(address,bytes4)[]):(bool)").withArgs([one, ethereum.Value.fromTupleArray([
       changetype<ethereum.Tuple>([ethereum.Value.fromAddress(contract), ethereum.Value.fromFixedBytes(Bytes.fromHexString("0x01020304"))])])])
       .returns([ethereum.Value.fromBoolean(true)]);
     const answer = call("f(uint256,(address,bytes4)[]):(bool)", [one, ethereum.Value.fromTupleArray([
       changetype<ethereum.Tuple>([ethereum.Value.fromAddress(contract), ethereum.Value.fromFixedBytes(Bytes.fromHexString("0x01020304"))])])]);
     assert.assertTrue(answer![0].toBoolean());`,
  ],
  [
    "a mocked function reverts",
    `createMockedFunction(contract, "f", "f():(bool)").reverts(); assert.assertTrue(call("f():(bool)", []) === null);`,
  ],
  [
    "mockFunction can be called itself",
    `mockFunction(contract, "f", "f():(uint256)", [], [one], false); assert.equals(call("f():(uint256)", [])![0], one);`,
  ],
  [
    "a function that is not mocked fails",
    `ethereum.call(new ethereum.SmartContractCall("Token", contract, "f", "f(uint256):(uint8)", [one]));`,
    "Could not find a mocked function with the following parameters, address: 0x00000000000000000000000000000000000000aa, name: f, signature f(uint256):(uint8), params: [Uint(1)].",
  ],
  [
    "a mock needs the name of its signature",
    `createMockedFunction(contract, "g", "f():(bool)").reverts();`,
    "createMockedFunction: function name `g` should match the name in the function signature `f():(bool)`",
  ],
  [
    "a mock needs all arguments",
    `createMockedFunction(contract, "f", "f(uint256):(bool)").reverts();`,
    "f expected 1 arguments, but received 0",
  ],
  [
    "a mock needs arguments that fit",
    `createMockedFunction(contract, "f", "f(uint256):(bool)").withArgs([ethereum.Value.fromI32(1)]).reverts();`,
    "createMockedFunction `f` parameters mismatch at position 1:\nExpected: uint256\nReceived: Int(1)",
  ],
  [
    "a mock needs types that exist",
    `createMockedFunction(contract, "f", "f(word):(bool)").withArgs([one]).reverts();`,
    "Unrecognized argument type `word`",
  ],
  [
    "a saved mock cannot be changed",
    `const mock = createMockedFunction(contract, "f", "f():(bool)"); mock.reverts(); mock.reverts();`,
    "You can't modify a MockedFunction instance after it has been saved.",
  ],
  [
    "ipfs.cat reads a mocked file",
    `mockIpfsFile("QmA", "tests/a.json"); assert.stringEquals(ipfs.cat("QmA")!.toString(), '[{"id":"7"},{"id":"8"}]');`,
  ],
  ["ipfs.cat finds no mock", `ipfs.cat("QmB");`, "IPFS file `QmB` not found."],
  [
    "ipfs.cat finds no file",
    `mockIpfsFile("QmC", "tests/c.json"); ipfs.cat("QmC");`,
    "Failed to read file `tests/c.json`",
  ],
  [
    "ipfs.map calls back for every item of a list",
    `mockIpfsFile("QmA", "tests/a.json"); ipfs.map("QmA", "storeItem", Value.fromBigInt(BigInt.fromI32(3)), ["json"]);
     assert.entityCount("Token", 2); assert.fieldEquals("Token", "8", "amount", "3");`,
  ],
  [
    "ipfs.map calls back for every line",
    `mockIpfsFile("QmL", "tests/lines.json"); ipfs.map("QmL", "storeItem", Value.fromBigInt(BigInt.fromI32(3)), ["json"]);
     assert.entityCount("Token", 3);`,
  ],
  [
    "ipfs.map needs its callback",
    `mockIpfsFile("QmA", "tests/a.json"); ipfs.map("QmA", "none", Value.fromI32(1), ["json"]);`,
    "function none not found",
  ],
  ["readFile reads", `assert.stringEquals(readFile("tests/a.json").toString(), '[{"id":"7"},{"id":"8"}]');`],
  ["readFile finds no file", `readFile("tests/none.json");`, "Failed to read file `tests/none.json`"],
  [
    "an entity of the block is found in the block alone",
    `mockInBlockStore("Token", "1", tokenOf("1"));
     assert.assertTrue(store.get_in_block("Token", "1") !== null); assert.assertTrue(store.get("Token", "1") === null);
     clearInBlockStore(); assert.assertTrue(store.get_in_block("Token", "1") === null);`,
  ],
  [
    "mockInBlockStore needs all fields",
    `mockInBlockStore("Token", "1", new Entity());`,
    "Missing value for non-nullable field 'id' for an entity of type 'Token'.",
  ],
  [
    "store.set needs all fields",
    `store.set("Token", "1", new Entity());`,
    "Missing value for non-nullable field 'id' for an entity of type 'Token'.",
  ],
  [
    "store.set needs values in required fields",
    `const token = tokenOf("1"); token.set("amount", Value.fromNull()); store.set("Token", "1", token);`,
    "The required field 'amount' for an entity of type 'Token' is null.",
  ],
  ["store.set needs a type", `store.set("Coin", "1", tokenOf("1"));`, "The schema has no entity type Coin"],
  ["store.remove removes", `save("1"); store.remove("Token", "1"); assert.notInStore("Token", "1");`],
  [
    "store.remove finds nothing",
    `store.remove("Token", "1");`,
    "(store.remove) Entity with type 'Token' and id '1' does not exist.",
  ],
  [
    "derived entities are found",
    `save("1"); save("2"); assert.i32Equals(store.loadRelated("Owner", "0xaa", "tokens").length, 2);
     assert.i32Equals(store.loadRelated("Owner", "0xbb", "tokens").length, 0);`,
  ],
  ["every hash has an ENS name", `assert.stringEquals(ens.nameByHash("0x01")!, "default");`],
  [
    "graph-ts works",
    `assert.stringEquals(json.fromString("[1]").toArray()[0].toBigInt().pow(2).toHexString(), "0x1");`,
  ],
  [
    "a mocked event has defaults",
    `const event = newMockEvent(); assert.i32Equals(event.block.number.toI32(), 1);
     assert.stringEquals(event.address.toHexString(), "0xa16081f360e3847006db660bae1c6d1b2e17ec2a");
     assert.i32Equals(newMockCall().inputValues.length, 0);`,
  ],
  [
    "logEntity needs a type",
    `logEntity("Coin", "1");`,
    '(logEntity) Entity "Coin" does not match any of the schema definitions',
  ],
  ["a critical log stops the test", `log.critical("stop {}", ["here"]);`, "stop here"],
  ["a critical log of graph-ts stops the test", `graphLog.critical("stop {}", ["there"]);`, "stop there"],
  ["an error is thrown", `throw new Error("thrown");`, "Mapping aborted at tests/a.test.ts, line "],
  ["a trap fails", `let zero = 0; assert.i32Equals(1 / zero, 1);`, "The mapping trapped in "],
];

describe("a host function of tests", () => {
  let outcome: SuiteOutcome;
  const text = `${beginning}\n${cases.map(([name, code]) => `test(${JSON.stringify(name)}, () => { ${code} });`).join("\n")}
test("lines are logged", () => {
  save("1");
  log.error("an error", []); log.warning("a warning", []); log.info("{} info", ["an"]); log.debug("debug", []);
  log.success("success", []); graphLog.info("graph-ts", []);
  logStore(); logEntity("Token", "1"); logEntity("Owner", "0xaa", true);
  const owner = new Entity(); owner.set("id", Value.fromBytes(Bytes.fromHexString("0xaa")));
  store.set("Owner", "0xaa", owner);
  logEntity("Owner", "0xaa", true);
});`;

  beforeAll(async () => {
    const files = {
      "tests/a.json": '[{"id":"7"},{"id":"8"}]',
      "tests/lines.json": '{"id":"7"}\n{"id":"8"}\n{"id":"9"}\n',
    };
    outcome = await runAssembly(text, { schema, files, templates: { Pool: "ethereum/contract" } });
    expect(outcome.broken).toEqual([]);
  });

  it.each(cases)("gives the verdict: %s", (name, _, failure) => {
    const test = outcome.tests.find((one) => one.name === name);
    const errors = test?.lines.filter(({ level }) => level !== "debug" || failure !== undefined) ?? [];
    expect({ name, passed: test?.passed, first: errors[0]?.text ?? "" }).toEqual({
      name,
      passed: failure === undefined,
      first: failure === undefined ? "" : expect.stringContaining(failure),
    });
  });

  it.each(
    cases.filter(([, , failure]) => failure !== undefined),
  )("says on which line of the test it failed: %s", (name) => {
    const line = text.split("\n").findIndex((each) => each.startsWith(`test(${JSON.stringify(name)},`)) + 1;
    expect(linesOf(outcome, name).at(-1)).toContain(`tests/a.test.ts:${line} `);
  });

  it("logs lines of every level, and entities with the types of their values", () => {
    const lines = linesOf(outcome, "lines are logged");
    expect(lines.slice(0, 6).map((line) => line.replace(/tests\S+ /, ""))).toEqual([
      "error an error",
      "warning a warning",
      "info an info",
      "debug debug",
      "success success",
      "info graph-ts",
    ]);
    const shown = lines.slice(6).map((line) => JSON.parse(line.replace("debug ", "")));
    const token = {
      id: { type: "String", data: "1" },
      owner: { type: "Bytes", data: "0xaa" },
      amount: { type: "BigInt", data: "5" },
      price: { type: "BigDecimal", data: "1.5" },
      flags: {
        type: "List",
        data: [
          { type: "Bool", data: true },
          { type: "Bool", data: false },
        ],
      },
    };
    expect(shown).toEqual([
      { Token: { "1": token } },
      token,
      {},
      { id: { type: "Bytes", data: "0xaa" }, tokens: [token] },
    ]);
  });
});
