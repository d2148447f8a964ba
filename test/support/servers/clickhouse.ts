import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ClickHouseAddress } from "../../../src/pipelines/sinks/clickhouse-server.js";
import { lackOfPython, python } from "../database/test-python.js";

const script = fileURLToPath(new URL("clickhouse-http.py", import.meta.url));

/** A ClickHouse server for tests: the real engine, chdb, behind a few lines that speak HTTP as the real server does. */
export interface ClickHouseServer {
  readonly address: ClickHouseAddress;
  /** The value of a secret with its address. */
  readonly secret: string;
  stop(): Promise<void>;
}

/** Why there is no ClickHouse; `undefined` if there is. */
export function lackOfClickHouse(): string | undefined {
  return lackOfPython("chdb");
}

/** Starts a server that keeps its data in a folder. */
export async function startClickHouse(folder: string): Promise<ClickHouseServer> {
  const [username, password] = ["tester", "p@ss:word"];
  const child = spawn(python, [script, folder, username, password], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("error", reject);
    void ended.then(() => reject(new Error("ClickHouse has ended before it was ready")));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    address: { url, username, password, database: "default" },
    secret: JSON.stringify({ type: "clickHouse", url, username, password, databaseName: "default" }),
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
