import type { Compilation } from "../../../src/compiler/compilation.js";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { positionAt } from "../../../src/compiler/source/source.js";
import { type BuildOptions, build, check, compile } from "../../../src/machine/compiler/compile.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import type { JsonEntry, JsonParameter } from "../abi/abi-of.js";
import { event, fn, struct } from "../abi/entries.js";

type Files = Readonly<Record<string, string | Uint8Array>>;

const commands = { compile, check, build };

/** Runs the pipeline on files in memory. The first of them is the configuration. */
export function run(
  command: keyof typeof commands,
  files: Files,
  options: BuildOptions = {},
): Promise<Compilation> {
  return commands[command](Object.keys(files)[0] ?? "", memoryHost(files), { asc, ...options });
}

/** A finding in one line: `error unknown-call 7:31 nope`, where the last part is the text at the place. */
export function finding({ severity, code, at }: Diagnostic): string {
  if (!at) return `${severity} ${code} nowhere`;
  const { line, column } = positionAt(at.source, at.start);
  const text = at.source.text.slice(at.start, at.end);
  const file = at.source.path === "c.json" || at.source.path === "c.yaml" ? "" : `${at.source.path}:`;
  return `${severity} ${code} ${file}${line}:${column} ${text}`;
}

/**
 * The findings about a configuration, in short. Most configurations in tests declare calls whose results nothing reads,
 * so the warning about these is left out.
 */
export async function findings(command: keyof typeof commands, files: Files, options: BuildOptions = {}) {
  const outcome = await run(command, files, options);
  const diagnostics = outcome.diagnostics.filter(({ code }) => code !== "call-unread");
  return { ...outcome, diagnostics, found: diagnostics.map(finding) };
}

export const address = "0x00000000000000000000000000000000000000a1";

export const order: JsonParameter = struct("order", ["address maker", "uint256 size"]);

/** An interface with every kind of entry that causes no warning. */
export const vault: readonly JsonEntry[] = [
  event("Deposit", "indexed address who", "uint256 amount"),
  event("Withdraw", "indexed address who", "uint256 amount"),
  event("Moved", "indexed address who", "uint256 value"),
  event("Moved", "indexed address who", "address whom"),
  event("Ordered", order, "indexed string label", "uint8 kind", "bytes32 hash", "uint256[] sizes"),
  event("Created", "address vault", "uint256 kind"),
  event("Unnamed", "address", "uint256"),
  fn("balanceOf", "view", ["address who"], ["uint256"]),
  fn("symbol", "view", [], ["string"]),
  fn("isOpen", "view", [], ["bool"]),
  fn("total", "view", [], ["uint256"]),
  fn("twice", "view", ["uint256 value"], ["uint256"]),
  fn("twice", "view", ["address who"], ["uint256"]),
  fn("twice", "view", ["address who", "uint256 value"], ["uint256"]),
  fn("sumOf", "view", ["uint256[] sizes"], ["uint256"]),
  fn("small", "view", ["uint8 kind"], ["uint256"]),
  fn("large", "view", ["uint256 kind"], ["uint256"]),
  fn("byHash", "view", ["bytes32 hash"], ["uint256"]),
  fn("byShort", "view", ["bytes4 hash"], ["uint256"]),
  fn("pay", "payable", [], ["uint256"]),
  fn("poke", "nonpayable", ["uint256 amount"], []),
  fn("close", "nonpayable", ["address who"], ["bool"]),
];

/**
 * A configuration whose line 7 holds the handlers of its only instance, and its ABI. Handlers that create no entities
 * get an empty list of them.
 */
export function withHandlers(
  handlers: Readonly<Record<string, object>>,
  more: { readonly top?: string; readonly options?: string } = {},
): Readonly<Record<string, string>> {
  const complete = Object.entries(handlers).map(([key, handler]) => [
    key,
    { ...handler, ...noEntities(handler) },
  ]);
  const text = `{
  "version": "1",${more.top ?? ""}
  "abis": { "Vault": { "path": "v.json" } },
  "instances": [
    { "abi": "Vault", "address": "${address}", "startBlock": 1, "chain": "mainnet",
      "enrich": { ${more.options ?? ""}"handlers":
${JSON.stringify(Object.fromEntries(complete))}
      }
    }
  ]
}
`;
  return { "c.json": text, "v.json": JSON.stringify(vault) };
}

/** The same with one handler, that of `Deposit`. */
export function withHandler(handler: object): Readonly<Record<string, string>> {
  return withHandlers({ Deposit: handler });
}

function noEntities(handler: object): object {
  return "entities" in handler ? {} : { entities: {} };
}
