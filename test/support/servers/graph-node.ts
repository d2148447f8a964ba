import { execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "../until.js";
import { freePorts } from "./java-server.js";

/** A graph-node of one database, which is started and stopped at will. */
export interface GraphNode {
  /** Starts it. @returns its APIs, once it answers */
  start(): Promise<RunningGraphNode>;
  /** Runs graphman. @returns what it prints @throws Error with its output if it fails */
  graphman(...words: readonly string[]): Promise<string>;
}

export interface RunningGraphNode {
  /** Gives a name to a deployment whose files IPFS has, so that it is indexed. */
  deploy(name: string, id: string): Promise<void>;
  /**
   * The proofs of indexing of a deployment at every block, once it has come to the last one, or has failed.
   * @param hashes of the blocks, by number
   * @returns them, and why it has failed
   */
  proofs(
    id: string,
    hashes: readonly string[],
  ): Promise<{ readonly proofs: readonly unknown[]; readonly failure: string | undefined }>;
  /** Asks the status API. @throws Error with the errors, or with the output of a graph-node that has ended */
  // biome-ignore lint/suspicious/noExplicitAny: any query
  status(query: string): Promise<any>;
  stop(): Promise<void>;
}

/**
 * Prepares a graph-node.
 * @param programs the folder with graph-node and graphman
 * @param folder an empty one, for its configuration
 */
export function graphNode(
  programs: string,
  folder: string,
  { postgres, rpc, ipfs }: { readonly postgres: string; readonly rpc: string; readonly ipfs: string },
): GraphNode {
  const config = join(folder, "graph-node.toml");
  writeFileSync(
    config,
    `[store.primary]
connection = "${postgres}"
pool_size = 10
[chains]
ingestor = "default"
[chains.mainnet]
shard = "primary"
provider = [{ label = "anvil", url = "${rpc}", features = ["archive"] }]
[deployment]
[[deployment.rule]]
indexers = ["default"]
`,
  );
  const env = {
    ...process.env,
    GRAPH_LOG: process.env.GRAPH_LOG ?? "error",
    GRAPH_ETHEREUM_GENESIS_BLOCK_NUMBER: "0",
    // Otherwise it gives up a deployment that fails near the head of the chain.
    GRAPH_DISABLE_FAIL_FAST: "true",
  };
  return {
    async graphman(...words) {
      const ran = promisify(execFile)(
        join(programs, "graphman"),
        ["--config", config, "--node-id", "default", "--ipfs", ipfs, ...words],
        { env, maxBuffer: 100_000_000 },
      );
      const { stdout, stderr } = await ran;
      return stdout + stderr;
    },
    async start() {
      const ports = await freePorts(4);
      const [http, index, admin, metrics] = ports.map(String);
      const child = spawn(
        join(programs, "graph-node"),
        [
          ...["--config", config, "--node-id", "default", "--ipfs", ipfs],
          ...["--http-port", `${http}`, "--index-node-port", `${index}`, "--admin-port", `${admin}`],
          ...["--metrics-port", `${metrics}`],
        ],
        { env },
      );
      let said = "";
      const keep = (chunk: unknown): void => {
        said = (said + String(chunk)).slice(-20_000);
      };
      child.stdout.on("data", keep);
      child.stderr.on("data", keep);
      const end = (): void => void child.kill("SIGKILL");
      process.once("exit", end);
      const ended = new Promise((resolve) => child.once("exit", resolve));
      // biome-ignore lint/suspicious/noExplicitAny: any answer
      const post = async (url: string, body: object): Promise<any> => {
        const headers = { "content-type": "application/json" };
        const answer = await until(() => {
          if (child.exitCode !== null || child.signalCode !== null)
            throw new Error(`graph-node ended:\n${said}`);
          return fetch(url, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => undefined);
        });
        const { data, result, error, errors } = JSON.parse(await answer.text());
        if (error || errors) throw new Error(JSON.stringify(error ?? errors));
        return data ?? result;
      };
      // biome-ignore lint/suspicious/noExplicitAny: any answer
      const status = (query: string): Promise<any> => post(`http://127.0.0.1:${index}/graphql`, { query });
      const call = (method: string, params: object): Promise<unknown> =>
        post(`http://127.0.0.1:${admin}`, { jsonrpc: "2.0", id: "1", method, params });
      return {
        status,
        async deploy(name, id) {
          await call("subgraph_create", { name });
          await call("subgraph_deploy", { name, ipfs_hash: id });
        },
        async proofs(id, hashes) {
          const quoted = JSON.stringify(id);
          let last: unknown;
          const ended = await until(async () => {
            const fields = "health fatalError { message } chains { latestBlock { number } }";
            const [told] = (await status(`{ indexingStatuses(subgraphs: [${quoted}]) { ${fields} } }`))
              .indexingStatuses;
            last = told;
            const isAtHead = told?.chains[0]?.latestBlock?.number === `${hashes.length - 1}`;
            return (isAtHead || told?.health === "failed") && told;
          }).catch((error: unknown) => {
            throw new Error(`${id} stays at ${JSON.stringify(last)}\n${said}`, { cause: error });
          });
          const proofs: unknown[] = [];
          for (const [block, hash] of hashes.entries()) {
            // graph-node does not answer a query with as many of these as it has connections to its database.
            const query = `{ proofOfIndexing(subgraph: ${quoted}, blockNumber: ${block}, blockHash: "${hash}") }`;
            proofs.push((await status(query)).proofOfIndexing);
          }
          return { proofs, failure: ended.fatalError?.message };
        },
        async stop() {
          process.off("exit", end);
          child.kill("SIGKILL");
          await ended;
        },
      };
    },
  };
}
