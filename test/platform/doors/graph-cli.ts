import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { judgedBuild, recipeOf } from "../../support/judge/judge.js";

/** What a command of graph-cli printed, without colours, and how it ended. */
export interface GraphRun {
  readonly code: number | null;
  readonly output: string;
}

/** A hand-written subgraph in a folder of its own, for graph-cli. */
export interface GraphProject {
  write(path: string, content: string): void;
  /** Runs `graph …` as its users do. */
  graph(...args: readonly string[]): Promise<GraphRun>;
  remove(): void;
}

const nodeModules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const command = join(nodeModules, "@graphprotocol", "graph-cli", "bin", "run.js");
const light = new URL("../../support/judge/graph-cli-light.mjs", import.meta.url).href;
const recipe = JSON.stringify(recipeOf(judgedBuild)) ?? "";

export const mapping = `import { Transfer as TransferEvent } from "../generated/Token/Token";
import { Transfer } from "../generated/schema";

export function handleTransfer(event: TransferEvent): void {
  const transfer = new Transfer(event.transaction.hash.toHex());
  transfer.value = event.params.value;
  transfer.save();
}
`;

const files = {
  "package.json": '{ "name": "by-hand", "private": true }\n',
  "schema.graphql": "type Transfer @entity(immutable: true) { id: ID! value: BigInt! }\n",
  "abis/Token.json": JSON.stringify([
    {
      type: "event",
      name: "Transfer",
      anonymous: false,
      inputs: [
        { name: "from", type: "address", indexed: true },
        { name: "to", type: "address", indexed: true },
        { name: "value", type: "uint256", indexed: false },
      ],
    },
  ]),
  "src/mapping.ts": mapping,
  "subgraph.yaml": `specVersion: 0.0.5
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum/contract
    name: Token
    network: mainnet
    source: { address: "0x5FbDB2315678afecb367f032d93F642f64180aa3", abi: Token, startBlock: 1 }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.7
      language: wasm/assemblyscript
      entities: [Transfer]
      abis: [{ name: Token, file: ./abis/Token.json }]
      eventHandlers:
        - { event: "Transfer(indexed address,indexed address,uint256)", handler: handleTransfer }
      file: ./src/mapping.ts
`,
};

export function createGraphProject(): GraphProject {
  const folder = mkdtempSync(join(tmpdir(), "graphloom-doors-"));
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  symlinkSync(nodeModules, join(folder, "node_modules"));
  return {
    write,
    graph: (...args) =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, [command, ...args], {
          cwd: folder,
          // What it optimizes with makes no difference to a server, but takes most of its time.
          env: {
            PATH: process.env.PATH ?? "",
            HOME: folder,
            NO_COLOR: "1",
            NODE_OPTIONS: `--import ${light}`,
            GRAPHLOOM_TEST_RECIPE: recipe,
          },
          stdio: ["ignore", "pipe", "pipe"],
        });
        const chunks: Buffer[] = [];
        for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
        child.on("close", (code) => {
          const printed = Buffer.concat(chunks).toString("utf8");
          // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals understand these
          resolve({ code, output: printed.replaceAll(/\x1b\[[0-9;?]*[a-zA-Z]/g, "") });
        });
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
