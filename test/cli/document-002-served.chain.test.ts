import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantCode, readAuthorizationRequest } from "../../src/platform/people/authorization.js";
import type { Database } from "../../src/store/database/database.js";
import { event } from "../compiler/abi/entries.js";
import { type Contract, useAnvil } from "../support/chain/anvil.js";
import { deployToken } from "../support/chain/erc20.js";
import { sharedCache } from "../support/compiler/shared-cache.js";
import { addressOf, openServerDatabase } from "../support/database/databases.js";
import { postgresMissing } from "../support/database/postgres-server.js";
import { plant, useFolder } from "../support/folder.js";
import { addPerson, type TestPerson } from "../support/server/people.js";
import { until } from "../support/until.js";
import { documentedCommands } from "./documented-commands.js";
import { graphloom, type Ran } from "./harness.js";
import { pageIn } from "./login/people-server.js";

/*
 * Runs each command of document 002 of the specification against `graphloom serve` with a database and a chain, in an
 * order in which a user could type them, and compares output and exit code.
 */

/** A command line, its exit code, and what it prints; standard error counts only if it fails. */
type Line = readonly [line: string, code: number, said: RegExp];

const webhook = "--name moves --url http://127.0.0.1:1/moves --entity transfer";
const range = "--network anvil --to-block 2 --server";

