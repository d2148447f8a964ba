import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, onTestFinished } from "vitest";
import { compile, createNodeHost } from "../../src/exports/index.js";
import { openHosting } from "../../src/platform/open-hosting.js";
import { createSignInCodes } from "../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../src/platform/people/accounts.js";
import { serverParts } from "../../src/platform/server-parts.js";
import type { Database } from "../../src/store/database/database.js";
import { parseManifest } from "../../src/subgraph/manifest/parse-manifest.js";
import { graphloom, workplace } from "../cli/harness.js";
import type { Listener, ListeningSource } from "../support/chain/happening-chain.js";
import { examples } from "../support/compiler/examples.js";
import { addressOf, world } from "../support/database/databases.js";
import { startPlatform } from "../support/server/platform-server.js";

/** An example in a folder of its own. It begins with block 1. */
export interface CompiledExample {
  readonly name: string;
  readonly cwd: string;
  /** The text of its configuration. Its lines are those of the example. */
  readonly config: string;
  /** Who listens to what, by network. */
  readonly networks: ReadonlyMap<string, readonly ListeningSource[]>;
}

/** An example on a server. */
export interface DeployedExample extends CompiledExample {
  readonly database: Database;
  /** Reads a page of the dashboard, which must be there. */
  page(path: string): Promise<string>;
}

// biome-ignore lint/suspicious/noExplicitAny: a manifest as it is
type Manifest = any;

/** Copies an example and compiles it. The end of the test deletes the copy. */
export async function compileExample(name: string): Promise<CompiledExample> {
  const folder = join(examples, name);
  const files = Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path), readFileSync(path)]),
  );
  const config = String(files["subgraph.json"]).replaceAll(/"startBlock": \d+/g, '"startBlock": 1');
  const cwd = workplace({ ...files, "subgraph.json": config });
  const { files: compiled, model } = await compile("subgraph.json", createNodeHost({ cwd }));
  if (!model) throw new Error(`the example ${name} does not compile`);
  const networks = model.chains.map(({ chain }) => {
    const path = model.chains.length > 1 ? `subgraph.${chain}.yaml` : "subgraph.yaml";
    const manifest: Manifest = parseManifest(String(compiled.get(path))).toData();
    const read = (file: string): string => String(compiled.get(file) ?? readFileSync(join(cwd, file)));
    return [chain, sourcesOf(manifest, read)] as const;
  });
  return { name, cwd, config, networks: new Map(networks) };
}

/**
 * Deploys an example to a server, which indexes it to the head of each chain. The end of the test closes the server.
 * @param nodes the address of a node, by network
 */
export async function deployExample(
  example: CompiledExample,
  database: Database,
  nodes: ReadonlyMap<string, string>,
): Promise<DeployedExample> {
  const platform = await startPlatform(database, {
    nodes: new Map([...nodes].map(([network, url]) => [network, [url]])),
    createHosting: (nodes) =>
      openHosting(database, nodes, { database: addressOf(database) ?? "", verify: "bloom" }, { world }),
    parts: serverParts({ codes: createSignInCodes(world), accounts: createAccounts(world) }),
  });
  onTestFinished(() => platform.close());
  const address = `--api-url ${platform.url} --token ${platform.token}`;
  const line = `subgraph deploy ${example.name}/1 --from-abi subgraph.json --wait synced ${address}`;
  const ran = await graphloom(example.cwd, line);
  expect([ran.code, ran.code === 0 ? "" : ran.err]).toEqual([0, ""]);
  const signedIn = await fetch(`${platform.address}/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ key: platform.token }),
    redirect: "manual" as const,
  });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return {
    ...example,
    database,
    page: async (path) => {
      const answer = await fetch(platform.address + path, { headers: { cookie } });
      expect([path, answer.status]).toEqual([path, 200]);
      return answer.text();
    },
  };
}

function sourcesOf(manifest: Manifest, read: (path: string) => string): readonly ListeningSource[] {
  const all: readonly Manifest[] = [...manifest.dataSources, ...(manifest.templates ?? [])];
  return all.map(({ name, source, mapping }) => {
    const { file } = mapping.abis.find((abi: { readonly name: string }) => abi.name === source.abi);
    const listeners = (given: readonly Manifest[] = [], key: string): readonly Listener[] =>
      given.map((each) => ({ signature: each[key], handler: each.handler }));
    return {
      name,
      address: source.address?.toLowerCase(),
      abi: JSON.parse(read(file.replace(/^\.\//, ""))),
      events: listeners(mapping.eventHandlers, "event"),
      calls: listeners(mapping.callHandlers, "function"),
    };
  });
}
