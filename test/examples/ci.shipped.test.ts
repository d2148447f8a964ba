import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { config } from "../cli/harness.js";
import { testFolder } from "../support/folder.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Step {
  readonly name: string;
  readonly if?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}
const action: Action = parse(readFileSync(join(root, "action.yml"), "utf8"));
const { steps } = action.runs;
const fence = "````````";

/** What a step of the action has done. */
interface Done {
  readonly code: number | null;
  readonly out: string;
  readonly outputs: string;
  readonly summary: string;
}

let place: string;
let work: string;
/** The commands of the fake graphloom, a line each. */
const asked = (): string => readFileSync(join(place, "asked"), "utf8");
const git = (...words: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...words], {
    cwd: work,
    encoding: "utf8",
    stdio: "pipe",
  });
const token = { path: "./Token.json" };
const abi = (...names: readonly string[]): string =>
  JSON.stringify(
    names.map((name) => ({
      type: "event",
      name,
      anonymous: false,
      inputs: [{ name: "to", type: "address", indexed: true }],
    })),
  );

/** A program on the path of the steps. */
function program(name: string, source: string): void {
  const path = join(place, "bin", name);
  writeFileSync(path, `#!/usr/bin/env node\n${source}`);
  chmodSync(path, 0o755);
}

beforeEach(() => {
  place = testFolder();
  work = join(place, "work");
  for (const folder of ["bin", "temp", "origin", "work"]) mkdirSync(join(place, folder));
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch", "main", join(place, "origin")]);
  git("init", "--quiet", "--initial-branch", "main");
  git("remote", "add", "origin", join(place, "origin"));
  writeFileSync(join(work, "subgraph.json"), config({ abis: { Token: token } }));
  writeFileSync(join(work, "Token.json"), abi("Transfer", "Paused"));
  git("add", ".");
  git("commit", "--quiet", "--message", "first");
  git("push", "--quiet", "origin", "main");
  git("checkout", "--quiet", "-b", "change");
  // The comments of a pull request, as the command line of GitHub reads and writes them.
  program(
    "gh",
    `const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const file = ${JSON.stringify(join(place, "comments.json"))};
const comments = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [{ id: 1, body: "hello" }];
const words = process.argv.slice(2);
if (process.env.GH_TOKEN !== "secret" || words.shift() !== "api") process.exit(1);
const after = (name) => words[words.indexOf(name) + 1];
const body = () => after("--raw-field").slice("body=".length);
const last = words.find((word) => word.startsWith("repos/")).split("/").at(-1);
if (words.includes("--jq")) {
  const [, mark] = /startswith\\("(.+)"\\)/.exec(after("--jq"));
  for (const { id, body } of comments) if (body.startsWith(mark)) console.log(id);
} else if (after("--method") === "PATCH") comments.find(({ id }) => String(id) === last).body = body();
else comments.push({ id: comments.length + 1, body: body() });
writeFileSync(file, JSON.stringify(comments));`,
  );
  program(
    "fake-graphloom",
    `require("node:fs").appendFileSync(${JSON.stringify(join(place, "asked"))}, process.argv.slice(2).join(" ") + "\\n");
if (process.env.SAYS) console.log(process.env.SAYS);
process.exit(Number(process.env.CODE ?? 0));`,
  );
});

/** Runs a step with inputs, as GitHub does: expressions have become variables. */
function runStep(name: string, env: Readonly<Record<string, string>> = {}): Done {
  const step = steps.find((each) => each.name === name);
  if (!step) throw new Error(`the action has no step ${name}`);
  const [outputs, summary] = ["outputs", "summary"].map((file) => join(place, file)) as [string, string];
  for (const file of [outputs, summary]) writeFileSync(file, "");
  const { status, stdout, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail"], {
    cwd: work,
    encoding: "utf8",
    input: step.run,
    env: {
      PATH: `${join(place, "bin")}${delimiter}${process.env.PATH}`,
      HOME: place,
      GITHUB_OUTPUT: outputs,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: join(place, "temp"),
      GRAPHLOOM: `node ${join(root, "dist/cli/main.js")}`,
      SUBGRAPH: "subgraph.json",
      ...env,
    },
  });
  const missing = Object.keys(env).filter((each) => !(each in step.env) && !/^(?:SAYS|CODE)$/.test(each));
  expect(missing, "variables that the step does not have").toEqual([]);
  return {
    code: status,
    out: `${stdout}${stderr}`,
    outputs: readFileSync(outputs, "utf8"),
    summary: readFileSync(summary, "utf8"),
  };
}

const change = { BASE: "main", FAIL: "false" };
const comment = { GH_TOKEN: "secret", REPOSITORY: "a/b", NUMBER: "7" };

