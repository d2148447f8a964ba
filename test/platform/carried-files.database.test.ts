import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { oneClient } from "../../src/platform/endpoints/options.js";
import { createSignInCodes } from "../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../src/platform/people/accounts.js";
import { createPasswords } from "../../src/platform/people/passwords/passwords.js";
import { serverParts } from "../../src/platform/server-parts.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { collectBuild } from "../../src/subgraph/collect-build.js";
import { printConfigPlaces } from "../../src/subgraph/config-places.js";
import { linkBuild } from "../../src/subgraph/deployment/link-build.js";
import { printMapFacts } from "../../src/subgraph/map-facts.js";
import { unzipBundle } from "../../src/subgraph/unzip-bundle.js";
import { onPglite, world } from "../support/database/databases.js";
import { freshStatus } from "../support/server/hosting-double.js";
import { sampleFiles } from "../support/server/management-sample.js";
import { deployForm, startPlatform, type TestPlatform } from "../support/server/platform-server.js";

let database: Database;
let server: TestPlatform;

/** The owner of a project, whose configuration is named after them. */
interface Owner {
  readonly name: string;
  readonly key: string;
  readonly cookie: string;
}
let owners: readonly [Owner, Owner];
let stranger: Owner;
let deployment: string;

beforeAll(async () => {
  database = await onPglite().fresh();
  const accounts = createAccounts(world, { passwords: createPasswords(2 ** 10) });
  server = await startPlatform(database, {
    parts: serverParts({ codes: createSignInCodes(world), accounts }, oneClient),
  });
  owners = [await owner("first"), await owner("second")];
  stranger = await owner("third");
  for (const { name, key } of owners)
    deployment = await deploy("1.0.0", key, carriedBy(name), `# a note of the ${name}\n`);
  await deploy("1.0.0", stranger.key, {});
  server.hosting.double.statuses.set(deployment, {
    ...freshStatus,
    health: "failed",
    fatalError: { message: "it aborted", block: 7, handler: "handleSwap", place: "src/pool.ts:12:3" },
    nonFatalErrors: [{ message: "no amount", block: 5, handler: "handleSwap" }],
  });
  server.hosting.double.lines.set(deployment, [
    {
      text: "Failed in the handler handleSwap of Pool, block 7 (src/pool.ts:12:3): it aborted",
      level: "error",
      timestamp: 1,
    },
    {
      text: "Failed in the handler handleSwap of Pool, block 5: no amount",
      level: "error",
      timestamp: 2,
    },
  ]);
});
afterAll(() => server.close());

async function owner(name: string): Promise<Owner> {
  const key = await server.addKey("Owner", `project_${name}`);
  const answer = await fetch(`${server.address}/sign-in`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ key }),
  });
  return { name, key, cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
}

type Carried = Readonly<Record<string, Uint8Array>>;

function carriedBy(name: string): Carried {
  return {
    "graphloom.places.json": printConfigPlaces({
      sources: [`${name}.json`],
      files: new Map([["src/pool.ts", [[12, 1, 9, 0, 20, 41]]]]),
      handlers: new Map([["handleSwap", `${name}.json#/handlers/0`]]),
      stores: new Map(),
      texts: [[0, 20, 29, `  "${name}": "amount / none",`]],
      expressions: new Map([["handleSwap", [[0, 20, 41, 13, `the value of Swap.${name}`]]]]),
    }),
    "graphloom.map.json": printMapFacts(
      new Map([
        ["Pool", new Map([["Swap()", { entities: ["Swap"], creates: [], calls: [`Made by ${name}`] }]])],
      ]),
    ),
  };
}

/** Deploys the same build, with the files of a configuration. @returns its deployment */
async function deploy(version: string, key: string, carried: Carried, comment = ""): Promise<string> {
  const sample = sampleFiles();
  const manifest = `${comment}${new TextDecoder().decode(sample["subgraph.yaml"])}      eventHandlers:
        - event: Swap()
          handler: handleSwap
`;
  const files = { ...sample, "subgraph.yaml": new TextEncoder().encode(manifest), ...carried };
  const put = { method: "PUT", form: deployForm(zipSync(files)), key };
  const { status, json } = await server.ask(`/subgraphs/pools/deployments/${version}`, put);
  expect(status).toBe(201);
  return json.deployments[0].deployment_id;
}

