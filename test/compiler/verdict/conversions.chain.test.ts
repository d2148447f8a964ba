import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { buildConfig, type PlainEntity, runOn } from "../../runtime/harness.js";
import { answered, deployFrom } from "../../runtime/tables/expected.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { CONVERSIONS, PARAMETERS } from "./conversion-rows.js";

/* The table of docs/conversions.md is made from what is seen here. UPDATE_GOLDEN=1 writes it. */
const manual = new URL("../../../docs/conversions.md", import.meta.url);
const inputs = PARAMETERS.map(([type, name]) => `${type} ${name}`).join(", ");
const values = PARAMETERS.map(([, , value]) => value);
const SOURCE = `
contract Numbers {
  event E(${inputs});
  function fire(${inputs}) external { emit E(${PARAMETERS.map(([, name]) => name).join(", ")}); }
  ${CONVERSIONS.map(
    ({ solidity }, i) =>
      `function r${i}(${inputs}) external pure returns (int256) { unchecked { return int256(${solidity}); } }`,
  ).join("\n  ")}
}`;

const anvil = useAnvil();
let stored: PlainEntity = {};
let said: readonly (readonly Diagnostic[])[] = [];
let onChain: readonly bigint[] = [];
beforeAll(async () => {
  const contract = await deployFrom(anvil(), SOURCE, "Numbers");
  const { blockNumber } = await anvil().send(contract, "fire", values);
  const asked: bigint[] = [];
  for (const i of CONVERSIONS.keys()) {
    asked.push((await answered(anvil(), contract, `r${i}`, values, blockNumber))[0]);
  }
  onChain = asked;
  const fields = CONVERSIONS.flatMap(({ wrong, right }, i) => [
    [`wrong${i} ${wrong[0]}`, wrong[1]],
    [`right${i} ${right[0]}`, right[1]],
  ]);
  const built = await buildConfig({
    abis: { Numbers: compileContract(SOURCE, "Numbers").abi },
    instances: [
      {
        abi: "Numbers",
        address: contract.address,
        startBlock: 0,
        chain: "mainnet",
        enrich: { handlers: { E: { entities: { X: Object.fromEntries(fields) } } } },
      },
    ],
  });
  said = fields.map(([field]) => built.diagnostics.filter(({ at }) => at?.pointer.endsWith(`/X/${field}`)));
  const ran = await runOn(anvil(), built);
  expect(ran.failure).toBeUndefined();
  stored = (await ran.all("X"))[0] ?? {};
});

const named = CONVERSIONS.map(({ what }, i) => [what, i] as const);
const warningsOf = (i: number): readonly Diagnostic[] => said[2 * i] ?? [];

/** A stored number as the contract returns it: a decimal times 10¹⁸. */
function scaled(value: unknown, type: string): bigint {
  if (type !== "fixed") return BigInt(value as bigint);
  const [whole = "", fraction = ""] = String(value).split(".");
  return BigInt(whole + fraction.slice(0, 18).padEnd(18, "0"));
}

describe("a conversion that AssemblyScript makes silently", () => {
  it.each(named)("warns and offers a fix: %s", (_, i) => {
    const [warning] = warningsOf(i);
    expect(warning).toMatchObject({ severity: "warning", code: "number-overflow" });
    expect(warning?.hint).toBeTruthy();
  });

  it.each(named)("changes the value, and the fixed expression has the EVM's: %s", (_, i) => {
    const { wrong, right } = CONVERSIONS[i] ?? { wrong: [""], right: [""] };
    const rightValue = scaled(stored[`right${i}`], right[0]);
    expect(rightValue).toBe(onChain[i]);
    const wrongValue = stored[`wrong${i}`];
    const isNumber = wrong[0] !== "string";
    expect(isNumber ? scaled(wrongValue, right[0]) : wrongValue).not.toBe(
      isNumber ? rightValue : `${rightValue}.0`,
    );
  });

  it.each(named)("does not warn after the fix: %s", (_, i) => {
    expect(said[2 * i + 1]?.map(({ label }) => label)).toEqual([]);
  });
});

it("each conversion is in the manual, with its warning, its fix and the value on a chain", () => {
  const lines = CONVERSIONS.map(({ what, wrong, right }, i) => {
    const cell = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;
    const label = warningsOf(i)[0]?.label ?? "";
    const held = [stored[`wrong${i}`], stored[`right${i}`]].map(String);
    return `| ${what} | ${cell(wrong[1])} | ${held[0]} | ${label} | ${cell(right[1])} | ${held[1]} |`;
  });
  const text = readFileSync(manual, "utf8");
  const before = text.slice(
    0,
    text.indexOf("|---|---|---|---|---|---|\n") + "|---|---|---|---|---|---|\n".length,
  );
  const after = text.slice(text.indexOf("\n\n", before.length));
  const wanted = `${before}${lines.join("\n")}${after}`;
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(manual, wanted);
  expect(readFileSync(manual, "utf8")).toBe(wanted);
});
