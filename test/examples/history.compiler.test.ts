import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { chainOfName } from "../../src/chains/look-up-chain.js";
import { compile, createNodeHost } from "../../src/exports/index.js";
import { openHosting } from "../../src/platform/open-hosting.js";
import { createSignInCodes } from "../../src/platform/pages/sign-in-codes.js";
import { createAccounts } from "../../src/platform/people/accounts.js";
import { serverParts } from "../../src/platform/server-parts.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { quoteName } from "../../src/store/database/quote.js";
import { findDeployment, layoutOf } from "../../src/store/deployments/deployments.js";
import type { EntityTable } from "../../src/store/tables/layout.js";
import { parseManifest } from "../../src/subgraph/manifest/parse-manifest.js";
import { graphloom, workplace } from "../cli/harness.js";
import {
  type HappeningChain,
  type Listener,
  type ListeningSource,
  startHappeningChain,
} from "../support/chain/happening-chain.js";
import { exampleNames, examples } from "../support/compiler/examples.js";
import { onPglite, world } from "../support/database/databases.js";
import { startPlatform } from "../support/server/platform-server.js";

const { fresh } = onPglite();
/** The most entities of a type whose history is read. */
const mostOfType = 2;

/** A chain of an example, and who listens to what on it. */
interface Played {
  readonly chain: HappeningChain;
  readonly sources: readonly ListeningSource[];
}

/** A version as the table has it. */
interface Stored {
  readonly begins: number;
  readonly ends: number | undefined;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The mapping of the market refuses what cannot happen there. The tests of the market play what can. */
const playedElsewhere = "market";

// biome-ignore lint/suspicious/noExplicitAny: a manifest as it is
type Manifest = any;

it.each(
  exampleNames.filter((name) => name !== playedElsewhere),
)("the history of the entities of the example %s is that of their tables, with the handlers and lines that wrote them", {
  timeout: 400_000,
}, async (name) => {
  const folder = join(examples, name);
  const files = Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path), readFileSync(path)]),
  );
  // The lines stay where they are.
  const config = String(files["subgraph.json"]).replaceAll(/"startBlock": \d+/g, '"startBlock": 1');
  const cwd = workplace({ ...files, "subgraph.json": config });
  const { files: compiled, model } = await compile("subgraph.json", createNodeHost({ cwd }));
  if (!model) throw new Error("the example does not compile");
  const played = new Map<string, Played>();
  for (const { chain } of model.chains) {
    const path = model.chains.length > 1 ? `subgraph.${chain}.yaml` : "subgraph.yaml";
    const manifest: Manifest = parseManifest(String(compiled.get(path))).toData();
    const sources = sourcesOf(manifest, (file) =>
      String(compiled.get(file) ?? readFileSync(join(cwd, file))),
    );
    played.set(chain, {
      sources,
      chain: await startHappeningChain(sources, Number(chainOfName(chain)?.chainId ?? 1)),
    });
  }
  const database = await fresh();
  const platform = await startPlatform(database, {
    nodes: new Map([...played].map(([network, { chain }]) => [network, [chain.url]])),
    createHosting: (settings) =>
      openHosting(database, settings, { database: "", verify: "bloom" }, { world }),
    parts: serverParts({ codes: createSignInCodes(world), accounts: createAccounts(world) }),
  });
  onTestFinished(async () => {
    await platform.close();
    for (const { chain } of played.values()) await chain.close();
  });
  const address = `--api-url ${platform.url} --token ${platform.token}`;
  const line = `subgraph deploy ${name}/1 --from-abi subgraph.json --wait synced ${address}`;
  const ran = await graphloom(cwd, line);
  expect([ran.code, ran.code === 0 ? "" : ran.err]).toEqual([0, ""]);
  const signedIn = await fetch(`${platform.address}/sign-in`, {
    ...{ method: "POST", body: new URLSearchParams({ key: platform.token }), redirect: "manual" as const },
  });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const deployed = await database.query(
    SQL`select v.name, v.version, v.deployment, b.network from graphloom.versions v join graphloom.builds b using (deployment)`,
  );
  expect(deployed.length).toBe(played.size);
  for (const { name: named, version, deployment, network } of deployed) {
    const on = played.get(network ?? "");
    const found = await findDeployment(database, deployment ?? "");
    if (!on || !found) throw new Error("the deployment is there");
    const { namespace, tables } = layoutOf(found);
    let written = 0;
    for (const table of tables) {
      const histories = await storedHistories(database, namespace, table);
      for (const [id, versions] of histories.slice(0, mostOfType)) {
        written += 1;
        const query = new URLSearchParams({ id });
        const path = `/dashboard/${named}/${version}/data/${table.name}/entity?${query}`;
        const answer = await fetch(platform.address + path, { headers: { cookie } });
        expect([path, answer.status]).toEqual([path, 200]);
        const page = await answer.text();
        const rows = rowsOf(page);
        expect([path, rows.map(([block, , , change]) => [block, change])]).toEqual([
          path,
          versions.map((each, index) => [String(each.begins), changeOf(versions, index, table)]),
        ]);
        for (const [index, row] of rows.entries()) checkWriter(page, row, versions[index], table, on, config);
      }
    }
    expect(written).toBeGreaterThan(0);
  }
});

