import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Anvil, type Contract } from "../support/chain/anvil.js";
import { deployToken } from "../support/chain/erc20.js";
import { codeBlocks, typedIn } from "../support/docs/code-blocks.js";
import { type Page, pages, proseOf, root } from "../support/docs/pages.js";
import { useFolder } from "../support/folder.js";
import { installPacked } from "../support/packed-package.js";
import { until } from "../support/until.js";

/*
 * A reader follows the pages for people who come from elsewhere: the commands in their order, with the packed package, a chain
 * and a server on this machine. Addresses of the pages become those of this machine; all else stays as it is written.
 */

const anvil = await Anvil.start();
afterAll(() => anvil.stop());
const place = useFolder();
let tarball: string;
let token: Contract;
beforeAll(async () => {
  tarball = installPacked(place).filename;
  token = await deployToken(anvil, { name: "Pool", symbol: "P", decimals: 18, supply: 10n ** 24n });
  for (let value = 1; value <= 5; value++) await anvil.send(token, "transfer", [anvil.account(1), value]);
});

/** How a command ended, and what it printed. */
interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A reader of a page, in the folder of a project, at a server of their own. */
interface Reader {
  readonly folder: string;
  /** The base of the addresses of the server. */
  readonly address: string;
  readonly project: string;
  /** Types a line. */
  type(line: string): Promise<Ended>;
  /** Types a line that runs on, and waits for words in what it prints. */
  start(line: string, wanted: RegExp): Promise<readonly string[]>;
}

/** Starts the server as a page says. @param files of the project */
async function readerOf(page: Page, files: Readonly<Record<string, string>>): Promise<Reader> {
  const folder = join(place, page.path.replaceAll(/\W/g, "-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const bin = join(place, "node_modules/.bin");
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    NO_COLOR: "1",
  };
  const served = linesIn(page).find((line) => /^(?:npx )?graphloom serve /.test(line));
  if (served === undefined) throw new Error(`${page.path} does not say how to start a server`);
  const start = async (line: string, wanted: RegExp): Promise<readonly string[]> => {
    const command = line.replace(/https:\/\/\S+/, anvil.url);
    const child = spawn("sh", ["-c", `exec ${command.replace(/^npx /, "")} --port 0`], { cwd: folder, env });
    afterAll(() => child.kill("SIGKILL"));
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
    return until(() => wanted.exec(said) ?? undefined);
  };
  const [, address = "", project = ""] = await start(served, /"address":"([^"]+)".*"project":"([^"]+)"/);
  const key = (): string => {
    const { logins } = JSON.parse(
      readFileSync(join(folder, ".config/graphloom/credentials.json"), "utf8"),
    ) as { readonly logins: Readonly<Record<string, { readonly token: string }>> };
    return logins[`${address}/api/v1`]?.token ?? "";
  };
  let deployment = "";
  const type = async (line: string): Promise<Ended> => {
    const own = `${address}/api/public/${project}/subgraphs/pools/1.0.0/gn`;
    const here = line
      .replaceAll("https://graph.example.com", address)
      .replaceAll(/https:\/\/(?:api\.goldsky\.com|node\.example\.com)\S+/g, own)
      .replaceAll("https://rpc.example.com", anvil.url)
      .replaceAll("Qm…", `${deployment} --ipfs-gateway ${address}/api/v1`);
    // A login in a script reads the key from its input. Here, it is that of the server's owner.
    const command = here.includes("graphloom login") ? `echo ${key()} | ${here}` : here;
    const ended = await promisify(execFile)("sh", ["-c", command], { cwd: folder, env }).then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
      ({ code, stdout, stderr }) => ({ code: Number(code), out: `${stdout}`, err: `${stderr}` }),
    );
    deployment = /deployment +(Qm\w{44})/.exec(ended.out)?.[1] ?? deployment;
    return ended;
  };
  return { folder, address, project, start, type };
}

/** The lines of the page's blocks for a shell. */
function linesIn(page: Page): readonly string[] {
  return codeBlocks([page])
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#")));
}

/** What runs until it is interrupted, or needs a registry. */
const standing = /^(?:npm |(?:npx )?graphloom (?:dev|serve) )/;

/** The lines that a reader of a page types, and those that are left out. */
function linesOf(page: Page): { readonly typed: readonly string[]; readonly left: readonly string[] } {
  const all = linesIn(page);
  return {
    typed: all.filter((line) => !standing.test(line)),
    left: all.filter((line) => standing.test(line)),
  };
}

