import { describe, expect, it } from "vitest";
import { check, dataSource, minimal, template } from "./harness.js";

const right = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const wrong = "0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const rootstock = "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD";

const enrich = (...sources: readonly string[]): object => ({
  handlers: {
    E: {
      calls: Object.fromEntries(sources.map((source, index) => [`c${index}`, { name: "f", source }])),
      entities: {},
    },
  },
});

async function checksums(...instances: readonly object[]): Promise<readonly string[]> {
  const { found } = await check(minimal({ instances }));
  return found.filter((line) => line.includes("address-checksum"));
}

describe("the address that a call is made to", () => {
  const warning = `${wrong} warning address-checksum: the checksum of this address is wrong`;

  it.each<[string, string, readonly string[]]>([
    ["on its own", wrong, [warning]],
    ["with space around", ` ${wrong} `, [warning]],
    ["in an expression", `Address.fromString("${wrong}")`, [warning]],
    ["in a choice", `event.params.flag ? Address.fromString('${wrong}') : event.address`, [warning]],
    ["all in lower case", wrong.toLowerCase(), []],
    ["with a right checksum", `Address.fromString("${right}")`, []],
    ["in something longer", `Address.fromString("${wrong}00")`, []],
    ["of the event", "event.address", []],
  ])("is checked where it is certain: %s", async (_, source, want) => {
    expect(await checksums({ ...dataSource, enrich: enrich(source) })).toEqual(want);
  });

  it("is checked in every call", async () => {
    expect(await checksums({ ...dataSource, enrich: enrich(wrong, right, wrong) })).toEqual([
      warning,
      warning,
    ]);
  });

  it("may have the checksum of its chain", async () => {
    const on = (chain: string): object => ({ ...dataSource, chain, enrich: enrich(rootstock) });
    expect(await checksums(on("rootstock"))).toEqual([]);
    expect(await checksums(on("mainnet"))).toHaveLength(1);
  });

  it("may have the checksum of any known chain in a template", async () => {
    const made = { ...template, enrich: enrich(rootstock, wrong) };
    expect(await checksums({ ...dataSource, chain: "rootstock" }, made)).toEqual([warning]);
  });
});
