import { id } from "ethers";
import { argumentRows } from "../../compiler/behaviour/argument-rows.js";
import { eventTypeRows } from "../../compiler/behaviour/event-type-rows.js";
import { a, instance, type Scenario } from "../../compiler/behaviour/harness.js";
import type { Place, PlayedBlocks } from "../../compiler/behaviour/played-blocks.js";
import type { Contracts } from "../../compiler/behaviour/played-contracts.js";
import { resultRows } from "../../compiler/behaviour/result-rows.js";
import { bank, bankHandlers } from "./bank.js";

/** A step of the scenario, in a separate block of the chain. */
export interface Happening {
  readonly name: string;
  /** The results of contract calls in that block. */
  readonly contracts: Contracts;
  happen(blocks: PlayedBlocks, place: Place): void;
}

const types = [
  ...eventTypeRows.map(([solidity], i) => `event Type${i}(${solidity} value)`),
  "event Order(tuple(address maker, tuple(uint8 kind, string note) terms, uint256[] ids, uint8[][] grid) order)",
  "event Batch(tuple(address to, uint8 kind, uint64 amount, bytes32 key, bool open, string note)[] items, uint256 x)",
  "event Unnamed(address indexed, uint256, uint256[] list)",
];
const args = argumentRows.flatMap(([inputs, event], i) => [
  `event Arg${i}(${event})`,
  `function take${i}(${inputs}) view returns (uint256)`,
]);
const results = resultRows.flatMap(({ returns, small }, i) => [
  `event Result${i}(uint8[] list)`,
  `function read${i}(${small ? "uint8[]" : ""}) view returns (${returns})`,
]);
const factory = ["event Created(address vault)"];
const vault = ["event Opened(address by, string note)", "event Spawned(address child)"];
const shop = [
  "function pay(address to, uint256 value) returns (bool ok)",
  "function submit(tuple(address maker, uint8 kind, tuple(bytes4 sel, int64 x) inner) order, uint256[] ids) payable returns (tuple(uint256 shares, address vault) result, bool)",
  "function batch(tuple(address to, uint256 amount)[] items, uint8[][] grid) returns (tuple(int24 tick, bool on)[] ticks, uint256[2])",
  "function reset()",
];

/** A configuration that uses all parts of the host: types, calls, entities, templates, logs. */
export const scenario: Scenario = {
  abis: {
    Types: types,
    Args: args,
    Results: results,
    Factory: factory,
    Vault: vault,
    Shop: shop,
    Bank: bank,
  },
  enableCallHandlers: true,
  instances: [
    instance("Types", a(1)),
    instance(
      "Args",
      a(2),
      Object.fromEntries(argumentRows.map(([, , , text], i) => argumentHandler(text, i))),
    ),
    instance("Results", a(3), Object.fromEntries(resultRows.map((_, i) => resultHandler(i)))),
    instance("Factory", a(4)),
    instance("Shop", a(5), {
      "pay(address,uint256)": { entities: { Payment: { "left uint256": "call.inputs.value" } } },
    }),
    instance("Bank", a(6), bankHandlers, { debugging: true }),
    { abi: "Vault", source: { abi: "Factory", eventSignature: "Created(address)", addressParam: "vault" } },
    { abi: "Vault", source: { abi: "Vault", eventSignature: "Spawned(address)", addressParam: "child" } },
  ],
};

function argumentHandler(text: string, i: number) {
  const calls = { got: { name: `take${i}`, params: text, required: true } };
  return [`Arg${i}`, { calls, entities: { [`Took${i}`]: { "got uint256": "calls.got" } } }] as const;
}

function resultHandler(i: number) {
  const { fields, small } = resultRows[i] ?? { fields: {} };
  const calls = { r: { name: `read${i}`, required: true, ...(small && { params: "event.params.list" }) } };
  return [`Result${i}`, { calls, entities: { [`Got${i}`]: fields } }] as const;
}