/** What a user does with one part of the document. Only the run knows what the words in capitals stand for. */
const chapters: Readonly<Record<string, readonly Line[]>> = {
  subgraph: [
    ["subgraph list", 0, /^There are no subgraphs yet\.\n$/],
    [
      "subgraph deploy pools/1.0.0 --from-abi c.json --tag prod --description of-pools",
      0,
      /^Deployed pools\/1\.0\.0 to the API at http:\S+\n {2}deployment {2}Qm\w{44}\n[\s\S]* {2}tags +prod\n$/,
    ],
    [
      "subgraph list pools/1.0.0",
      0,
      /^pools\/1\.0\.0 {2}anvil, active, healthy[\s\S]* {2}about +of-pools\n$/,
    ],
    ["subgraph list --filter tags", 0, /^SUBGRAPH .*\npools\/prod -> 1\.0\.0 .*\n$/],
    ["subgraph list --filter deployments --summary", 0, /^SUBGRAPH .*\npools\/1\.0\.0 .* prod\n$/],
    ["subgraph tag create pools/1.0.0 --tag live", 0, /^pools\/live points to pools\/1\.0\.0: http/],
    ["subgraph tag delete pools/1.0.0 --tag live", 2, /To answer yes, add --force\./],
    ["subgraph tag delete pools/1.0.0 -t live -f", 0, /^Deleted the tag pools\/live\.\n$/],
    ["subgraph webhook list-entities pools/1.0.0", 0, /^ENTITY +ROWS +COLUMNS\ntransfer +\d+ +vid,/],
    [
      `subgraph webhook create pools/1.0.0 ${webhook} --secret s3cret`,
      0,
      /^Created the webhook moves [\s\S]*Its secret, shown only once: s3cret\n$/,
    ],
    [`subgraph webhook create pools/1.0.0 ${webhook}`, 3, /already has a webhook moves/],
    ["subgraph webhook list", 0, /^WEBHOOK .*\nmoves +pools\/1\.0\.0 +transfer +http/],
    ["subgraph webhook delete moves", 2, /To answer yes, add --force\./],
    ["subgraph webhook delete --name moves --force", 0, /^Deleted the webhook moves\.\n$/],
    [
      "subgraph log pools/1.0.0 --no-follow --since 3h --format json --filter debug",
      0,
      /^\{"time":"\S+","level":"info","text":"Indexing from block 1"\}\n/,
    ],
    ["subgraph pause pools/1.0.0", 0, /^Paused pools\/1\.0\.0\. To resume: graphloom subgraph start/],
    ["subgraph start pools/1.0.0", 0, /^Started pools\/1\.0\.0\.\n$/],
    [
      "subgraph update pools/1.0.0 --private-endpoint enabled --public-endpoint disabled --description new",
      0,
      /^Updated pools\/1\.0\.0\.\n {2}public +disabled\n {2}private +http/,
    ],
    [
      "subgraph init ponds/1.0.0 --from-config c.json --target-path ponds --description d --build --deploy",
      0,
      /^Wrote ponds: \d+ files written\.\n[\s\S]*\nDeployed ponds\/1\.0\.0 to the API at http/,
    ],
    ["subgraph delete ponds/1.0.0", 2, /To answer yes, add --force\./],
    ["subgraph delete ponds/1.0.0 -f", 0, /^Deleted ponds\/1\.0\.0\.\n$/],
    ["subgraph list ponds/1.0.0", 3, /There is no subgraph "ponds\/1\.0\.0"\./],
  ],
  project: [
    ["project list", 0, /^PROJECT +ID +YOUR ROLE +USED\ndefault +project_\w+ +Owner +yes\n$/],
    ["project create --name Second", 0, /^Created the project Second \(project_\w+\)\./],
    ["project update --name Renamed", 0, /^The project project_\w+ is now called Renamed\.\n$/],
    [
      "project users invite --emails new@example.com other@example.com --role Editor",
      0,
      /^Invited new@example\.com as Editor\. [\s\S]*\nInvited other@example\.com as Editor\. /,
    ],
    ["project users invite --emails new@example.com --role King", 2, /Owner.*Admin.*Editor.*Viewer/],
    ["project users list", 0, /^EMAIL .*\n[\s\S]*^new@example\.com .*Editor/m],
    [
      "project users remove --email new@example.com --force",
      0,
      /^Removed new@example\.com from the project Renamed\.\n$/,
    ],
    ["project leave --projectId PROJECT --force", 3, /the only Owner of the project/],
    ["project users update --email MEMBER --role Owner", 0, /^member@example\.com is now Owner in/],
    ["project leave --projectId PROJECT --force", 0, /^You left the project Renamed\.\n$/],
  ],
  pipeline: [
    ["pipeline validate large.yaml", 0, /^large\.yaml is valid: 1 source, 1 transform, 1 sink\n$/],
    ["pipeline apply large.yaml --status ACTIVE --force", 0, /^Created large, version 1\.\n/],
    ["pipeline apply large.yaml", 0, /^large is already .*version 1\)\.\n$/],
    [
      "pipeline create second --definition-path second.yaml --resource-size m --use-dedicated-ip false --output json",
      0,
      /^\{\n {2}"name": "second",[\s\S]*"resource_size": "m"/,
    ],
    ["pipeline list --outputVerbosity all --output yaml", 0, /^- name: large\n[\s\S]*^- name: second\n/m],
    ["pipeline list", 0, /^NAME +VERSION +STATUS .*\nlarge +1 +ACTIVE +s .*\nsecond +1 +ACTIVE +m /],
    ["pipeline get large", 0, /^name: large\n[\s\S]*desired_status: ACTIVE\nruntime_status: RUNNING\n/],
    ["pipeline get large --definition -v 1", 0, /^apiVersion: 3\nname: large\n/],
    ["pipeline get large -v 9", 3, /version.*9|9.*version/],
    ["pipeline get-definition large --output json", 0, /^\{\n {2}"sources": \{/],
    ["pipeline export large", 0, /^name: large\napiVersion: 3\nversion: 1\nstatus: ACTIVE\n/],
    ["pipeline export --all", 0, /^name: large\n[\s\S]*\n---\nname: second\n/],
    ["pipeline info large.yaml", 0, /^Name +large\nVersion +1\nStatus +ACTIVE, RUNNING\n/],
    ["pipeline monitor large --max-refreshes 1", 0, /^Status +ACTIVE, RUNNING$/m],
    ["pipeline snapshots create large", 0, /^Took the snapshot snapshot_\w+ of large\.\n$/],
    ["pipeline snapshots list large", 0, /^ID +VERSION .*\nsnapshot_\w+ +1 +\S+ +request/],
    ["pipeline pause large", 0, /^Paused large\.\n$/],
    ["pipeline start large --from-snapshot last", 0, /^Started large\.\n$/],
    ["pipeline restart large --from-snapshot none --disable-monitoring", 0, /^Restarted large\.\n$/],
    ["pipeline cancel-update large", 3, /Nothing is under way for "large"\./],
    ["pipeline pause large", 0, /^Paused large\.\n$/],
    ["pipeline cancel-update large", 0, /^Cancelled\. large has version 1\.\n$/],
    ["pipeline start large.yaml", 0, /^Started large\.\n$/],
    ["pipeline update large --resource-size xl", 0, /^Updated large, version 2\.\n$/],
    ["pipeline resize large l", 0, /^Resized large to l, version 3\.\n$/],
    ["pipeline stop large", 0, /^Stopped large\.\n$/],
    ["pipeline delete second", 2, /To answer yes, add --force\./],
    ["pipeline delete second -f", 0, /^Deleted second\.\n$/],
    [
      "stream list",
      0,
      /^There are no streams yet\. For pipelines with apiVersion, run graphloom pipeline list\.\n$/,
    ],
    ["pipeline delete large.yaml --force", 0, /^Deleted large\.\n$/],
    ["pipeline get large", 3, /There is no pipeline "large"\./],
  ],
  stream: [
    ["stream validate flow.yaml", 0, /^flow\.yaml is valid\n$/],
    ["stream apply flow.yaml", 0, /^Created flow, version 1\.\n/],
    ["stream list", 0, /^NAME .*\nflow +1 +ACTIVE +RUNNING /],
    ["stream get flow", 0, /^name: flow\nform: stream\n/],
    ["stream state flow", 0, /^stored:\n/],
    ["stream logs flow", 130, /^flow has logged nothing\.\n$|^\S+ /],
    [
      "stream inspect flow -n large -b 5 --print",
      130,
      /^\{"node":"large","op":"i",.*"amount":"700"\}\}\n[\s\S]*connected\n$/,
    ],
    ["stream pause flow", 0, /^Paused flow\.\n$/],
    ["stream delete flow", 0, /^Deleted flow\.\n$/],
    ["stream list", 0, /^There are no streams yet\.\n$/],
    ["stream get flow", 3, /There is no pipeline "flow"\./],
    ["stream help", 0, /^graphloom stream <command>\n/],
  ],
  dataset: [
    ["dataset list --group base", 0, /^NAME +VERSION +GROUP .*\n[\s\S]*^base\.erc20_transfers +\S+ +base /m],
    [
      "dataset get anvil.erc20_transfers --outputFormat json -v 1.2.0",
      0,
      /^\{\n {2}"name": "anvil\.erc20_transfers",\n {2}"version": "1\.2\.0",/,
    ],
    ["dataset get anvil.erc21_transfers", 2, /^There is no dataset "anvil\.erc21_transfers"\./],
  ],
  secret: [
    ["secret create --name MINE --value VALUE --description d", 0, /^Created the secret MINE \(jdbc\)\.\n$/],
    ["secret create --name MINE --value VALUE", 3, /The secret "MINE" already exists\./],
    ["secret list", 0, /^SECRET +TYPE .*\nMINE +jdbc +\S+ +d\n$/],
    ["secret reveal MINE", 0, /^type +jdbc\n[\s\S]*^password +p\n$/m],
    ["secret update MINE --description other", 0, /^Changed the secret MINE\.\n$/],
    ["secret delete MINE", 2, /To answer yes, add --force\./],
    ["secret delete MINE --force", 0, /^Deleted the secret MINE\.\n$/],
    ["secret reveal MINE", 3, /There is no secret "MINE"\./],
  ],
  "hosted-sink": [
    [
      "hosted-sink create --type postgres --description d",
      3,
      /hosts no databases\. Its operator can start it with/,
    ],
  ],
  "external-data": [
    [`external-data sync raw-blocks ${range}`, 0, /^anvil raw_blocks, blocks 0 to 2: 3 rows in 1 file, /],
    [
      `external-data sync raw-logs --contract-address TOKEN ${range}`,
      0,
      /^anvil raw_logs, blocks 0 to 2: 2 rows in 1 file, /,
    ],
    [`external-data sync raw-transactions ${range}`, 0, /^anvil raw_transactions, blocks 0 to 2: 2 rows /],
    [
      `external-data sync decoded-logs --contract-address TOKEN --abi abi.json ${range}`,
      0,
      /^anvil decoded_logs, blocks 0 to 2: 2 rows in 1 file, /,
    ],
  ],
  telemetry: [
    ["telemetry status", 0, /^Telemetry is off and nothing is sent: it is not enabled\.\n/],
    ["telemetry enable", 2, /^Specify where to send events, /],
    ["telemetry enable --url http://127.0.0.1:1/events", 0, /^Telemetry is on: /],
    ["telemetry disable", 0, /^Telemetry is off and nothing is sent: it is not enabled\.\n/],
  ],
  login: [
    ["login", 0, /^Logged in to http\S+ as login@example\.com\./],
    ["project list", 0, /^PROJECT /],
    ["logout", 0, /^Logged out of http\S+ and deleted its token from /],
    ["project list", 2, /^No token for /],
    ["login --no-browser", 0, /^Logged in to http\S+\./],
  ],
};

/** Commands that succeed only in a test of their own. */
const elsewhere: Readonly<Record<string, string>> = {
  "hosted-sink create": "test/platform/hosted-sinks/hosted-sinks.database.test.ts",
};

it("each command of document 002 is run, and succeeds at least once", () => {
  const lines = Object.values(chapters).flat();
  const succeeds = (path: string): boolean =>
    lines.some(([line, code]) => code !== 2 && code !== 3 && `${line} `.startsWith(`${path} `));
  const missing = Object.keys(documentedCommands).filter((path) => !succeeds(path));
  expect(missing).toEqual(Object.keys(elsewhere));
  for (const [path, file] of Object.entries(elsewhere)) expect(readFileSync(file, "utf8")).toContain(path);
});

describe.skipIf(postgresMissing !== undefined)("document 002, against a server", () => {
  const anvil = useAnvil();
  const owner = useFolder();
  const visitor = useFolder();
  /** What happens beside a running command. */
  const acting: Promise<unknown>[] = [];
  const stopping = new AbortController();
  let database: Database;
  let serving: Promise<Ran>;
  let contract: Contract;
  let server: { readonly api: string; readonly project: string; readonly token: string };

  const send = (amount: number): Promise<unknown> =>
    anvil().send(contract, "transfer", [anvil().account(2), amount]);

  beforeAll(async () => {
    contract = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
    await send(500);
    database = await openServerDatabase();
    const abi = [event("Transfer", "indexed address from", "indexed address to", "uint256 value")];
    const instances = [{ abi: "Token", address: contract.address, startBlock: 1, chain: "anvil" }];
    plant(owner, {
      "abi.json": JSON.stringify(abi),
      "c.json": JSON.stringify({ version: "1", name: "pools/1.0.0", abis: { Token: abi }, instances }),
      "large.yaml": `apiVersion: 3\n${definition("large")}`,
      "second.yaml": `apiVersion: 3\n${definition("second")}`,
      "flow.yaml": definition("flow"),
    });
    let said = "";
    let ended: Ran | undefined;
    const places = ["--data", "data", "--database", addressOf(database) ?? ""];
    const line = ["serve", ...places, "--port", "0", "--rpc", `anvil=${anvil().url}`, "--datasets"];
    serving = graphloom(owner, line, {
      env: { HOME: owner, ...sharedCache },
      signal: stopping.signal,
      onOut: (text) => {
        said += text;
      },
    }).then((ran) => {
      ended = ran;
      return ran;
    });
    const shown = await until(() => {
      if (ended) throw new Error(`it ended: ${ended.err}`);
      return /^\{.*"msg":"serving".*\}$/m.exec(said)?.[0];
    });
    const { api, project } = JSON.parse(shown);
    const { logins } = JSON.parse(readFileSync(join(owner, ".config/graphloom/credentials.json"), "utf8"));
    server = { api, project, token: logins[api].token };
  });
  afterAll(async () => {
    stopping.abort();
    const { code } = await serving;
    await database?.close();
    expect(code).toBe(0);
  });

  /** Waits until no change of a pipeline is under way, and it shows its sinks if it runs. */
  const settled = (name: string): Promise<unknown> =>
    until(async () => {
      const headers = { authorization: `Bearer ${server.token}` };
      const answer = await fetch(`${server.api}/pipelines/${name}/info`, { headers });
      if (answer.status === 404) return true;
      const { data } = JSON.parse(await answer.text());
      const runs = data.runtime_status === "RUNNING" && data.sinks?.stored !== undefined;
      return data.request === null && (data.desired_status !== "ACTIVE" || runs);
    });

  /** Does in the browser what a person does who allows the login. */
  const allow = async (page: string, person: TestPerson): Promise<void> => {
    const asked = new URL(page).searchParams;
    const code = await grantCode(database, person, readAuthorizationRequest(asked));
    const answer = new URLSearchParams({ code, state: asked.get("state") ?? "" });
    await fetch(`${asked.get("redirect_uri")}?${answer}`);
  };

  /** Runs a command line. One that goes on until it is interrupted ends as soon as it has printed what it is for. */
  const run = (line: string, home: string, person: TestPerson | undefined): Promise<Ran> => {
    const ending = new AbortController();
    let hasActed = false;
    let err = "";
    const act = (text: string): (() => Promise<unknown>) | undefined => {
      const page = pageIn(text);
      if (page !== undefined && person) return () => allow(page, person);
      if (line.startsWith("stream logs")) return async () => ending.abort();
      return text.includes("connected") ? () => send(700) : undefined;
    };
    const value = { type: "jdbc", protocol: "postgres", host: "h", port: 5432, databaseName: "d" };
    const words = line
      .replace("MEMBER", "member@example.com")
      .replace("PROJECT", server.project)
      .replace("TOKEN", contract.address)
      .replace("VALUE", JSON.stringify({ ...value, user: "u", password: "p" }));
    return graphloom(home, words, {
      signal: ending.signal,
      stdin: line.startsWith("login") ? server.token : "",
      ...(line === "login" && { ask: () => Promise.reject(new Error("nothing is asked")) }),
      env: {
        ...sharedCache,
        HOME: home,
        GRAPHLOOM_API_URL: server.api,
        ...(line.startsWith("project ") && person && home === owner && { GRAPHLOOM_TOKEN: person.token }),
      },
      onOut: () => {
        if (/^stream (?:inspect|logs)/.test(line)) ending.abort();
      },
      onErr: (text) => {
        err += text;
        const next = hasActed ? undefined : act(err);
        hasActed ||= next !== undefined;
        if (next) acting.push(next());
      },
    });
  };

  /** Starts a pipeline and cancels that, which the server may have done already. */
  const cancelled = (line: string): Promise<Ran> =>
    until(async () => {
      await run("pipeline start large", owner, undefined);
      const ran = await run(line, owner, undefined);
      if (ran.code === 0) return ran;
      await settled("large");
      await run("pipeline pause large", owner, undefined);
      await settled("large");
      return undefined;
    });

  it.each(Object.entries(chapters))("%s", async (chapter, lines) => {
    const isPersonal = chapter === "project" || chapter === "login";
    const member = { [server.project]: "Owner" } as const;
    const person = isPersonal ? await addPerson(database, `${chapter}@example.com`, member) : undefined;
    if (chapter === "project")
      await addPerson(database, "member@example.com", { [server.project]: "Viewer" });
    for (const [line, code, said] of lines) {
      const isCancelled = line.startsWith("pipeline cancel-update") && code === 0;
      const ran = isCancelled
        ? await cancelled(line)
        : await run(line, chapter === "login" ? visitor : owner, person);
      await Promise.all(acting);
      expect([line, ran.code, code === 0 ? ran.out : ran.out + ran.err]).toEqual([
        line,
        code,
        expect.stringMatching(said),
      ]);
      if (chapter === "pipeline") await Promise.all(["large", "second"].map(settled));
      if (chapter === "stream") await settled("flow");
    }
  });
});

function definition(name: string): string {
  return `name: ${name}
resource_size: s
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, version: 1.2.0, start_at: earliest }
transforms:
  large: { sql: "SELECT id, amount FROM transfers WHERE amount > 100", primary_key: id }
sinks:
  stored: { type: blackhole, from: large }
`;
}
