import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { event, fn } from "../../compiler/abi/entries.js";
import { graphloom, workplace } from "../harness.js";

const tokenAddress = `0x${"0".repeat(38)}a1`;
const handlers = {
  "Transfer(address,address,uint256)": {
    calls: {
      balance: { name: "balanceOf", params: "event.params.to", required: true },
      supply: { name: "totalSupply" },
    },
    entities: {
      Balance: [
        {
          id: "event.params.to.toHexString()",
          explicit_id: true,
          mapping: { "amount uint256": "calls.balance" },
        },
      ],
      Supply: { "amount uint256": "calls.supply", "note string": '"a"' },
      Mark: { "size uint256": "event.params.value" },
    },
  },
};
const base = {
  version: "1",
  name: "pools/1.0.0",
  abis: {
    Token: [
      event("Transfer", "address from", "address to", "uint256 value"),
      event("Approval", "address owner", "uint256 value"),
      fn("balanceOf", "view", ["address owner"], ["uint256 value"]),
      fn("totalSupply", "view", [], ["uint256 value"]),
    ],
    Factory: [event("Created", "address token", "address other"), event("Closed", "address token")],
    Child: [event("Moved", "uint256 value"), event("Split", "address half")],
    Grandchild: [event("Grown", "uint256 value")],
  },
  instances: [
    { abi: "Token", address: tokenAddress, startBlock: 10, chain: "mainnet", enrich: { handlers } },
    { abi: "Factory", address: `0x${"0".repeat(38)}f1`, startBlock: 20, chain: "mainnet" },
    {
      abi: "Child",
      source: { abi: "Factory", eventSignature: "Created(address,address)", addressParam: "token" },
    },
    { abi: "Grandchild", source: { abi: "Child", eventSignature: "Split(address)", addressParam: "half" } },
  ],
};
const text = JSON.stringify(base, null, 2);

/** Compares the configuration with a changed copy. */
async function diff(...changes: readonly (readonly [before: string, after: string])[]) {
  const now = changes.reduce((config, [before, after]) => {
    expect(config).toContain(before);
    return config.replace(before, after);
  }, text);
  const cwd = workplace({ "old.json": text, "new.json": now });
  const ran = await graphloom(cwd, "diff old.json new.json --output json");
  expect(ran.err).toBe("");
  const told = JSON.parse(ran.out);
  const lineOf = (part: string): number => now.slice(0, now.indexOf(part)).split("\n").length;
  const reasons: Record<string, string[]> = {};
  for (const { entity, reasons: own } of told.reindex)
    reasons[entity] = own.map(({ text: reason, place }: Told) =>
      place ? `${reason} @${place.line}` : reason,
    );
  return { code: ran.code, told, schema: told.schema.map(schemaLine), reasons, lineOf, cwd };
}

interface Told {
  readonly text: string;
  readonly breaking: boolean;
  readonly place: { readonly path: string; readonly line: number } | null;
}

const schemaLine = ({ text: words, breaking, place }: Told): string =>
  `${breaking ? "breaking: " : ""}${words}${place ? ` @${place.path}:${place.line}` : ""}`;
const source = `Token at ${tokenAddress} on mainnet`;
const transfer = "event Transfer(address,address,uint256)";

