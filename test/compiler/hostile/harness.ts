import { expect } from "vitest";
import type { Compilation } from "../../../src/compiler/compilation.js";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { loadConfig } from "../../../src/compiler/load/load-config.js";
import { toPlain } from "../../../src/compiler/source/to-plain.js";
import { type BuildOptions, check, compile } from "../../../src/machine/compiler/compile.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { event, fn } from "../abi/entries.js";
import { expectSound } from "../property/properties.js";

export const address = "0x00000000000000000000000000000000000000a1";

export const abi = [
  event("Deposit", "indexed address who", "uint256 amount"),
  event("Created", "address vault"),
  fn("total", "view", [], ["uint256"]),
  fn("balanceOf", "view", ["address who"], ["uint256"]),
  fn("poke", "nonpayable", ["uint256 amount"], []),
];

/** The places of a configuration that hold a string of the user's choice. */
export interface Texts {
  readonly version: string;
  readonly name: string;
  readonly abiName: string;
  readonly path: string;
  readonly address: string;
  readonly chain: string;
  readonly import: string;
  readonly signature: string;
  readonly ref: string;
  readonly callAbi: string;
  readonly callName: string;
  readonly source: string;
  readonly params: string;
  readonly dependency: string;
  readonly pre: string;
  readonly post: string;
  readonly entity: string;
  readonly field: string;
  readonly fieldType: string;
  readonly value: string;
  readonly listEntity: string;
  readonly id: string;
  readonly key: string;
  readonly templateAbi: string;
  readonly eventSignature: string;
  readonly addressParam: string;
}

export const harmless: Texts = {
  version: "1",
  name: "a/1.0.0",
  abiName: "Vault",
  path: "v.json",
  address,
  chain: "mainnet",
  import: "BigDecimal",
  signature: "Deposit(address,uint256)",
  ref: "extra",
  callAbi: "Other",
  callName: "balanceOf",
  source: "event.address",
  params: "event.params.who",
  dependency: "total",
  pre: "true",
  post: "result.value == BigInt.zero()",
  entity: "Balance",
  field: "value",
  fieldType: "uint256",
  value: "event.block.number",
  listEntity: "Listed",
  id: '"x"',
  key: "chains",
  templateAbi: "Other",
  eventSignature: "Created(address)",
  addressParam: "vault",
};

/** A valid configuration with some of its strings replaced. */
export function configuration(changed: Partial<Texts>): unknown {
  const t = { ...harmless, ...changed };
  return {
    version: t.version,
    name: t.name,
    [t.key]: ["mainnet"],
    abis: Object.fromEntries([
      ["Other", { path: "v.json" }],
      [t.abiName, { path: t.path }],
    ]),
    instances: [
      {
        abi: t.abiName,
        address: t.address,
        startBlock: 1,
        chain: t.chain,
        enrich: {
          options: { imports: [t.import], debugging: true },
          handlers: {
            [t.signature]: {
              calls: Object.fromEntries([
                ["total", { name: "total", declared: true }],
                [
                  t.ref,
                  {
                    abi: t.callAbi,
                    name: t.callName,
                    source: t.source,
                    params: t.params,
                    depends_on: [t.dependency],
                    declared: true,
                    conditions: { pre: t.pre, post: t.post },
                  },
                ],
              ]),
              entities: Object.fromEntries([
                [t.entity, { [`${t.field} ${t.fieldType}`]: t.value }],
                [t.listEntity, [{ id: t.id, explicit_id: true, mapping: { "n uint256": t.value } }]],
              ]),
            },
          },
        },
      },
      {
        abi: t.templateAbi,
        source: { abi: t.abiName, eventSignature: t.eventSignature, addressParam: t.addressParam },
      },
    ],
  };
}

export async function compiled(
  config: unknown,
  files: Readonly<Record<string, string>> = {},
): Promise<Compilation> {
  const all = { "c.json": JSON.stringify(config), "v.json": JSON.stringify(abi), ...files };
  const outcome = await compile("c.json", memoryHost(all));
  expectSound(outcome);
  return outcome;
}

/** A configuration in YAML. */
export async function compiledYaml(text: string): Promise<Compilation> {
  const outcome = await compile("c.yaml", memoryHost({ "c.yaml": text, "v.json": JSON.stringify(abi) }));
  expectSound(outcome);
  return outcome;
}

/** The JSON of a configuration that was written in YAML. */
export async function yamlTree(text: string): Promise<string | undefined> {
  const report = new Report();
  const tree = await loadConfig("c.yaml", memoryHost({ "c.yaml": text }), report);
  expect(report.diagnostics).toEqual([]);
  return tree && JSON.stringify(toPlain(tree));
}

export async function checked(config: unknown, options: BuildOptions = {}): Promise<Compilation> {
  const outcome = await check(
    "c.json",
    memoryHost({ "c.json": JSON.stringify(config), "v.json": JSON.stringify(abi) }),
    { asc, ...options },
  );
  expectSound(outcome);
  return outcome;
}

/** The errors of an outcome, by code. */
export const errorsOf = ({ diagnostics }: Compilation): string[] =>
  diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
