// Ponder, for comparison: installed from npm beside the project, never as a part of it, and run on a chain with the
// PGlite that it brings.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "./process.mjs";

const version = "0.16.10";
const folder = process.env.GRAPHLOOM_BENCH_PONDER ?? join(tmpdir(), `graphloom-bench-ponder-${version}`);
const script = join(folder, "node_modules/ponder/dist/esm/bin/ponder.js");
/** Milliseconds. */
const longestInstall = 120_000;
const longestRun = 400_000;

/** What the log says when it begins to fetch and to index, and when everything is stored. */
const begins = "Started backfill indexing";
const ends = "Completed backfill indexing across all chains";

/** The project: every transfer is a row with the fields of our entity. */
const project = {
  "ponder.config.ts": `
    import { createConfig } from "ponder";
    import chain from "./chain.json";
    const told: { chainId?: number; url: string; abi: unknown; address: string; last?: number } = chain;
    export default createConfig({
      chains: { local: { id: told.chainId ?? 31337, rpc: told.url } },
      contracts: {
        Token: { abi: told.abi as never, chain: "local", address: told.address as never, startBlock: 0, endBlock: told.last },
      },
    });
  `,
  "ponder.schema.ts": `
    import { onchainTable } from "ponder";
    export const transfer = onchainTable("transfer", (t) => ({
      id: t.text().primaryKey(),
      blockNumber: t.bigint().notNull(),
      timestamp: t.bigint().notNull(),
      transactionHash: t.text().notNull(),
      contractId: t.text().notNull(),
      from: t.text().notNull(),
      to: t.text().notNull(),
      value: t.bigint().notNull(),
    }));
    export const account = onchainTable("account", (t) => ({
      id: t.text().primaryKey(),
      balance: t.bigint().notNull(),
    }));
  `,
  "src/index.ts": `
    import { ponder } from "ponder:registry";
    import { account, transfer } from "ponder:schema";
    import chain from "../chain.json";
    const told: { keepsBalances?: boolean } = chain;
    ponder.on("Token:Transfer", async ({ event, context }) => {
      const change = (id: string, amount: bigint) =>
        context.db
          .insert(account)
          .values({ id, balance: amount })
          .onConflictDoUpdate((row) => ({ balance: row.balance + amount }));
      await context.db.insert(transfer).values({
        id: event.transaction.hash + "-" + event.log.logIndex,
        blockNumber: event.block.number,
        timestamp: event.block.timestamp,
        transactionHash: event.transaction.hash,
        contractId: event.log.address,
        from: event.args.from,
        to: event.args.to,
        value: event.args.value,
      });
      if (!told.keepsBalances) return;
      await change(event.args.from, -event.args.value);
      await change(event.args.to, event.args.value);
    });
  `,
  "src/api/index.ts": `
    import { Hono } from "hono";
    import { graphql } from "ponder";
    import { db } from "ponder:api";
    import schema from "ponder:schema";
    const app = new Hono();
    app.use("/graphql", graphql({ db, schema }));
    export default app;
  `,
};

/** Installs it, unless that was done before. @returns why it is not there; nothing when it is */
export function installPonder() {
  for (const [path, content] of Object.entries(project)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  if (existsSync(script) && installedVersion() === version) return undefined;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const args = ["install", "--no-audit", "--no-fund", "--save-exact", `ponder@${version}`];
  const { status, error, stderr } = spawnSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
    timeout: longestInstall,
  });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split("\n").slice(-3).join(" ");
}

function installedVersion() {
  return JSON.parse(readFileSync(join(folder, "node_modules/ponder/package.json"), "utf8")).version;
}

/**
 * Indexes a chain, from nothing: what an earlier run kept is removed.
 * @param chain with the address of a node, a contract and its ABI, the last block, the chain's id if it is not that of
 *   anvil, and whether it keeps the balances of accounts; without a contract, all contracts are taken
 * @param database the address of a PostgreSQL database whose schema `bench` is free; PGlite if absent
 * @returns by its own log the seconds from the beginning of fetching until everything is stored; the seconds of the
 *   whole process until then; CPU seconds of both, and memory, where the system tells them
 * @throws Error when it fails, takes too long or has stored something else
 */
export async function runPonder(chain, transfers, database) {
  const started = performance.now();
  const { child, port } = await startPonder(chain, database);
  const timer = setTimeout(() => child.kill("SIGKILL"), longestRun);
  try {
    const { seconds, cpu } = await indexed(child);
    const whole = (performance.now() - started) / 1000;
    const { megabytes, cpu: wholeCpu } = usageOf(child.pid);
    const stored = await countStored(port);
    if (stored !== transfers) throw new Error(`it stored ${stored} of ${transfers} transfers`);
    return { seconds, cpu, whole, wholeCpu, megabytes };
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

/**
 * Starts it on a chain, from nothing.
 * @param chain as for `runPonder`; without a last block, it follows the head
 * @returns its process, and the port of its API
 */
export async function startPonder(chain, database) {
  rmSync(join(folder, ".ponder"), { recursive: true, force: true });
  writeFileSync(join(folder, "chain.json"), JSON.stringify(chain));
  const port = await freePort();
  const args = ["start", "--schema", "bench", "--port", String(port), "--hostname", "127.0.0.1"];
  const { DATABASE_URL: _, DATABASE_PRIVATE_URL: __, ...env } = process.env;
  const child = spawn(process.execPath, [script, ...args, "--log-format", "json"], {
    cwd: folder,
    env: { ...env, ...(database && { DATABASE_URL: database }), PONDER_TELEMETRY_DISABLED: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { child, port };
}

/** Waits until everything is stored; the seconds by the times of its log, and the CPU seconds. */
async function indexed(child) {
  const tail = [];
  child.stderr.on("data", (text) => tail.push(String(text).trim()));
  let beginning;
  let cpu;
  for await (const line of createInterface({ input: child.stdout })) {
    tail.push(line);
    const { msg, time, level } = readLine(line);
    if (level >= 50) break;
    if (msg === begins) {
      beginning = time;
      cpu = usageOf(child.pid).cpu;
    }
    if (msg === ends && beginning !== undefined) {
      // Nobody reads on; a full pipe would hold it up.
      child.stdout.resume();
      const now = usageOf(child.pid).cpu;
      return { seconds: (time - beginning) / 1000, cpu: now === undefined ? undefined : now - cpu };
    }
  }
  throw new Error(`it did not end well: ${tail.slice(-3).join(" ").slice(0, 500)}`);
}

function readLine(line) {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

async function countStored(port) {
  const answer = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "{ transfers(limit: 1) { totalCount } }" }),
  });
  return (await answer.json()).data?.transfers.totalCount;
}

/** CPU seconds of a process so far and the most memory it held at once, where the system tells them in /proc. */
export function usageOf(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return {};
  const ticks = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return { cpu: (Number(ticks[11]) + Number(ticks[12])) / 100, megabytes: Math.round(Number(peak) / 1024) };
}
