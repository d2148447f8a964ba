import { Interface } from "ethers";
import { beforeAll, describe, expect, it } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { buildConfig, type PlainEntity, type Ran, runOn } from "../harness.js";
import { deployFrom } from "./expected.js";
import { MISFITS, ODD_SOURCE } from "./misfits.js";

const odd = new Interface([
  ...["Asked", "Needed", "Depended", "Held"].map((name) => `event ${name}(uint256 x)`),
  ...MISFITS.map(({ returns }, i) => `function f${i}() view returns (${returns})`),
  "function decimals() view returns (uint8)",
  "function kinds(uint8[] list) view returns (uint8)",
]);
const tooLarge = `0x${(2n ** 40n).toString(16).padStart(64, "0")}`;

const anvil = useAnvil();
let ran: Ran;
let seen: PlainEntity;
beforeAll(async () => {
  const contract = await deployFrom(anvil(), ODD_SOURCE, "Odd");
  const answers = [
    ...MISFITS.map(({ answer }, i) => [`f${i}`, answer]),
    ["decimals", tooLarge],
    ["kinds", tooLarge],
  ];
  for (const [name = "", answer] of answers) {
    await anvil().send(contract, "set", [odd.getFunction(name)?.selector, answer]);
  }
  await anvil().send(contract, "fire", []);
  const decimals = { name: "decimals" };
  const kept = { "x uint256": "event.params.x" };
  const built = await buildConfig({
    abis: { Odd: JSON.parse(odd.formatJson()) },
    instances: [
      {
        abi: "Odd",
        address: contract.address,
        startBlock: 0,
        chain: "mainnet",
        enrich: {
          handlers: {
            Asked: {
              calls: {
                ...Object.fromEntries(MISFITS.map((_, i) => [`f${i}`, { name: `f${i}` }])),
                kinds: { name: "kinds", params: "[1, 2]" },
              },
              entities: {
                Seen: {
                  ...Object.assign({}, ...MISFITS.map((row, i) => fieldsOf(row, i))),
                  "kindsGone bool": "calls.kinds_reverted",
                },
              },
            },
            Needed: { calls: { dec: { ...decimals, required: true } }, entities: { NeededToo: kept } },
            Depended: {
              calls: { dec: decimals, next: { name: "f0", depends_on: ["dec"] } },
              entities: { DependedToo: kept },
            },
            Held: {
              calls: { dec: { ...decimals, conditions: { post: "true" } } },
              entities: { HeldToo: kept },
            },
          },
        },
      },
    ],
  });
  ran = await runOn(anvil(), built);
  seen = (await ran.all("Seen"))[0] ?? {};
});

function fieldsOf({ returns, field }: (typeof MISFITS)[number], i: number): object {
  const [type, expression] = field ?? [returns, (call: string) => call];
  return { [`f${i} ${type}`]: expression(`calls.f${i}`), [`f${i}Gone bool`]: `calls.f${i}_reverted` };
}

describe("an answer of a call that is not required", () => {
  it.each(
    MISFITS.map((row, i) => [row.returns, row.about, i] as const),
  )("that does not fit its type counts as failed, and any other is stored (%s: %s)", (_, __, i) => {
    const row = MISFITS[i];
    expect(ran.failure).toBeUndefined();
    const isGone = row?.stored === undefined || row.stored === -1;
    expect([seen[`f${i}`], seen[`f${i}Gone`]]).toEqual([row?.stored, isGone]);
  });

  it("counts as failed also when graphloom encodes the arguments itself", () => {
    expect(seen.kindsGone).toBe(true);
  });
});

it.each([
  "Needed",
  "Depended",
  "Held",
])("an answer that does not fit ends the enrichment where a failed call does (%s)", async (name) => {
  expect(ran.failure).toBeUndefined();
  expect(await ran.all(name)).toHaveLength(1);
  expect(await ran.all(`${name}Too`)).toEqual([]);
});
