import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse } from "graphql";
import { describe, expect, it, onTestFinished } from "vitest";
import { type StartedDev, startDev } from "../cli/dev/started-dev.js";
import { graphloom, workplace } from "../cli/harness.js";
import { Anvil } from "../support/chain/anvil.js";
import { deployToken } from "../support/chain/erc20.js";
import { type CodeBlock, codeBlocks, theBlock, typedIn } from "../support/docs/code-blocks.js";
import { pages, root } from "../support/docs/pages.js";
import { shellCommands } from "../support/docs/shell-commands.js";
import { until } from "../support/until.js";

const blocks = codeBlocks(pages());

/** A query of a page, and the answer below it. */
interface Asked {
  readonly at: string;
  readonly query: string;
  readonly answer: unknown;
}

/** The queries of a page that have their own blocks. @throws Error for one without an answer */
function queriesOf(path: string): readonly Asked[] {
  const own = blocks.filter((block) => block.path === path);
  return own.flatMap((block, index) => {
    if (block.language !== "graphql") return [];
    const next = own[index + 1];
    if (next?.language !== "json") throw new Error(`${path}:${block.line} has no answer below it`);
    return [{ at: `${path}:${block.line}`, query: block.text, answer: JSON.parse(next.text) }];
  });
}

/** A query that `curl` sends, and the address it is sent to. */
interface Sent {
  readonly url: URL;
  readonly query: string;
}

/** Sends a query to the same path of a `dev` that listens elsewhere. @returns the whole answer */
async function send({ url, query }: Sent, dev: StartedDev): Promise<{ readonly data?: unknown }> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ query });
  const answer = await fetch(new URL(url.pathname, dev.address), { method: "POST", headers, body });
  return (await answer.json()) as { readonly data?: unknown };
}

/** The queries that a page's `curl` sends. */
function sentFrom(path: string): readonly Sent[] {
  return blocks
    .filter((block) => block.path === path && block.language === "sh")
    .flatMap(({ text }) => shellCommands(text))
    .filter(([program, , ...options]) => program === "curl" && options.includes("--data"))
    .map(([, url = "", ...options]) => ({
      url: new URL(url),
      query: JSON.parse(options[options.indexOf("--data") + 1] ?? "").query,
    }));
}

/** A block of a page with a configuration. */
function configurationOf(path: string): CodeBlock {
  const isConfiguration = ({ language, text }: CodeBlock): boolean =>
    language === "json" && text.includes('"instances"');
  return theBlock(blocks, (block) => block.path === path && isConfiguration(block));
}

/** Waits until all of the recorded history is indexed, then sends the query. */
async function expectAnswers(dev: StartedDev, asked: readonly Asked[]): Promise<void> {
  await dev.firstAnswer("{ _meta { deployment } }");
  await until(async () => {
    const { _meta } = (await dev.query("{ _meta { block { number } } }")) as {
      readonly _meta: { readonly block: { readonly number: number } };
    };
    return _meta.block.number >= 8214651;
  });
  expect(asked.length).toBeGreaterThan(0);
  for (const { at, query, answer } of asked) expect({ data: await dev.query(query) }, at).toEqual(answer);
}

describe("the queries of the manual", () => {
  it("use the demo or the configuration of their page", () => {
    const isQuery = ({ language, text }: CodeBlock): boolean =>
      language === "graphql" && !text.includes("@entity");
    const asking = blocks.filter(isQuery).map(({ path }) => path);
    expect([...new Set(asking)].sort()).toEqual(["README.md", "docs/getting-started.md", "docs/query.md"]);
  });

  it("get the answers that README.md shows, from its own configuration", async () => {
    const { text } = configurationOf("README.md");
    const abi = "examples/demo/abis/Token.json";
    const cwd = workplace({ "token.json": text, [abi]: readFileSync(join(root, abi)) });
    await expectAnswers(await startDev(cwd, "token.json --demo --port 0"), queriesOf("README.md"));
  });

  it("get the answers that query.md shows, from the demo", async () => {
    const dev = await startDev(workplace(), "--demo --port 0");
    await expectAnswers(dev, queriesOf("docs/query.md"));
    for (const { query } of sentFrom("docs/query.md")) await dev.query(query);
  });
});

describe("getting-started.md", () => {
  const path = "docs/getting-started.md";
  const typed = blocks
    .filter((block) => block.path === path && block.language === "console")
    .flatMap(typedIn)
    .map(({ line, output }) => ({ words: shellCommands(line).flat(), output }));
  const commandOf = (name: string): { readonly line: string; readonly output: string } => {
    const found = typed.find(({ words }) => words[2] === name);
    if (!found) throw new Error(`${path} does not type graphloom ${name}`);
    return { line: found.words.slice(2).join(" "), output: found.output };
  };

  it("leads from the ABI to the answer, exactly as written", async () => {
    const cwd = workplace();
    mkdirSync(join(cwd, "node_modules"));
    symlinkSync(root, join(cwd, "node_modules/graphloom"));

    const init = commandOf("init");
    expect(await graphloom(cwd, init.line)).toMatchObject({ code: 0, out: init.output });
    expect(readFileSync(join(cwd, "token.json"), "utf8")).toBe(configurationOf(path).text);

    const dev = commandOf("dev");
    const started = await startDev(cwd, `${dev.line.replace(/^dev /, "")} --port 0`);
    await expectAnswers(started, queriesOf(path));
    expect(started.said()).toContain(dev.output.split("\n\n")[0]);

    const [sent] = sentFrom(path);
    const [shown] = queriesOf(path);
    if (!sent || !shown) throw new Error(`${path} sends no query, or shows none`);
    expect(parse(sent.query, { noLocation: true })).toEqual(parse(shown.query, { noLocation: true }));
    expect(await send(sent, started)).toEqual(shown.answer);
  });

  it("leads from the reader's own contract on a local chain to its transfers", async () => {
    const anvil = await Anvil.start();
    onTestFinished(() => anvil.stop());
    const token = await deployToken(anvil, { name: "Coin", symbol: "COIN", decimals: 18, supply: 1000n });
    await anvil.send(token, "transfer", [`0x${"0".repeat(38)}b0`, 7n]);
    const cwd = workplace({ "Coin.json": token.interface.formatJson() });

    const lines = blocks
      .filter((block) => block.path === path && block.language === "sh")
      .flatMap(({ text }) => shellCommands(text))
      .filter((words) => words.includes("localhost") || words.some((word) => word.startsWith("localhost=")))
      .map((words) => words.slice(2).join(" ").replace("http://127.0.0.1:8545", anvil.url));
    const [init = "", dev = ""] = lines;
    expect(lines.length).toBe(2);
    expect(init.toLowerCase()).toContain(token.address);
    expect(await graphloom(cwd, init)).toMatchObject({ code: 0 });
    const started = await startDev(cwd, `${dev.replace(/^dev /, "")} --port 0`);

    const sent = sentFrom(path).filter(({ url }) => url.pathname.endsWith("/coin"));
    const [howFar, transfers] = sent;
    if (!howFar || !transfers) throw new Error(`${path} does not ask the subgraph of the reader's own`);
    await until(async () => JSON.stringify((await send(howFar, started)).data)?.includes('"number":2'));
    expect((await send(transfers, started)).data).toMatchObject({
      transfers: [{ value: "1000" }, { value: "7" }],
    });
  });
});
