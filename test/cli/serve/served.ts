import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build, createNodeHost } from "../../../src/exports/index.js";
import { openRecording } from "../../../src/machine/serve-recording.js";
import { RecordedChain } from "../../../src/runtime/recording/recorded-chain.js";
import { answerRecorded } from "../../../src/runtime/recording/recorded-node.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { asc } from "../../support/compiler/asc.js";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { readExposition, sampleValue } from "../../support/server/exposition.js";
import { deployForm } from "../../support/server/platform-server.js";
import { until } from "../../support/until.js";

const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const demo = fileURLToPath(new URL("../../../examples/demo/", import.meta.url));

/** The files of the demo's build. */
export async function demoFiles(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const { ok, files } = await build("subgraph.json", createNodeHost({ cwd: demo }), { asc });
  if (!ok) throw new Error("the demo does not compile");
  return files;
}

/** A node of the recorded chain that adds blocks on demand. */
export interface PlayedNode {
  /** Its address, with a key in it. */
  readonly url: string;
  /** The number of the newest block. */
  readonly head: () => number;
  /** Adds this many blocks. */
  advance(blocks: number): void;
  /** Holds the answers to later calls, except for heads. */
  hold(): void;
  /** Sends the held answers, and answers all later calls. */
  release(): void;
  /** Number of held answers. */
  readonly held: () => number;
  /** While true, refuses every call with a text that repeats the address. */
  isBroken: boolean;
  stop(): Promise<void>;
}

/** Blocks that are there from the start. A server commits each of them, which takes longest of all. */
const history = 160;

/** Plays the chain of the demo. @param key the last part of its address */
export async function startPlayedNode(key: string): Promise<PlayedNode> {
  let now = 0;
  const recording = await openRecording(`${demo}recording.jsonl.gz`);
  const chain = new RecordedChain({ ...recording, history }, () => now);
  let waiting: (() => void)[] | undefined;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (node.isBroken || request.url !== `/v3/${key}`) {
      response.statusCode = 500;
      return response.end(`no luck at ${request.url}`);
    }
    const isHead = body.includes('"latest"');
    if (!isHead) await new Promise<void>((go) => (waiting ? waiting.push(go) : go()));
    return response.setHeader("content-type", "application/json").end(answerRecorded(chain, body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const node: PlayedNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3/${key}`,
    head: () => chain.head.number,
    advance: (blocks) => {
      now += 1_000 * blocks;
    },
    hold: () => {
      waiting ??= [];
    },
    release: () => {
      const all = waiting ?? [];
      waiting = undefined;
      for (const go of all) go();
    },
    held: () => waiting?.length ?? 0,
    isBroken: false,
    stop: async () => {
      node.release();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return node;
}

/** A `graphloom serve` in its own process. */
export interface Served {
  readonly child: ChildProcess;
  readonly address: string;
  readonly project: string;
  /** The owner's key, as it was stored for the command line. */
  readonly token: string;
  /** Everything that it has printed. */
  printed(): { readonly out: string; readonly err: string };
  ask(path: string, request?: RequestInit): Promise<Response>;
  /** Deploys the demo as `demo/1.0.0`. */
  deploy(files: ReadonlyMap<string, string | Uint8Array>): Promise<void>;
  /** The data of a query to the demo. @throws Error without data */
  query(text: string): Promise<Readonly<Record<string, unknown>>>;
  /** Waits until the demo has this block. */
  indexed(block: number): Promise<void>;
  /** How it ended: a code, or the name of a signal. */
  readonly ended: Promise<number | string | null>;
}

/** The servers that end with this process at the latest. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Ends a server at once, as a crash does. */
export async function killServed({ child, ended }: Served): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

/** Starts `graphloom serve` and waits until it serves. @param home the folder in which its user stores keys */
export async function startServed(
  args: readonly string[],
  home: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const child = spawn(process.execPath, [main, "serve", "--port", "0", ...args], {
    cwd: home,
    // Tests send queries without a limit, however slow the machine is.
    env: { PATH: process.env.PATH ?? "", HOME: home, GRAPHLOOM_QUERY_SHARE: "0", ...sharedCache, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const printed = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.err += text;
  });
  let isOver = false;
  const ended = new Promise<number | string | null>((resolve) => {
    child.on("close", (code, signal) => {
      isOver = true;
      resolve(code ?? signal);
    });
  });
  const said = await until(() => {
    if (isOver) throw new Error(`it ended: ${printed.err}`);
    return /^\{.*"msg":"serving".*\}$/m.exec(printed.out)?.[0];
  });
  const { api, project, token_file: file } = JSON.parse(said);
  const address = api.replace("/api/v1", "");
  const kept = JSON.parse(readFileSync(file ?? `${home}/.config/graphloom/credentials.json`, "utf8"));
  const [login] = Object.values<{ readonly token: string }>(kept.logins);
  const token = String(login?.token);
  const ask = (path: string, request: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(request.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
    return fetch(`${address}${path}`, { ...request, headers });
  };
  const query = async (text: string): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await ask("/subgraphs/name/demo/1.0.0", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: text }),
    });
    const body = await answer.text();
    const { data, errors } = JSON.parse(body);
    if (!data || errors) throw new Error(body);
    return data;
  };
  return {
    child,
    address,
    project,
    token,
    ask,
    query,
    ended,
    printed: () => printed,
    deploy: async (files) => {
      const bundle = zipBuild(collectBuild({ manifest: "build/subgraph.yaml", files }));
      const body = deployForm(bundle);
      const answer = await ask("/api/v1/subgraphs/demo/deployments/1.0.0", { method: "PUT", body });
      if (!answer.ok) throw new Error(await answer.text());
    },
    indexed: async (block) => {
      // Read from the metrics, since public queries are limited.
      await until(async () => {
        const samples = readExposition(await (await ask("/metrics")).text());
        return (sampleValue(samples, "graphloom_deployment_head_block") ?? -1) >= block;
      });
    },
  };
}
