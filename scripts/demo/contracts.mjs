import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Compiles the contracts of the demonstration. @returns ABI and bytecode by name */
export function compileContracts() {
  const solc = createRequire(import.meta.url)("solc");
  const content = readFileSync(new URL("./Market.sol", import.meta.url), "utf8");
  const input = {
    language: "Solidity",
    sources: { "Market.sol": { content } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: "cancun",
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return Object.fromEntries(
    Object.entries(output.contracts["Market.sol"]).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` },
    ]),
  );
}
