import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { parse, stringify } from "yaml";
import { useFolder } from "../../support/folder.js";
import { judge, judgedBuild } from "../../support/judge/judge.js";
import { childContract, clockContract } from "./contracts.js";

/** What tests change of the manifest, as plain data. */
export interface ManifestData {
  specVersion: string;
  features?: string[];
  dataSources: SourceData[];
  templates: SourceData[];
}

export interface SourceData {
  kind: string;
  name: string;
  source: { address?: string; startBlock?: number; endBlock?: number };
  mapping: {
    eventHandlers: Record<string, unknown>[];
    blockHandlers: { handler: string; filter?: { kind: string; every?: number } }[];
  };
}

/** A build by the peer's command line, whose manifest tests may change: the code does not know it. */
export interface ClockBuild {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** The build with another manifest. */
  with(change: (manifest: ManifestData) => void): {
    readonly files: ReadonlyMap<string, string | Uint8Array>;
  };
}

const text = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
const folder = useFolder({
  "subgraph.yaml": text("subgraph.yaml"),
  "schema.graphql": text("schema.graphql"),
  "src/mapping.ts": text("mapping.as"),
  "abis/Clock.json": JSON.stringify(clockContract.abi),
  "abis/Child.json": JSON.stringify(childContract.abi),
});

/** Builds the subgraph of clocks with `graph codegen` and `graph build`. */
export async function buildClock(): Promise<ClockBuild> {
  const { ok, output, build } = await judge(folder, { build: judgedBuild });
  expect(ok, output).toBe(true);
  const isText = (path: string): boolean => !path.endsWith(".wasm");
  const files = new Map(
    [...build].map(([path, bytes]) => [path, isText(path) ? Buffer.from(bytes).toString() : bytes]),
  );
  const manifest = String(files.get("build/subgraph.yaml"));
  return {
    files,
    with(change) {
      const data = parse(manifest) as ManifestData;
      change(data);
      return { files: new Map([...files, ["build/subgraph.yaml", stringify(data)]]) };
    },
  };
}

/** Has the data sources listen to a contract from a block on; the numbers of the manifest count from 100. */
export function listenTo(manifest: ManifestData, address: string, start: number): void {
  for (const { source } of manifest.dataSources) {
    source.address = address;
    if (source.startBlock !== undefined) source.startBlock += start - 100;
    if (source.endBlock !== undefined) source.endBlock += start - 100;
  }
}