describe("diff", () => {
  it("finds no changes when only the formatting changed", async () => {
    const cwd = workplace({ "old.json": text, "new.json": JSON.stringify(base).replaceAll('"a1"', '"a1"') });
    const { code, out } = await graphloom(cwd, "diff old.json new.json");
    expect([code, out]).toEqual([0, "Nothing changes.\n"]);
  });

  it("reports a changed start block at its line", async () => {
    const { code, schema, reasons, lineOf } = await diff(['"startBlock": 10', '"startBlock": 5']);
    const reason = `${source} now starts at block 5, previously at 10 @${lineOf('"startBlock": 5')}`;
    expect([code, schema]).toEqual([0, []]);
    expect(reasons).toEqual({
      Approval: [reason],
      Balance: [reason],
      Mark: [reason],
      Supply: [reason],
      Transfer: [reason],
    });
  });

  it("follows a changed address to the contracts that it creates", async () => {
    const { code, reasons, lineOf } = await diff(["00f1", "00f2"]);
    const moved = `Factory on mainnet is now at 0x${"0".repeat(38)}f2, previously at 0x${"0".repeat(38)}f1`;
    const place = ` @${lineOf("00f2")}`;
    expect([code, reasons]).toEqual([
      0,
      {
        Closed: [moved + place],
        Created: [moved + place],
        Grown: [`${moved}, which creates Grandchild${place}`],
        Moved: [`${moved}, which creates Child${place}`],
        Split: [`${moved}, which creates Child${place}`],
      },
    ]);
  });

  it("reports a change of the event that creates contracts", async () => {
    const { reasons, lineOf } = await diff(["Created(address,address)", "Closed(address)"]);
    const reason =
      "contracts of the template Child on mainnet are now created by Closed(address) of Factory, previously by Created(address,address) of Factory";
    const place = ` @${lineOf('"abi": "Child"')}`;
    expect(reasons).toEqual({
      Grown: [`${reason}, which creates Grandchild${place}`],
      Moved: [reason + place],
      Split: [reason + place],
    });
  });

  it("reports a change of the parameter that names created contracts, and follows it to their entities", async () => {
    const { reasons, lineOf } = await diff(['"addressParam": "token"', '"addressParam": "other"']);
    const reason =
      "contracts of the template Child on mainnet are now created by Created(address,address) of Factory at its parameter other, previously by Created(address,address) of Factory at its parameter token";
    const place = ` @${lineOf('"abi": "Child"')}`;
    expect(reasons).toEqual({
      Grown: [`${reason}, which creates Grandchild${place}`],
      Moved: [reason + place],
      Split: [reason + place],
    });
    // The same parameter with a new name.
    const renamed = await diff(
      ['"name": "token"', '"name": "child"'],
      ['"addressParam": "token"', '"addressParam": "child"'],
    );
    expect(Object.keys(renamed.reasons)).toEqual(["Created"]);
  });

  it("finds no changes when an ABI is renamed, including its calls and templates", async () => {
    for (const abi of ["Token", "Factory", "Child"]) {
      const now = text.replaceAll(`"${abi}"`, `"${abi}Two"`);
      const cwd = workplace({ "old.json": text, "new.json": now });
      const { code, out } = await graphloom(cwd, "diff old.json new.json --output json");
      expect([abi, code, JSON.parse(out)]).toMatchObject([abi, 0, { schema: [], reindex: [] }]);
    }
  });

  it("reports that query addresses change with the name and with a second chain", async () => {
    const named = await diff(['"pools/1.0.0"', '"lakes/1.0.0"']);
    expect([named.code, named.schema]).toEqual([
      4,
      ["breaking: the subgraph pools is now deployed as lakes: its address changes"],
    ]);
    expect((await diff(['"pools/1.0.0"', '"pools/2.0.0"'])).told).toMatchObject({
      breaking: false,
      schema: [],
    });
    const second = `{ "abi": "Token", "address": "${tokenAddress}", "startBlock": 1, "chain": "base" },`;
    const chains = await diff(['"instances": [', `"instances": [ ${second}`]);
    expect([chains.code, chains.schema]).toEqual([
      4,
      [
        "breaking: the subgraph pools is now deployed as pools-mainnet: its address changes",
        "the subgraph pools-base is new",
      ],
    ]);
    const cwd = workplace({
      "old.json": readFileSync(join(chains.cwd, "new.json"), "utf8"),
      "new.json": text,
    });
    const { code, out } = await graphloom(cwd, "diff old.json new.json");
    expect(code).toBe(4);
    expect(out).toContain("  the subgraph pools-mainnet is now deployed as pools: its address changes\n");
    expect(out).toContain("  the subgraph pools-base is no longer deployed: its address stops answering\n");
  });

  it("lists only the entities that a changed call or expression affects", async () => {
    const supply = await diff(['"totalSupply"\n', '"totalSupply",\n"source": "event.params.from"\n']);
    expect(Object.keys(supply.reasons)).toEqual(["Supply"]);
    expect(supply.reasons.Supply).toEqual([
      `${transfer}: the call supply is now totalSupply():(uint256) with () at event.params.from, previously totalSupply():(uint256) with () @${supply.lineOf('"supply"')}`,
    ]);
    // When a required call fails, its handler stores nothing; only the transfer itself is stored.
    const balance = await diff(['event.params.to"', 'event.params.from"']);
    expect(Object.keys(balance.reasons)).toEqual(["Balance", "Mark", "Supply"]);
    const size = await diff(['"event.params.value"', '"event.params.value.plus(BigInt.fromI32(1))"']);
    expect(size.reasons).toEqual({
      Mark: [
        `${transfer}: size is now event.params.value.plus(BigInt.fromI32(1)), previously event.params.value @${size.lineOf("plus(")}`,
      ],
    });
    expect(size.code).toBe(0);
  });

  it("reports breaking changes at their lines, and ends with 4", async () => {
    const { code, schema, reasons, lineOf } = await diff(
      ['"note string": "\\"a\\""', '"memo bytes": "event.params.to"'],
      ['"size uint256": "event.params.value"', '"size string": "event.params.value.toString()"'],
    );
    expect(code).toBe(4);
    expect(schema).toEqual([
      `breaking: Mark.size changed its type from BigInt! to String! @new.json:${lineOf("toString()")}`,
      expect.stringMatching(/^breaking: Supply\.note was removed @old\.json:\d+$/),
      `Supply.memo is new @new.json:${lineOf("memo bytes")}`,
    ]);
    expect(reasons.Supply).toEqual([`memo is new @${lineOf("memo bytes")}`]);
    expect(reasons.Mark?.[0]).toBe(`size is now String!, previously BigInt! @${lineOf("toString()")}`);
  });

  it("detects a rename when handlers store the same, and otherwise marks it as uncertain", async () => {
    const sure = await diff(['"Mark"', '"Sign"'], ['"note string"', '"memo string"']);
    expect(sure.code).toBe(4);
    expect(sure.schema).toEqual([
      `breaking: Mark was renamed to Sign @new.json:${sure.lineOf("size uint256")}`,
      `breaking: Supply.note was renamed to Supply.memo @new.json:${sure.lineOf("memo string")}`,
      expect.stringContaining("breaking: Transfer.marks was renamed to Transfer.signs"),
    ]);
    expect(sure.reasons.Sign).toEqual([
      expect.stringMatching(/^it was renamed from Mark and is now in a different table @/),
    ]);
    const unsure = await diff(['"note string": "\\"a\\""', '"memo string": "\\"b\\""']);
    expect(unsure.schema).toEqual([
      expect.stringMatching(
        /^breaking: renamed\? Supply\.note to Supply\.memo, which looks the same; otherwise /,
      ),
    ]);
    expect(unsure.told.schema[0]).toMatchObject({ kind: "field-renamed", from: "note", certain: false });
  });

  it("reports events and contracts that were added and removed", async () => {
    const { code, schema, reasons } = await diff(
      ['"Approval"', '"Permit"'],
      [`${"0".repeat(38)}f1"`, `${"0".repeat(38)}f1"`],
    );
    expect(code).toBe(4);
    // Equal parameters do not prove a rename.
    expect(schema).toEqual([
      expect.stringMatching(/^breaking: renamed\? Approval to Permit, which looks the same/),
    ]);
    expect(reasons).toEqual({
      Permit: [
        expect.stringContaining("it was renamed from Approval"),
        expect.stringContaining(`event Permit(address,uint256) of ${source} is now handled`),
      ],
    });
    const second = `{ "abi": "Token", "address": "0x${"0".repeat(38)}b2", "startBlock": 1, "chain": "mainnet" },`;
    const more = await diff(['"instances": [', `"instances": [ ${second}`]);
    expect(more.code).toBe(0);
    expect(more.reasons).toEqual({
      Approval: [expect.stringMatching(/^Token at 0x0+b2 on mainnet was added @\d+$/)],
      Transfer: [expect.stringMatching(/^Token at 0x0+b2 on mainnet was added @\d+$/)],
    });
  });

  it("reads builds, schemas and standard input", async () => {
    const cwd = workplace({ "old.json": text });
    expect((await graphloom(cwd, "compile old.json --out built --build")).code).toBe(0);
    const same = await graphloom(cwd, "diff built old.json");
    expect([same.code, same.out]).toEqual([
      0,
      "A build lists its contracts and events, but not what each handler stores. Code is not compared.\n\nNothing changes.\n",
    ]);
    writeFileSync(
      join(cwd, "new.json"),
      text
        .replace('"startBlock": 20', '"startBlock": 30')
        .replace('calls.balance"', 'calls.balance.plus(calls.balance)"'),
    );
    expect((await graphloom(cwd, "compile new.json --out newer --build")).code).toBe(0);
    const builds = await graphloom(cwd, "diff built newer/build/subgraph.yaml");
    expect([builds.code, builds.err]).toEqual([0, ""]);
    expect(builds.out).toContain(
      `Factory at 0x${"0".repeat(38)}f1 on mainnet now starts at block 30, previously at 20\n`,
    );
    expect(builds.out).toContain(`the code of ${source} changed`);
    const schema = readFileSync(join(cwd, "built/schema.graphql"), "utf8");
    mkdirSync(join(cwd, "alone"));
    writeFileSync(join(cwd, "alone/schema.graphql"), schema.replace("note: String!", "note: String"));
    for (const side of ["alone", "alone/schema.graphql"]) {
      const less = await graphloom(cwd, `diff - ${side}`, { stdin: text });
      expect(less.code).toBe(4);
      expect(less.out).toContain("Supply.note changed its type from String! to String");
      expect(less.out).toContain("Only the schema of one side is known");
    }
    writeFileSync(join(cwd, "bad.graphql"), "type {");
    const bad = await graphloom(cwd, "diff old.json bad.graphql");
    expect([bad.code, bad.err]).toEqual([
      1,
      expect.stringContaining('"bad.graphql": the schema is not GraphQL'),
    ]);
  });

  it("reports errors in the configuration and in the command line", async () => {
    const cwd = workplace({
      "old.json": text,
      "bad.json": text.replace('"startBlock": 10', '"startBlock": "x"'),
    });
    const bad = await graphloom(cwd, "diff old.json bad.json");
    expect([bad.code, bad.out]).toEqual([1, ""]);
    expect(bad.err).toContain("bad.json:");
    const missing = await graphloom(cwd, "diff nothing.json old.json");
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("nothing.json")]);
    expect((await graphloom(cwd, "diff - -")).code).toBe(2);
  });
});
