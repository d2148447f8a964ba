import { expect, it } from "vitest";
import { address, findings, vault } from "./harness.js";

const other = "0x00000000000000000000000000000000000000a2";

/** Eight lines are wrong, each in its own way. Different parts of the compiler find them. */
const config = `{
  "version": "1",
  "abis": { "Vault": { "path": "v.json" } },
  "instances": [
    { "abi": "Vualt", "address": "${address}", "startBlock": 1, "chain": "mainnet",
      "enrich": { "handlers": { "Nowhere": { "entities": {} } } } },
    { "abi": "Vault", "address": "${other}",
      "startblock": 1,
      "chain": "mainnet", "enrich": { "handlers": {
        "Deposited": { "entities": { "Lost": { "a uint256": "event.params.nothing" } } },
        "Deposit": {
          "calls": {
            "held": { "name": "balanceOff", "params": "event.params.who" },
            "sum": { "name": "balanceOf", "depends_on": ["held"] },
            "open": { "name": "isOpen", "required": true, "depends_on": ["sums"] }
          },
          "entities": {
            "Share": { "held uint256": "calls.held", "sum uint256": "calls.sum", "open bool": "calls.open" },
            "Payout": { "amount uint256": "event.params.amout", "gone bool": "calls.held_reverted" }
          }
        },
        "Withdraw": { "entities": { "Share": { "held string": "event.params.who.toHexString()" } } }
      } } }
  ]
}
`;

const faults = [
  'error unknown-abi 5:14 "Vualt"',
  'error unknown-key 8:7 "startblock"',
  'error unknown-signature 10:9 "Deposited"',
  'error unknown-function 13:31 "balanceOff"',
  'error wrong-argument-count 14:30 "balanceOf"',
  'error unknown-call 15:74 "sums"',
  "error unknown-parameter 19:57 amout",
  "error field-type-conflict 22:54 string",
];

/** The same without errors, with one change for each. */
const corrections: readonly (readonly [wrong: string, right: string])[] = [
  ["Vualt", "Vault"],
  ["startblock", "startBlock"],
  ["Deposited", "Created"],
  ["balanceOff", "balanceOf"],
  ['"balanceOf", "depends_on"', '"balanceOf", "params": "event.address", "depends_on"'],
  ['"sums"', '"sum"'],
  ["amout", "amount"],
  ["held string", "owner string"],
  // These could not be checked before.
  ["Nowhere", "Created"],
  ["event.params.nothing", "event.params.kind"],
];

const files = (text: string) => ({ "c.json": text, "v.json": JSON.stringify(vault) });

it.each([
  "compile",
  "check",
] as const)("%s reports eight faults together, in order, each once, and no consequences", async (command) => {
  const { found, ok } = await findings(command, files(config));
  expect(ok).toBe(false);
  expect(found).toEqual(faults);
});

it("the compiler reports no error once all eight are corrected", async () => {
  const text = corrections.reduce((left, [wrong, right]) => {
    expect(left).toContain(wrong);
    return left.replace(wrong, right);
  }, config);
  const { found } = await findings("compile", files(text));
  expect(found.filter((line) => line.startsWith("error"))).toEqual([]);
});