describe("the action", () => {
  it("writes no value of a caller into a script", () => {
    for (const { run } of steps) expect(run).not.toContain("${{");
    const text = JSON.stringify(action);
    for (const name of Object.keys(action.inputs)) expect(text).toContain(`inputs.${name}`);
    const manual = readFileSync(join(root, "docs/ci.md"), "utf8");
    const known = Object.keys(action.inputs).filter((name) => name !== "github-token");
    expect(known.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  });

  it("reports mistakes as annotations and in SARIF, and fails", () => {
    const wrong = config({ abis: { Token: token }, nmae: "x" });
    writeFileSync(join(work, "subgraph.json"), wrong);
    const { code, out } = runStep("Check", { SARIF: "graphloom.sarif" });
    expect(code).toBe(1);
    expect(out).toMatch(/^::error file=subgraph\.json,line=\d+,col=\d+,endColumn=\d+,title=unknown-key::/m);
    const sarif = JSON.parse(readFileSync(join(work, "graphloom.sarif"), "utf8"));
    expect(sarif.runs[0].results[0]).toMatchObject({ ruleId: "unknown-key", level: "error" });
    writeFileSync(join(work, "subgraph.json"), config({ abis: { Token: token } }));
    expect(runStep("Check", { SARIF: "" }).code).toBe(0);
  });

  it("says that a change breaks queries, and keeps one comment about it", () => {
    writeFileSync(join(work, "Token.json"), abi("Transfer"));
    const broken = runStep("Compare with the base branch", change);
    expect([broken.code, broken.outputs]).toEqual([0, "breaking=true\n"]);
    expect(broken.summary).toMatch(
      new RegExp(`^### subgraph\\.json: This breaks queries\n\n${fence}text\n[^]+Paused[^]+\n${fence}\n$`),
    );
    expect(broken.summary).not.toContain(place);
    expect(runStep("Comment", comment).code).toBe(0);
    writeFileSync(join(work, "Token.json"), abi("Transfer", "Paused", "Resumed"));
    const fine = runStep("Compare with the base branch", change);
    expect([fine.code, fine.outputs]).toEqual([0, "breaking=false\n"]);
    expect(fine.summary).toContain("Queries keep working");
    expect(runStep("Comment", comment).code).toBe(0);
    const comments = JSON.parse(readFileSync(join(place, "comments.json"), "utf8"));
    expect(comments).toEqual([
      { id: 1, body: "hello" },
      { id: 2, body: `<!-- graphloom diff subgraph.json -->\n${fine.summary.trimEnd()}` },
    ]);
  });

  it("fails on a change that breaks queries if it is asked to", () => {
    writeFileSync(join(work, "Token.json"), abi("Transfer"));
    const { code, out, outputs } = runStep("Compare with the base branch", { ...change, FAIL: "true" });
    expect([code, outputs]).toEqual([4, "breaking=true\n"]);
    expect(out).toContain("::error title=breaking change::");
  });

  it("tells a new subgraph and a broken base from a change", () => {
    writeFileSync(join(work, "new.json"), config({ abis: { Token: token } }));
    const fresh = runStep("Compare with the base branch", { ...change, SUBGRAPH: "new.json" });
    expect([fresh.code, fresh.outputs]).toEqual([0, "breaking=false\n"]);
    expect(fresh.summary).toContain("### new.json: A new subgraph");
    git("checkout", "--quiet", "main");
    writeFileSync(join(work, "subgraph.json"), "{");
    git("commit", "--quiet", "--all", "--message", "broken");
    git("push", "--quiet", "origin", "main");
    git("checkout", "--quiet", "change");
    const broken = runStep("Compare with the base branch", change);
    expect([broken.code, broken.outputs]).toEqual([0, "breaking=false\n"]);
    expect(broken.summary).toContain("The base branch cannot be compared");
  });

  it("only warns if it may not comment", () => {
    writeFileSync(join(place, "temp/graphloom-diff.md"), "text");
    const { code, out } = runStep("Comment", { ...comment, GH_TOKEN: "" });
    expect([code, out]).toEqual([0, expect.stringContaining("::warning::The comment could not be written.")]);
    expect(existsSync(join(place, "comments.json"))).toBe(false);
  });

  it("deploys a preview under a tag, and compares it with production", () => {
    const fake = { GRAPHLOOM: "fake-graphloom", PREVIEW: "pools/abc" };
    const server = { GRAPHLOOM_API_URL: "http://a", GRAPHLOOM_TOKEN: "t" };
    const preview = runStep("Deploy a preview", { ...fake, ...server, TAG: "pr-7", WAIT: "synced" });
    expect([preview.code, preview.outputs]).toEqual([0, "preview=pools/abc\n"]);
    runStep("Deploy a preview", { ...fake, ...server, TAG: "", WAIT: "indexing" });
    const beside = { ...fake, ...server, PRODUCTION: "pools/prod" };
    const compared = (CODE: string) => runStep("Compare with production", { ...beside, CODE, SAYS: "rows" });
    expect([compared("0").outputs, compared("4").outputs]).toEqual(["equal=true\n", "equal=false\n"]);
    const failed = compared("3");
    expect([failed.code, failed.outputs, failed.out]).toEqual([3, "", "rows\n"]);
    const deploy = "subgraph deploy pools/abc subgraph.json --skip-deployed";
    expect(asked().trim().split("\n").slice(0, 3)).toEqual([
      `${deploy} --wait synced --format github --tag pr-7`,
      `${deploy} --wait indexing --format github`,
      "compare pools/prod pools/abc --no-color",
    ]);
  });
});

describe("the examples", () => {
  it("of a workflow gives the action only inputs that it has", () => {
    const workflow = parse(readFileSync(join(root, "examples/ci/github.yml"), "utf8"));
    const used = workflow.jobs.subgraph.steps.find(({ uses = "" }) => uses === "./node_modules/graphloom");
    expect(Object.keys(used.with).filter((name) => !(name in action.inputs))).toEqual([]);
  });

  it("of GitLab runs commands that graphloom has", () => {
    const jobs: Readonly<Record<string, { readonly script?: readonly string[] }>> = parse(
      readFileSync(join(root, "examples/ci/gitlab-ci.yml"), "utf8"),
    );
    const lines = Object.values(jobs).flatMap(({ script = [] }) => script);
    const ours = lines.filter((line) => line.startsWith("npx graphloom"));
    expect(ours.length).toBe(3);
    for (const line of ours) {
      const words = line
        .replaceAll(/"?\$\w+"?/g, "x")
        .split(" ")
        .slice(1);
      const { stdout } = spawnSync("node", [join(root, "dist/cli/main.js"), ...words.slice(1), "--help"], {
        encoding: "utf8",
      });
      for (const option of words.filter((word) => word.startsWith("--"))) expect(stdout).toContain(option);
    }
  });
});
