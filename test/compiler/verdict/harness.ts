import type { Asc } from "../../../src/compiler/asc/asc.js";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { check } from "../../../src/machine/compiler/compile.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import type { JsonEntry } from "../abi/abi-of.js";
import { event, fn, struct } from "../abi/entries.js";

/** A field of an entity: its Solidity type and its expression. */
export type Field = readonly [type: string, expression: string];

const abi = [
  event(
    "E",
    "address from",
    "address to",
    "uint256 amount",
    "uint256 value",
    "string name",
    "uint8 kind",
    "uint256[] ids",
    "address[] addrs",
    "uint256[3] triple",
    "bool flag",
    "bytes32 hash",
    "bytes data",
    struct("s", ["uint256 a", "string b"]),
  ),
  fn("balance", "view", [], ["uint256"]),
  fn("symbol", "view", [], ["string"]),
  fn("owner", "view", [], ["address"]),
  fn("decimals", "view", [], ["uint8"]),
  fn("list", "view", [], ["uint256[]"]),
];

/** A contract, and the calls of it that expressions may read. */
export interface Called {
  readonly abi: readonly JsonEntry[];
  readonly calls: Readonly<Record<string, object>>;
}

const usual: Called = {
  abi,
  calls: {
    balance: { name: "balance" },
    sym: { name: "symbol" },
    owner: { name: "owner" },
    dec: { name: "decimals" },
    list: { name: "list" },
    needed: { name: "balance", required: true },
  },
};

/** The findings about each field. All fields are compiled in one run. */
export async function judge(
  fields: readonly Field[],
  asc: Asc,
  called: Called = usual,
): Promise<readonly (readonly Diagnostic[])[]> {
  const mapping = fields.map(([type, expression], index) => [`f${index} ${type}`, expression]);
  const text = JSON.stringify(
    {
      version: "1",
      abis: { A: called.abi },
      instances: [
        {
          abi: "A",
          address: "0x00000000000000000000000000000000000000a1",
          startBlock: 1,
          chain: "mainnet",
          enrich: {
            handlers: {
              E: {
                calls: called.calls,
                entities: { X: Object.fromEntries(mapping) },
              },
            },
          },
        },
      ],
    },
    null,
    1,
  );
  const { diagnostics } = await check("c.json", memoryHost({ "c.json": text }), { asc });
  return fields.map(([type], index) => {
    const pointer = `/instances/0/enrich/handlers/E/entities/X/f${index} ${type}`;
    return diagnostics.filter(({ at }) => at?.pointer === pointer);
  });
}

/** The text a finding underlines, as the user wrote it. */
export function underlined({ at }: Diagnostic): string {
  return at ? at.source.text.slice(at.start, at.end) : "";
}