function pageAt(path: string): Page {
  const page = pages().find((one) => one.path === path);
  if (page === undefined) throw new Error(`there is no ${path}`);
  return page;
}

const configuration = (): string =>
  JSON.stringify({
    version: "1",
    name: "pools",
    abis: { Token: JSON.parse(token.interface.formatJson()) },
    instances: [{ abi: "Token", address: token.address, startBlock: 1, chain: "mainnet" }],
  });

/** A definition as one has it elsewhere, into a sink that needs no database. */
const transfers = `apiVersion: 3
name: transfers
sources:
  transfers:
    type: subgraph_entity
    name: transfer
    subgraphs: [{ name: pools, version: 1.0.0 }]
    start_at: earliest
transforms: {}
sinks:
  stored: { type: blackhole, from: transfers }
`;

const secret = {
  type: "jdbc",
  protocol: "postgresql",
  host: "db.example.com",
  port: 5432,
  databaseName: "pools",
  user: "user",
  password: "pass",
};

it("a reader who comes from Goldsky can type every command of the page", async () => {
  const page = pageAt("docs/coming-from-goldsky.md");
  const reader = await readerOf(page, {
    "subgraph.json": configuration(),
    "db.json": JSON.stringify(secret),
    "transfers.yaml": transfers,
  });
  // The recipes for scripts come first on the page, and need what the rest deploys.
  const { typed, left } = linesOf(page);
  expect(left).toHaveLength(1);
  const recipes = typed.filter((line) => line.includes("| jq") || line.includes("--output json"));
  expect([recipes.length, typed.length]).toEqual([3, 13]);
  const failed: unknown[] = [];
  const printed = new Map<string, string>();
  for (const line of [...typed.filter((one) => !recipes.includes(one)), ...recipes]) {
    const { code, out, err } = await reader.type(line);
    printed.set(line, out);
    if (code !== 0) failed.push({ line, code, out, err });
  }
  expect(failed).toEqual([]);
  expect(recipes.map((line) => printed.get(line))).toEqual(["pools/1.0.0\n", "1.0.0\n", "HEALTHY\n"]);
  const [shown] = codeBlocks([page]).filter(({ language }) => language === "console");
  const [{ line, output } = { line: "", output: "" }] = shown ? typedIn(shown) : [];
  const here = output
    .replaceAll("http://127.0.0.1:8030", reader.address)
    .replaceAll("project_1", reader.project);
  expect((await reader.type(line)).out).toBe(here);
  // Names that the table of commands has.
  for (const [, alias = ""] of proseOf(page.text).matchAll(/^\| `(\w+) …` \| the same/gm))
    expect(await reader.type(`graphloom ${alias} list`)).toMatchObject({ code: 0 });
  expect((await reader.type("graphloom mirror list")).out).toContain("transfers");
});

it("a reader who comes from The Graph can type every command of the page in what graph init wrote", async () => {
  const page = pageAt("docs/coming-from-the-graph.md");
  const files = JSON.parse(readFileSync(join(root, "test/support/docs/graph-init.json"), "utf8"));
  expect(files["subgraph.yaml"].toLowerCase()).toContain(token.address);
  const reader = await readerOf(page, files);
  // What `npm install` brings into a project of graph-cli for its tests.
  mkdirSync(join(reader.folder, "node_modules"));
  symlinkSync(join(root, "node_modules/matchstick-as"), join(reader.folder, "node_modules/matchstick-as"));
  const { typed, left } = linesOf(page);
  expect(left.join("\n")).toContain(`/${tarball}`);
  const inTables = [
    ...proseOf(page.text).matchAll(/`(graphloom (?:codegen|build|test|subgraph (?:deploy|list)) ?[^`…]*)`/g),
  ];
  const [codegen, ...rest] = inTables.map(([, line = ""]) => line);
  expect([codegen, rest.length]).toEqual(["graphloom codegen", 4]);
  const failed: unknown[] = [];
  for (const line of [codegen as string, ...rest, ...typed]) {
    const { code, out, err } = await reader.type(line);
    if (code !== 0) failed.push({ line, code, out, err });
  }
  // The test that graph init wrote names an id without the log index, which its mapping adds.
  expect(failed).toEqual([
    expect.objectContaining({
      line: "graphloom test",
      code: 1,
      out: expect.stringContaining("ExampleEntity created and stored"),
    }),
  ]);
  const dev = left.find((line) => line.includes("graphloom dev "));
  if (dev === undefined) throw new Error("the page does not name graphloom dev");
  await reader.start(dev, /\/dev\/gn[\s\S]*synced at block/);
});
