import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonFragment } from "ethers";

/** A contract compiled by the Solidity compiler. */
export interface CompiledContract {
  readonly abi: readonly JsonFragment[];
  /** Hex with "0x". */
  readonly bytecode: string;
}

const require = createRequire(import.meta.url);

interface SolidityCompiler {
  compile(input: string): string;
}

interface SolidityOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, SolidityContract>>>>;
}

interface SolidityContract {
  readonly abi: readonly JsonFragment[];
  readonly evm: { readonly bytecode: { readonly object: string } };
}

const compiled = new Map<string, ReadonlyMap<string, CompiledContract>>();
let compiler: SolidityCompiler | undefined;
let version: string | undefined;

/** Contracts compiled in this run or an earlier one: loading the compiler takes a second. */
const kept = fileURLToPath(new URL("../../../node_modules/.graphloom-tests/contracts/", import.meta.url));

/**
 * Compiles a source and returns its contracts by name. The same source is compiled once per version of the
 * compiler.
 * @throws Error with the compiler's message when it does not compile
 */
export function compileSolidity(source: string): ReadonlyMap<string, CompiledContract> {
  const key = createHash("sha256").update(`${compilerVersion()} ${source}`).digest("hex");
  const known = compiled.get(key);
  if (known) return known;
  const contracts = keptContracts(key) ?? compile(source);
  compiled.set(key, contracts);
  keep(key, contracts);
  return contracts;
}

function compilerVersion(): string {
  version ??= String(require("solc/package.json").version);
  return version;
}

function keptContracts(key: string): ReadonlyMap<string, CompiledContract> | undefined {
  const path = join(kept, `${key}.json`);
  return existsSync(path) ? new Map(JSON.parse(readFileSync(path, "utf8"))) : undefined;
}

/** Writes a file whole or not at all, because other workers read it. */
function keep(key: string, contracts: ReadonlyMap<string, CompiledContract>): void {
  const path = join(kept, `${key}.json`);
  if (existsSync(path)) return;
  mkdirSync(kept, { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify([...contracts]));
  renameSync(draft, path);
}

/** One contract of a source. */
export function compileContract(source: string, name: string): CompiledContract {
  const contract = compileSolidity(source).get(name);
  if (!contract) throw new Error(`The source has no contract "${name}"`);
  return contract;
}

function compile(source: string): ReadonlyMap<string, CompiledContract> {
  // Loaded only when needed, because it is 8 MB of JavaScript.
  compiler ??= require("solc") as SolidityCompiler;
  const input = {
    language: "Solidity",
    sources: {
      "source.sol": { content: `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n${source}` },
    },
    settings: { outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const output = JSON.parse(compiler.compile(JSON.stringify(input))) as SolidityOutput;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const contracts = Object.entries(output.contracts?.["source.sol"] ?? {});
  return new Map(
    contracts.map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }]),
  );
}