const reverting: Contracts = () => undefined;
const big = 2n ** 200n + 12_345n;

/** The scenario, in order. */
export const happenings: readonly Happening[] = [
  ...eventTypeRows.map(([, given], i) => emitted(types, a(1), `Type${i}`, [given])),
  emitted(types, a(1), "Order", [[a(1), [3n, "note"], [1n, 2n], [[1n], [2n]]]]),
  emitted(types, a(1), "Batch", [[[a(1), 1n, 10n, id("k"), true, "one"]], 5n]),
  emitted(types, a(1), "Batch", [[], 5n]),
  emitted(types, a(1), "Unnamed", [a(1), 2n, [3n]]),
  ...argumentRows.map(([, , given], i) => emitted(args, a(2), `Arg${i}`, given, () => [77n])),
  ...resultRows.map(({ answer }, i) => emitted(results, a(3), `Result${i}`, [[1n]], () => answer)),
  ...resultRows.map((_, i) => emitted(results, a(3), `Result${i}`, [[1n]], reverting)),
  emitted(factory, a(4), "Created", [a(0x41)]),
  emitted(vault, a(0x41), "Opened", [a(7), "first"]),
  emitted(vault, a(0x41), "Spawned", [a(0x42)]),
  emitted(vault, a(0x42), "Opened", [a(7), "second"]),
  called("pay(address,uint256)", [[a(2), 5n]], [true]),
  called(
    "submit",
    [
      [
        [a(2), 200n, ["0x01020304", -5n]],
        [1n, 2n],
      ],
    ],
    [[7n, a(8)], true],
  ),
  called("batch", [[[[a(2), 1n]], [[1n], []]]], [[[-1n, true]], [4n, 5n]]),
  called("reset", [[], [], []], []),
  ...["Deposit", "Deposit", "Withdraw", "Deposit"].flatMap((event, i) => [
    emitted(bank, a(6), event, [a(8), BigInt(i)], () => [big]),
    emitted(bank, a(6), event, [a(9), big], reverting),
  ]),
  ...[0n, 10n, big].map((amount) => emitted(bank, a(6), "Fields", [a(8), amount])),
  ...["", "Zoë \u{1f984}", "x".repeat(200)].map((note) => emitted(bank, a(6), "Texts", [note, "0x616200"])),
  ...numbers().map(([x, y]) => emitted(bank, a(6), "Numbers", [x, y])),
  emitted(bank, a(6), "Told", [a(8), 5n], () => [9n]),
  emitted(bank, a(6), "Told", [a(8), 5n], reverting),
  emitted(bank, a(6), "Traced", [a(8), 5n], () => [9n]),
  emitted(bank, a(6), "Traced", [a(8), 0n], () => [9n]),
  emitted(bank, a(6), "Traced", [a(8), 5n], reverting),
];

function numbers(): readonly (readonly [bigint, bigint])[] {
  const values = [1n, -1n, 7n, -128n, 255n, 256n, 10n ** 18n, -(2n ** 255n), 2n ** 255n - 1n];
  return values.map((value, i) => [value, values[(i * 4 + 1) % values.length] ?? 1n]);
}

function emitted(
  abi: readonly string[],
  address: string,
  event: string,
  values: readonly unknown[],
  contracts: Contracts = reverting,
): Happening {
  return {
    name: `${event} ${shown(values)}`,
    contracts,
    happen: (blocks, place) => blocks.emit(abi, address, event, values, place),
  };
}

/** One transaction with a call for each list of arguments. */
function called(
  name: string,
  inputs: readonly (readonly unknown[])[],
  outputs: readonly unknown[],
): Happening {
  return {
    name,
    contracts: reverting,
    happen: (blocks, place) => {
      for (const one of inputs) blocks.call(shop, a(5), name, one, outputs, place);
    },
  };
}

function shown(values: readonly unknown[]): string {
  const text = JSON.stringify(values, (_, value: unknown) =>
    typeof value === "bigint" ? `${value}` : value,
  );
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
