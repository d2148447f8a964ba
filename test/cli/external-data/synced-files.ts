import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Anvil } from "../../support/chain/anvil.js";
import { moverContract } from "./mover.js";

/** Sends transfers to a new contract, blocks apart, and mines until the chain has the given number of blocks. */
export async function moverChain(chain: Anvil, blocks: number, transfers = 20n, between = 10): Promise<void> {
  const mover = await chain.deploy(moverContract.abi, moverContract.bytecode);
  for (let amount = 1n; amount <= transfers; amount++) {
    await chain.send(mover, "move", [chain.account(1), amount]);
    await chain.mine(between);
  }
  await chain.mine(blocks - (await chain.blockNumber()));
}

/** The number of table files that a sync has written. */
export function countFiles(cwd: string): number {
  return existsSync(join(cwd, "data")) ? namesIn(cwd).filter((path) => path.endsWith(".parquet")).length : 0;
}

/** What a sync has written, by path. */
export function filesIn(cwd: string): ReadonlyMap<string, Buffer> {
  return new Map([...namesIn(cwd)].sort().map((path) => [path, contentOf(join(cwd, path))]));
}

/** A file without the record of what was proved. It grows with the files, and has nothing of a file before a crash. */
export function contentOf(path: string): Buffer {
  const bytes = readFileSync(path);
  if (!path.endsWith("graphloom.json")) return bytes;
  const { proofs: _, ...marker } = JSON.parse(bytes.toString()) as { readonly proofs?: unknown };
  return Buffer.from(JSON.stringify(marker));
}

/** The paths of all files that a sync has written. */
export function namesIn(cwd: string): readonly string[] {
  return readdirSync(join(cwd, "data"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(cwd.length));
}
