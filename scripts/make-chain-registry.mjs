// Writes what graphloom knows of public networks: node scripts/make-chain-registry.mjs
// The facts are those of The Graph's networks registry, as the package of graph-cli (a development dependency) ships
// it; run this after that package was updated. A test holds the file against what this makes of the registry.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const target = fileURLToPath(new URL("../src/chains/registry.ts", import.meta.url));

/** The text of the data file, made of the registry that is installed. */
export function chainRegistry() {
  const cli = createRequire(import.meta.url).resolve("@graphprotocol/graph-cli/package.json");
  const path = join(dirname(cli), "config/TheGraphNetworksRegistry.json");
  const { version, networks } = JSON.parse(readFileSync(path, "utf8"));
  const rows = networks.map(rowOf).sort();
  return `// Made by scripts/make-chain-registry.mjs of The Graph's networks registry ${version}: change nothing by hand.

/**
 * A network a line: id, CAIP-2 id, "main" or "test", short name, full name, the name of a test network among its kind,
 * other ids, parted by spaces, and the address of its explorer.
 */
export const registry = \`
${rows.join("\n")}
\`;
`;
}

function rowOf({
  id,
  caip2Id,
  networkType,
  shortName,
  fullName,
  secondName = "",
  aliases = [],
  explorerUrls = [],
}) {
  const kind = networkType === "mainnet" ? "main" : "test";
  // What follows from the number of the chain need not be kept.
  const others = aliases.filter((alias) => !/^evm-\d+$/.test(alias));
  const names = [shortName, fullName, secondName, others.sort().join(" ")];
  const explorer = explorerUrls.find((url) => /^https:\/\/[^\s|?#]+$/.test(url)) ?? "";
  const row = [id, caip2Id, kind, ...names, explorer.replace(/\/+$/, "")].join("|");
  if (/[`\\$\n]/.test(row)) throw new Error(`a network cannot be kept as a line: ${row}`);
  return row;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, chainRegistry());