/** The failures and the map that a project sees. */
async function shownTo({ key, cookie }: Owner) {
  const [one] = (await server.ask("/subgraphs/pools/1.0.0", { key })).json.data;
  const [listed] = (await server.ask("/subgraphs", { key })).json.data;
  const log = (await server.ask("/subgraphs/pools/1.0.0/logs", { key })).json.data.results;
  const page = async (path: string): Promise<string> => {
    const answer = await fetch(`${server.address}/dashboard/pools/1.0.0${path}`, { headers: { cookie } });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  };
  const texts = (log as readonly { readonly text: string }[]).map(({ text }) => text);
  return {
    errors: [one, listed].map(({ deployments: [{ fatal_error, non_fatal_errors }] }) => [
      fatal_error,
      ...non_fatal_errors,
    ]),
    log: texts.toSorted(),
    pages: [await page(""), await page("/log"), await page("/map.svg"), await page("/map")],
  };
}

function placedFor(name: string) {
  const errors = [
    `handleSwap at block 7 (${name}.json:20:43): it aborted`,
    `handleSwap at block 5 (${name}.json#/handlers/0): no amount`,
  ];
  const log = [
    `Failed in the handler handleSwap of Pool, block 5 (${name}.json#/handlers/0): no amount`,
    `Failed in the handler handleSwap of Pool, block 7 (${name}.json:20:43): it aborted`,
  ];
  return { errors: [errors, errors], log };
}

