import { run } from "../../src/cli/program.js";
import type { Terminal } from "../../src/cli/terminal/terminal.js";
import { event } from "../compiler/abi/entries.js";
import { asc } from "../support/compiler/asc.js";
import { testFolder } from "../support/folder.js";

/** The outcome of a command line. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The reports of the command that it starts or ends writing to the target. */
  readonly writing: readonly boolean[];
}

/** Creates a working directory that is deleted after the test. */
export const workplace = testFolder;

/** Runs a command line in this process: its words, or a text in which they are separated by spaces. */
export async function graphloom(
  cwd: string,
  line: string | readonly string[],
  more: {
    readonly stdin?: string;
    readonly signal?: AbortSignal;
    /** Answers questions like a user in a terminal. */
    readonly ask?: Terminal["ask"];
    /** Chooses answers like a user in a terminal. */
    readonly prompts?: Terminal["prompts"];
    readonly color?: boolean;
    /** The columns of the terminal to which standard output is written; a file without it. */
    readonly columns?: number;
    /** Whether standard error is a terminal. */
    readonly isTty?: boolean;
    /** Environment variables. */
    readonly env?: Readonly<Record<string, string>>;
    /** Receives everything written to standard output. */
    readonly onOut?: (text: string) => void;
    /** Receives everything written to standard error. */
    readonly onErr?: (text: string) => void;
  } = {},
): Promise<Ran> {
  let out = "";
  let err = "";
  const writing: boolean[] = [];
  const words = typeof line === "string" ? line.split(" ").filter(Boolean) : line;
  const code = await run(words, "1.2.3", {
    cwd,
    asc,
    ...(more.stdin !== undefined && { stdin: chunks(more.stdin) }),
    ...(more.ask && { ask: more.ask }),
    ...(more.prompts && { prompts: more.prompts }),
    out: (text) => {
      out += text;
      more.onOut?.(text);
    },
    err: (text) => {
      err += text;
      more.onErr?.(text);
    },
    color: more.color ?? false,
    ...(more.columns !== undefined && { outColor: true, columns: more.columns }),
    ...(more.isTty && { isTty: true }),
    ...(more.env && { env: more.env }),
    onWriting: (isWriting) => writing.push(isWriting),
    signal: more.signal ?? new AbortController().signal,
  });
  return { code, out, err, writing };
}

/** Yields a string in two pieces, cut inside a character if it has multi-byte ones. */
async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  yield bytes.subarray(0, bytes.length >> 1);
  yield bytes.subarray(bytes.length >> 1);
}

const token = { abi: "Token", address: `0x${"0".repeat(38)}a1`, startBlock: 1, chain: "mainnet" };

/** A small configuration with its ABI inside. */
export function config(changes: Readonly<Record<string, unknown>> = {}): string {
  const abis = { Token: [event("Transfer", "address from", "address to", "uint256 value")] };
  return JSON.stringify({ version: "1", name: "pools/1.0.0", abis, instances: [token], ...changes }, null, 2);
}

/** The same configuration with one value stored for every event. */
export function storing(value: string, instances: readonly object[] = [token]): string {
  const enrich = { handlers: { Transfer: { entities: { Note: { "text string": value } } } } };
  return config({ instances: instances.map((instance) => ({ ...instance, enrich })) });
}

export const sources = [
  ".gitignore",
  ".graphloom/files.json",
  "README.md",
  "abis/Token.json",
  "generated/Token/Token.ts",
  "generated/schema.ts",
  "package.json",
  "schema.graphql",
  "src/mapping.ts",
  "src/token.ts",
  "subgraph.yaml",
  "tsconfig.json",
];
