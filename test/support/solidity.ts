import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type { JsonFragment } from "ethers";

/** A contract as the Solidity compiler makes it. */
export interface CompiledContract {
  readonly abi: readonly JsonFragment[];
  /** Hex with "0x". */
  readonly bytecode: string;
}

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

/**
 * Compiles a source and returns its contracts by name. The same source is compiled once a process.
 * @throws Error with the compiler's words when it does not compile
 */
export function compileSolidity(source: string): ReadonlyMap<string, CompiledContract> {
  const key = createHash("sha256").update(source).digest("hex");
  const known = compiled.get(key);
  if (known) return known;
  const contracts = compile(source);
  compiled.set(key, contracts);
  return contracts;
}

/** One contract of a source. */
export function compileContract(source: string, name: string): CompiledContract {
  const contract = compileSolidity(source).get(name);
  if (!contract) throw new Error(`The source has no contract "${name}"`);
  return contract;
}

function compile(source: string): ReadonlyMap<string, CompiledContract> {
  // Loaded only when it is needed: it is 8 MB of JavaScript.
  compiler ??= createRequire(import.meta.url)("solc") as SolidityCompiler;
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
