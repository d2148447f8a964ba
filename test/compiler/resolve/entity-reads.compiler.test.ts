// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of another language
import { describe, expect, it } from "vitest";
import { address, findings, vault } from "../pipeline/harness.js";

/** Our own findings about handlers of the vault, without the places. */
async function said(
  handlers: Readonly<Record<string, object>>,
  command: "compile" | "check" = "compile",
): Promise<readonly string[]> {
  const text = JSON.stringify(
    {
      version: "1",
      abis: { Vault: vault },
      instances: [{ abi: "Vault", address, startBlock: 1, chain: "mainnet", enrich: { handlers } }],
    },
    null,
    1,
  );
  const { found } = await findings(command, { "c.json": text });
  return found.filter((line) => !/may-abort/.test(line)).map((line) => line.replace(/ \d+:\d+/, ""));
}

const unset = (field: string): string => `error field-not-set-yet ${field}`;
const extra = { "extra uint256": "event.params.amount" };
const total = (more: object) => ({ total: { name: "total", ...more } });
const item = (id: string, mapping: object = extra) => ({ id, mapping });
const whole = (id: string) => ({ ...item(id), explicit_id: true });

describe("a field read from the triggering entity", () => {
  it.each<readonly [string, object, readonly string[]]>([
    ["a parameter, in its own mapping", { Deposit: { "a uint256": "entity.amount" } }, []],
    ["a field of every such entity", { Deposit: { "a uint256": "entity.timestamp_" } }, []],
    ["its own field", { Deposit: { "a uint256": "entity.a!" } }, [unset("a")]],
    [
      "an earlier field of its mapping, in parentheses",
      { Deposit: { ...extra, "z uint256": "(entity as Deposit).extra!" } },
      [unset("extra")],
    ],
    ["that field in a different entity", { Deposit: extra, Other: { "a uint256": "entity.extra!" } }, []],
    ["that field in an id", { Deposit: extra, Other: [item("entity.extra!.toString()")] }, []],
    [
      "a field that only a different handler sets",
      { Other: { "a uint256": "entity.elsewhere!" } },
      [unset("elsewhere")],
    ],
    ["such a field in an id", { Other: [item("entity.elsewhere!.toString()")] }, [unset("elsewhere")]],
  ])("is reported only when it is not yet set: %s", async (_, entities, want) => {
    const other = instanceThatSets("elsewhere");
    expect(await said({ Deposit: { entities }, ...other })).toEqual(want);
  });

  it.each([
    ["an argument", { name: "large", params: "entity.extra!" }],
    ["a condition before", { conditions: { pre: "entity.extra! > BigInt.zero()" } }],
    ["a condition after", { conditions: { post: "entity.extra! > BigInt.zero()" } }],
  ])("is reported in %s of a call, which runs before its mapping", async (_, call) => {
    const handler = { calls: total(call), entities: { Deposit: extra } };
    expect(await said({ Deposit: handler })).toEqual([unset("extra")]);
  });
});

/** A second handler, which loads entities of the same type and adds a field to them. */
function instanceThatSets(field: string): Readonly<Record<string, object>> {
  const mapping = { [`${field} uint256`]: "event.params.amount" };
  const id = "event.transaction.hash.toHexString()";
  return { Withdraw: { entities: { Deposit: [{ id, explicit_id: true, mapping }] } } };
}

describe("constant ids in one list", () => {
  const same = '"out"';
  it.each<readonly [string, readonly object[], boolean]>([
    ["equal", [item(same), item(same)], true],
    ["equal, written in other ways", [item(same), item("(('o') + `u${'t'}`)")], true],
    ["equal whole ids", [whole(same), whole(same)], true],
    ["different", [item(same), item('"in"')], false],
    ["equal, one of them a whole id", [item(same), whole(same)], false],
    ["not constant", [item("event.params.amount.toString()"), item("event.params.who.toHexString()")], false],
  ])("are compared by value: %s", async (_, Other, isError) => {
    const found = await said({ Deposit: { entities: { Other } } });
    expect(found.map((line) => line.split(" ", 2).join(" "))).toEqual(isError ? ["error duplicate-id"] : []);
  });

  it("may repeat those of a different list", async () => {
    expect(await said({ Deposit: { entities: { A: [item(same)], B: [item(same)] } } })).toEqual([]);
  });
});

it("the compiler warns about a number outside the range of an argument's type", async () => {
  const calls = {
    small: { name: "small", params: "300" },
    large: { name: "large", params: "BigInt.fromI32(-1)" },
    fine: { name: "small", params: "255" },
  };
  expect(await said({ Deposit: { calls, entities: {} } }, "check")).toEqual([
    "warning number-overflow 300",
    "warning number-overflow BigInt.fromI32(-1)",
  ]);
});
