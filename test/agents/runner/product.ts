import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Place, Unsolved } from "./task.js";

/** The outcome of a command. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The built command line. */
export function mainFile(root: string): string {
  return join(root, "dist/cli/main.js");
}

/** The variables that tell graphloom about the node and the server of a task. */
export function serviceVariables({ node, server }: Place): Readonly<Record<string, string>> {
  const access = server && { GRAPHLOOM_API_URL: server.api, GRAPHLOOM_TOKEN: server.token };
  return { GRAPHLOOM_RPC_SEPOLIA: node, ...access };
}

/** Runs graphloom in the agent's folder. @param folder another folder to run it in */
export function graphloom(place: Place, args: readonly string[], folder = place.work): Promise<Ended> {
  return run(place, [mainFile(place.root), ...args], folder);
}

/** Runs Node in a folder, with an environment that has nothing of the user's. */
export function run(place: Place, args: readonly string[], folder: string): Promise<Ended> {
  const home = join(place.hidden, "home");
  mkdirSync(home, { recursive: true });
  const child = spawn(process.execPath, [...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: home,
      GRAPHLOOM_CACHE: join(place.root, "node_modules/.graphloom-tests/cache"),
      ...serviceVariables(place),
    },
    stdio: ["ignore", "pipe", "pipe"],
    // An agent may have written something that never ends.
    timeout: longestCommand,
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
  });
}

/** Milliseconds. */
const longestCommand = 120_000;

/** Runs graphloom, and parses the JSON that it prints. @throws Unsolved if it fails otherwise than with `codes` */
export async function graphloomJson(
  place: Place,
  args: readonly string[],
  codes: readonly number[] = [0],
  folder = place.work,
): Promise<unknown> {
  const { code, out, err } = await graphloom(place, args, folder);
  if (code === null || !codes.includes(code))
    throw new Unsolved(`graphloom ${args.join(" ")} ended with ${code}: ${shortened(err + out)}`);
  try {
    return JSON.parse(out);
  } catch {
    throw new Unsolved(`graphloom ${args.join(" ")} printed no JSON: ${shortened(out)}`);
  }
}

/** Checks a configuration. @throws Unsolved with its errors and warnings */
export async function mustBeFlawless(place: Place, word: string): Promise<void> {
  const report = await graphloomJson(place, ["check", word, "--format", "json"], [0, 1]);
  const { diagnostics } = report as { readonly diagnostics: readonly Diagnostic[] };
  const wrong = diagnostics.filter(({ severity }) => severity !== "note").map(({ message }) => message);
  if (wrong.length > 0) throw new Unsolved(`${word} is not fine: ${shortened(wrong.join("; "))}`);
}

interface Diagnostic {
  readonly severity: string;
  readonly message: string;
}

/** An entity, as `run` prints it. */
export type Row = Readonly<Record<string, unknown>>;

/** Indexes a subgraph up to a block. @returns its entities by type @throws Unsolved if that fails */
export async function indexed(
  place: Place,
  word: string,
  to: number,
  more: readonly string[] = [],
): Promise<ReadonlyMap<string, readonly Row[]>> {
  const args = ["run", word, "--to-block", String(to), "--output", "json", ...more];
  const chains = (await graphloomJson(place, args)) as Readonly<
    Record<string, { readonly entities?: Readonly<Record<string, readonly Row[]>> }>
  >;
  const entities = chains.sepolia?.entities;
  if (!entities) throw new Unsolved(`${word} indexes nothing on sepolia`);
  return new Map(Object.entries(entities));
}

/** The entities of a type. @throws Unsolved if there is no such type */
export function rowsOf(entities: ReadonlyMap<string, readonly Row[]>, type: string): readonly Row[] {
  const rows = entities.get(type);
  if (!rows || rows.length === 0)
    throw new Unsolved(`there are no entities ${type}, only ${[...entities.keys()].join(", ") || "none"}`);
  return rows;
}

/** The first part of a text, for a message. */
export function shortened(text: string): string {
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