describe("projects that deploy the same build from different configurations", () => {
  it("see their own map and places", async () => {
    for (const { name, ...rest } of owners) {
      const { errors, log, pages } = await shownTo({ name, ...rest });
      expect({ errors, log }).toEqual(placedFor(name));
      const [page, whole, map] = pages;
      expect(page).toContain(`${name}.json:20:43: it aborted`);
      expect(page).toContain(`${name}.json#/handlers/0: no amount`);
      expect(page).toContain(`${name}.json:20:43, the value of Swap.${name}</figcaption>`);
      expect(page).toMatch(
        new RegExp(`20 \\| </span> {2}&#34;${name}&#34;: &#34;a[^<]*<mark>[^<]*/[^<]*</mark>`),
      );
      expect(page?.split("no amount</span>")[1]).toContain(
        `${name}.json:20:41, the value of Swap.${name}</figcaption>`,
      );
      expect(whole).toContain(`>7</a> (${name}.json:20:43): it aborted`);
      expect(map).toContain(`Made by ${name}`);
      const other = name === "first" ? "second" : "first";
      for (const text of pages)
        expect(text).not.toMatch(new RegExp(`${other}\\.json|Made by ${other}|&#34;${other}&#34;`));
    }
  });

  it("see no places and no map if they deployed without any", async () => {
    const { errors, log, pages } = await shownTo(stranger);
    const own = ["handleSwap at block 7 (src/pool.ts:12:3): it aborted", "handleSwap at block 5: no amount"];
    expect(errors).toEqual([own, own]);
    expect(log).toEqual([
      "Failed in the handler handleSwap of Pool, block 5: no amount",
      "Failed in the handler handleSwap of Pool, block 7 (src/pool.ts:12:3): it aborted",
    ]);
    for (const text of pages) expect(text).not.toMatch(/\.json:|\.json#|Made by|<mark>/);
    expect(pages[3]).toContain("The build does not say which event stores which entity type");
  });

  it("read them once for a page, even if it quotes them for many errors", async () => {
    const asked = vi.spyOn(database, "query");
    const headers = { cookie: owners[0].cookie };
    await (await fetch(`${server.address}/dashboard/pools/1.0.0`, { headers })).text();
    const texts = asked.mock.calls.map(([statement]) => JSON.stringify(statement));
    asked.mockRestore();
    expect(texts.filter((text) => text.includes("config_places"))).toHaveLength(1);
  });

  it("do not share them in the stored build", async () => {
    const [row] = await database.query(SQL`select bundle from graphloom.builds`);
    const names = Buffer.from(row?.bundle?.slice(2) ?? "", "hex").toString("latin1");
    expect(names).toContain("subgraph.yaml");
    expect(names).not.toContain("graphloom.");
  });

  it("download only their own, and nothing that another project wrote into its manifest or its file names", async () => {
    const download = (key: string) =>
      fetch(`${server.url}/subgraphs/pools/1.0.0/build`, { headers: { authorization: `Bearer ${key}` } });
    for (const { name, key } of [...owners, stranger]) {
      const answer = await download(key);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
      const zip = new Uint8Array(await answer.arrayBuffer());
      const byId = await fetch(`${server.url}/deployments/${deployment}/build`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(new Uint8Array(await byId.arrayBuffer())).toEqual(zip);
      const files = await unzipBundle(zip);
      const carried = name === "third" ? [] : ["graphloom.map.json", "graphloom.places.json"];
      const own = ["Pool/Pool.json", "Pool/Pool.wasm", "schema.graphql", "subgraph.yaml"];
      expect([...files.keys()].toSorted()).toEqual([...own, ...carried].toSorted());
      for (const path of carried) expect(files.get(path)).toEqual(Buffer.from(carriedBy(name)[path] ?? []));
      const build = collectBuild({ manifest: "subgraph.yaml", files });
      expect(linkBuild(build).deploymentId).toBe(deployment);
      const all = Buffer.concat([...files.keys()].map((path) => files.get(path) ?? new Uint8Array()));
      expect(all.toString("latin1")).not.toContain("a note of the first");
    }
  });

  it("download each file by its hash, unless only another project has it", async () => {
    const [{ key }] = owners;
    const other = zipSync(sampleFiles({ startBlock: 4_711 }));
    const hidden = linkBuild(collectBuild({ manifest: "subgraph.yaml", files: await unzipBundle(other) }));
    const put = { method: "PUT", form: deployForm(other), key: stranger.key };
    expect((await server.ask("/subgraphs/hidden/deployments/1", put)).status).toBe(201);
    const download = (hash: string, by = key) =>
      fetch(`${server.url}/ipfs/${hash}`, { headers: { authorization: `Bearer ${by}` } });
    const own = await fetch(`${server.url}/deployments/${deployment}/build`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const files = await unzipBundle(new Uint8Array(await own.arrayBuffer()));
    const { manifest, files: linked } = linkBuild(collectBuild({ manifest: "subgraph.yaml", files }));
    for (const { cid, bytes } of [...linked, { cid: deployment, bytes: manifest }]) {
      const answer = await download(cid);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(bytes));
    }
    expect((await download(hidden.deploymentId, stranger.key)).status).toBe(200);
    const absent = `Qm${"a".repeat(44)}`;
    const refusals = await Promise.all(
      [absent, hidden.deploymentId].map(async (hash) => {
        const [file, build] = [await download(hash), await server.ask(`/deployments/${hash}/build`, { key })];
        return `${file.status} ${await file.text()} ${build.status} ${build.text}`.replaceAll(hash, "HASH");
      }),
    );
    expect(refusals[0]).toBe(refusals[1]);
    expect(refusals[0]).toMatch(/^404 .* 404 /s);
    expect((await download("Qm")).status).toBe(404);
    const gone = { method: "DELETE", key: stranger.key };
    expect((await server.ask("/subgraphs/hidden/deployments/1", gone)).status).toBe(200);
    expect((await download(hidden.deploymentId, stranger.key)).status).toBe(404);
  });

  it("add them when they deploy the same version again", async () => {
    await deploy("1.0.0", stranger.key, carriedBy("third"));
    const { errors, log, pages } = await shownTo(stranger);
    expect({ errors, log }).toEqual(placedFor("third"));
    expect(pages[2]).toContain("Made by third");
    // Deploying the same version without them removes nothing.
    await deploy("1.0.0", stranger.key, {});
    expect((await shownTo(stranger)).errors).toEqual(placedFor("third").errors);
  });

  it("lose them with the version", async () => {
    const [{ key }] = owners;
    expect((await server.ask("/subgraphs/pools/deployments/1.0.0", { method: "DELETE", key })).status).toBe(
      200,
    );
    await deploy("1.0.0", key, {});
    const { errors, pages } = await shownTo(owners[0]);
    expect(errors[0]?.[0]).toBe("handleSwap at block 7 (src/pool.ts:12:3): it aborted");
    expect(pages[2]).not.toContain("Made by");
  });
});

it("damaged places are refused, and a damaged map is ignored", async () => {
  const bad = { "graphloom.places.json": new TextEncoder().encode("[]") };
  const files = { ...sampleFiles({ startBlock: 8 }), ...bad };
  const put = { method: "PUT", form: deployForm(zipSync(files)) };
  const refused = await server.ask("/subgraphs/damaged/deployments/1", put);
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("graphloom.places.json")]);
  await deploy("damaged-map", stranger.key, { "graphloom.map.json": new TextEncoder().encode("[]") });
});
