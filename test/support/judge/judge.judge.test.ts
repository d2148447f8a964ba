import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { graphTs } from "../../compiler/asc/harness.js";
import { asc } from "../compiler/asc.js";
import { testFolder } from "../folder.js";
import { type JudgeOptions, judge, openJudge, wasmInterface } from "./judge.js";

const manifest = (network: string): string => `specVersion: 1.2.0
schema:
  file: ./schema.graphql
dataSources:
  - kind: ethereum
    name: Token
    network: ${network}
    source:
      address: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
      abi: Token
      startBlock: 6082465
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities:
        - Approval
      abis:
        - name: Token
          file: ./abis/Token.json
      eventHandlers:
        - event: Approval(indexed address,uint256)
          handler: handleApproval
      file: ./src/token.ts
`;

const schema = `type Approval @entity(immutable: true) {
  id: ID!
  value: BigInt!
}
`;

const abi = `[{ "type": "event", "name": "Approval", "anonymous": false, "inputs": [
  { "name": "owner", "type": "address", "indexed": true },
  { "name": "value", "type": "uint256", "indexed": false }
] }]
`;

const mapping = (
  value: string,
): string => `import { Approval as ApprovalEvent } from "../generated/Token/Token";
import { Approval } from "../generated/schema";

export function handleApproval(event: ApprovalEvent): void {
  let entity = new Approval(event.transaction.hash.toHexString() + "-" + event.logIndex.toString());
  entity.value = ${value};
  entity.save();
}
`;

const accepted = {
  "subgraph.yaml": manifest("mainnet"),
  "schema.graphql": schema,
  "abis/Token.json": abi,
  "src/token.ts": mapping("event.params.value"),
};

/** For rejected projects, which end the process. Accepted ones go to the judge that all files of a worker share. */
const judges = openJudge();
const fast: JudgeOptions = { build: "fast" };

afterAll(() => {
  judges.close();
});

describe("the judge", () => {
  test("accepts a good project, returns the build and leaves no files behind", async () => {
    const directory = testFolder(accepted);
    // A separate temporary folder, because other judges work at the same time.
    const own = testFolder();
    vi.stubEnv("TMPDIR", own);
    const { ok, output, generated, build } = await judge(directory, fast);
    expect(output).toContain("Build completed");
    expect(ok).toBe(true);
    expect([...generated.keys()]).toEqual(["generated/Token/Token.ts", "generated/schema.ts"]);
    expect([...build.keys()]).toEqual([
      "build/Token/Token.json",
      "build/Token/Token.wasm",
      "build/schema.graphql",
      "build/subgraph.yaml",
    ]);
    const { exports, imports } = wasmInterface(build.get("build/Token/Token.wasm") ?? new Uint8Array());
    expect(exports).toContain("handleApproval");
    expect(imports).toContain("index.store.set");
    expect(readdirSync(directory).sort()).toEqual(["abis", "schema.graphql", "src", "subgraph.yaml"]);
    expect(readdirSync(own)).toEqual([]);
    vi.unstubAllEnvs();
  });

  test("builds the same bytes as the graph command and our release in an installed project", async () => {
    const directory = testFolder(accepted);
    const { build, generated } = await judge(directory);
    // `graph codegen` is the same in both, so the command only builds.
    const installed = testFolder(generated);
    cpSync(directory, installed, { recursive: true });
    const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
    const library = join("@graphprotocol", "graph-ts");
    cpSync(join(modules, library), join(installed, "node_modules", library), { recursive: true });
    const graph = join(modules, "@graphprotocol", "graph-cli", "bin", "run.js");
    execFileSync(process.execPath, [graph, "build"], { cwd: installed, stdio: "ignore" });
    for (const [path, bytes] of build) {
      expect(Buffer.compare(readFileSync(join(installed, path)), bytes), path).toBe(0);
    }
    const paths = ["src/token.ts", "generated/schema.ts", "generated/Token/Token.ts"];
    const files = new Map(paths.map((path) => [path, readFileSync(join(installed, path), "utf8")]));
    const input = { entry: "src/token.ts", files, graphTs, expressions: [] };
    const ours = await asc.compile({ ...input, mode: "full" });
    const wasm = readFileSync(join(installed, "build/Token/Token.wasm"));
    expect(ours.kind === "compiled" && wasm.equals(ours.wasm ?? new Uint8Array())).toBe(true);
  });

  test("rejects a type error with the compiler's message", async () => {
    const broken = { ...accepted, "src/token.ts": mapping("5") };
    const { ok, output } = await judges.judge(testFolder(broken), fast);
    expect(ok).toBe(false);
    expect(output).toContain("TS2322");
  });

  test("rejects an event that is not in the ABI", async () => {
    const broken = { ...accepted, "subgraph.yaml": manifest("mainnet").replace("uint256", "int256") };
    const { ok, output } = await judges.judge(testFolder(broken), fast);
    expect(ok).toBe(false);
    expect(output).toContain("Available events");
  });

  test("survives a crash of the compiler, and judges every manifest of a project with several chains", async () => {
    const crashing = "event.transaction.to == null ? event.params.value : event.params.value";
    const broken = await judges.judge(testFolder({ ...accepted, "src/token.ts": mapping(crashing) }), fast);
    expect(broken.ok).toBe(false);
    expect(broken.output).toContain("crashed");
    const { "subgraph.yaml": _, ...shared } = accepted;
    const chains = { "subgraph.base.yaml": manifest("base"), "subgraph.mainnet.yaml": manifest("mainnet") };
    const good = await judges.judge(testFolder({ ...shared, ...chains }), fast);
    expect(good.ok).toBe(true);
    expect([...good.manifests.keys()]).toEqual(["subgraph.base.yaml", "subgraph.mainnet.yaml"]);
    const bad = await judges.judge(
      testFolder({ ...shared, ...chains, "subgraph.base.yaml": "specVersion: 1.2.0\n" }),
      fast,
    );
    expect([...bad.manifests.values()].map(({ ok }) => ok)).toEqual([false, true]);
    expect(bad.ok).toBe(false);
  });

  test("rejects a folder without a manifest", async () => {
    expect((await judge(testFolder({ "schema.graphql": schema }))).output).toContain("no manifest");
  });
});