function sourcesOf(manifest: Manifest, read: (path: string) => string): readonly ListeningSource[] {
  const all: readonly Manifest[] = [...manifest.dataSources, ...(manifest.templates ?? [])];
  return all.map(({ name, source, mapping }) => {
    const { file } = mapping.abis.find((abi: { readonly name: string }) => abi.name === source.abi);
    const listeners = (given: readonly Manifest[] = [], key: string): readonly Listener[] =>
      given.map((each) => ({ signature: each[key], handler: each.handler }));
    return {
      ...{ name, address: source.address?.toLowerCase() },
      abi: JSON.parse(read(file.replace(/^\.\//, ""))),
      events: listeners(mapping.eventHandlers, "event"),
      calls: listeners(mapping.callHandlers, "function"),
    };
  });
}

/** The versions of entities, newest first; entities with the most versions first. */
async function storedHistories(
  database: Database,
  namespace: string,
  { name, immutable }: EntityTable,
): Promise<readonly (readonly [id: string, versions: readonly Stored[]])[]> {
  const range = immutable
    ? SQL`block$::text as begins, null::text as ends`
    : SQL`lower(block_range)::text as begins, upper(block_range)::text as ends`;
  const rows = await database.query(
    SQL`select ${range}, (to_jsonb(t) - array['vid', 'block_range', 'block$', 'causality_region'])::text as values
      from ${quoteName(namespace)}.${quoteName(name)} t order by vid desc`,
  );
  const all = new Map<string, Stored[]>();
  for (const { begins, ends, values } of rows) {
    const parsed = JSON.parse(values ?? "{}");
    const id = String(parsed.id).replace(/^\\x/, "0x");
    const version = {
      begins: Number(begins),
      ends: ends === null ? undefined : Number(ends),
      values: parsed,
    };
    all.set(id, [...(all.get(id) ?? []), version]);
  }
  return [...all].sort(([, one], [, other]) => other.length - one.length);
}

/** What happened to an entity in a version, in the words of the page. */
function changeOf(versions: readonly Stored[], index: number, { columns }: EntityTable): string {
  const [version, before, after] = [versions[index], versions[index + 1], versions[index - 1]];
  if (!version) return "";
  const text = ({ values }: Stored, name: string) => JSON.stringify(values[name]);
  const changed = columns.filter(({ name }) => before && text(version, name) !== text(before, name));
  const fields = changed.map(({ field }) => field).join(", ");
  const isAgain = before?.ends !== undefined && before.ends < version.begins;
  const begun = isAgain
    ? `created again, after its removal in block ${before.ends}`
    : before
      ? fields || "stored again, unchanged"
      : "created";
  const isRemoved = version.ends !== undefined && after !== undefined && after.begins !== version.ends;
  return isRemoved ? `${begun}removed in block ${version.ends}` : begun;
}

const textOf = (markup: string): string => markup.replace(/<[^>]*>/g, "").trim();

/** The cells of the history. */
function rowsOf(page: string): readonly (readonly string[])[] {
  const [, body = ""] = /aria-label="History".*?<tbody>(.*?)<\/tbody>/s.exec(page) ?? [];
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = ""]) => textOf(cell)),
  );
}

/** The handler of a version is one of those that what happened in its block has run, and its line is within theirs. */
function checkWriter(
  page: string,
  row: readonly string[],
  version: Stored | undefined,
  { type, interval }: EntityTable,
  { chain, sources }: Played,
  config: string,
): void {
  const [, , , , handler = "", place = ""] = row;
  if (interval !== undefined) {
    expect(handler).toBe("computed by the store at the end of the interval");
    return;
  }
  const signature = chain.happened.get(version?.begins ?? -1) ?? "";
  const ran = sources.flatMap(({ name, events, calls }) =>
    [...events, ...calls]
      .filter((each) => each.signature.replaceAll("indexed ", "") === signature.replaceAll("indexed ", ""))
      .map((each) => `${each.handler} of ${name}`),
  );
  const listed = handler.startsWith("one of")
    ? [...page.matchAll(/<li>(<span class="mono">[^<]*<\/span> <span class="small soft">of .*?)<\/li>/g)].map(
        ([, item = ""]) => {
          const [, who = "", where = ""] = /^(.*?) on .*: ([^:]*(?::\d+)?)$/.exec(textOf(item)) ?? [];
          return { who, where };
        },
      )
    : [{ who: handler, where: place }];
  const writers = listed.filter(({ who }) => ran.includes(who));
  expect([type, signature, listed, writers.length > 0]).toEqual([type, signature, listed, true]);
  const [event = ""] = signature.split("(");
  const isDescribed = config.includes(`"${type}": `);
  for (const { where } of writers) {
    // A line of the configuration is known for what the configuration describes.
    if (where === "not known") {
      expect([type, event, isDescribed]).toEqual([type, event, false]);
      continue;
    }
    const number = Number(/^subgraph\.json:(\d+)$/.exec(where)?.[1] ?? Number.NaN);
    const above = config.split("\n").slice(0, number);
    const key = above.findLast((one) => /^ {10}"\w+(?:\(.*\))?": \{/.test(one)) ?? "";
    const shown = Number.isNaN(number) ? where : key;
    expect([type, where, shown]).toEqual([type, where, expect.stringContaining(event)]);
  }
}
