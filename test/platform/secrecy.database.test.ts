import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { hiddenTexts } from "../../src/api/secret-types.js";
import { createServerLog } from "../../src/cli/serve/server-log.js";
import { createSignInCodes } from "../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../src/platform/people/accounts.js";
import type { Message } from "../../src/platform/people/mail/mail.js";
import { createPasswords } from "../../src/platform/people/passwords/passwords.js";
import { serverParts } from "../../src/platform/server-parts.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { openPglite } from "../../src/store/database/pglite/pglite-database.js";
import { quoteName } from "../../src/store/database/quote.js";
import { openDatabase } from "../../src/store/open.js";
import { serverDatabase, world } from "../support/database/databases.js";
import { dumpOf, postgresMissing } from "../support/database/postgres-server.js";
import { useFolder } from "../support/folder.js";
import { sampleBundle } from "../support/server/management-sample.js";
import { type AskOptions, deployForm, startPlatform } from "../support/server/platform-server.js";
import { letPeopleIn } from "./people-traces.js";
import { secretValues } from "./secrets/values.js";

/** The traces of a server after normal use and failures; they must contain no secret. */
interface Traces {
  /** By description: the key of the owner, a webhook's secret. */
  readonly secrets: ReadonlyMap<string, string>;
  /** The texts to search, by place. */
  readonly places: ReadonlyMap<string, string>;
}

/** All rows of all tables, except those of entities. */
async function dump(database: Database): Promise<string> {
  const tables = await database.query(
    SQL`select table_name as name from information_schema.tables where table_schema = 'graphloom'`,
  );
  const rows = tables.map(async ({ name }) => {
    const found = await database.query(SQL`select t::text as row from graphloom.${quoteName(name ?? "")} t`);
    return [name, ...found.map(({ row }) => row)].join("\n");
  });
  return (await Promise.all(rows)).join("\n");
}

type Refuse = (path: string, options: AskOptions) => Promise<void>;

const post = { method: "POST" };

/** Sends secrets that are invalid in many ways; none is named `NEW` on the server. */
async function sendWrongSecrets(refuse: Refuse): Promise<void> {
  for (const [type, value] of Object.entries(secretValues)) {
    const wrong: unknown[] = [
      { name: type, value },
      { name: "NEW", value: { ...value, more: value } },
      { name: "NEW", value: { ...value, type: "none" } },
      { name: "NEW", value: [value] },
      { name: "NEW", value: JSON.stringify(value) },
      { name: JSON.stringify(value), value },
      { name: "NEW", value, description: `${JSON.stringify(value)}${"x".repeat(500)}` },
      { name: "NEW", value, ...value },
      JSON.stringify({ name: "NEW", value }).slice(0, -1),
      `${JSON.stringify({ name: "NEW", value })}}`,
      `"${JSON.stringify(value)}`,
    ];
    for (const [name, field] of Object.entries(value)) {
      if (name === "type") continue;
      wrong.push({ name: "NEW", value: { ...value, [name]: [field] } });
      wrong.push({ name: "NEW", value: { ...value, [name]: { [String(field)]: field } } });
      wrong.push({ name: "NEW", value: { ...value, [String(field)]: field } });
      wrong.push({ name: "NEW", value: { ...value, [name]: `${field}\0` } });
      wrong.push({ name: "NEW", value: { ...value, [name]: `${field}${"x".repeat(20_001)}` } });
    }
    for (const body of wrong) await refuse("/secrets", { ...post, body });
    const other = type === "s3" ? secretValues.sqs : secretValues.s3;
    await refuse(`/secrets/${type}`, { method: "PATCH", body: { value: other } });
    await refuse(`/secrets/${type}`, { ...post, body: { value } });
    await refuse("/secrets", {
      ...post,
      body: JSON.stringify(value),
      headers: { "content-type": "text/plain" },
    });
  }
}

/** Stores secrets of all kinds on a server, and causes every possible failure. */
async function leaveTraces(
  database: Database,
  isThorough: boolean,
  dumped: () => string = () => "",
): Promise<Traces> {
  let log = "";
  const logger = createServerLog({ format: "json", level: "trace" }, (text) => {
    log += text;
  });
  const answers: string[] = [];
  const messages: Message[] = [];
  const mail = { send: async (message: Message) => void messages.push(message) };
  const accounts = createAccounts(world, { mail, passwords: createPasswords(2 ** 10) });
  const server = await startPlatform(database, {
    parts: serverParts({ codes: createSignInCodes(world), accounts }, {}, logger),
    logger,
    networks: ["mainnet", "base", "matic", "arbitrum-one", "sepolia"],
  });
  const ask = async (path: string, options: AskOptions = {}) => {
    const answer = await server.ask(path, options);
    answers.push(`${answer.status} ${answer.text} ${JSON.stringify([...answer.headers])}`);
    return answer;
  };
  /** Sends a request whose answer shows a secret on purpose. */
  const show = async (path: string, options: AskOptions = {}) => {
    const { status, json } = await server.ask(path, options);
    expect([path, status]).toEqual([path, expect.toSatisfy((code: number) => code < 300)]);
    return json.data;
  };

  const webhook = {
    name: "swaps",
    subgraph_name: "pools",
    subgraph_version: "1.0.0",
    entity: "swap",
    webhook_url: "https://example.com/hook",
    secret: "webhook-secret-1Kd",
  };
  await ask("/subgraphs/pools/deployments/1.0.0", { method: "PUT", form: deployForm(sampleBundle()) });
  await show("/subgraphs/webhooks", { method: "POST", body: webhook });
  const secrets = new Map([
    ["the owner's key", server.token],
    ["another key", await server.addKey("Viewer")],
    ["a webhook's secret", webhook.secret],
    ["an endpoint's key", (await show("/edge", { method: "POST", body: { name: "app" } })).api_key],
    ...(await letPeopleIn({ server, messages, keep: (answer) => answers.push(answer) })),
  ]);
  await show("/edge/app/api-key");
  for (const [type, value] of Object.entries(secretValues)) {
    for (const text of hiddenTexts(value)) secrets.set(`${type}: ${text}`, text);
    expect((await ask("/secrets", { method: "POST", body: { name: type, value } })).status).toBe(201);
    expect((await show(`/secrets/${type}/value`)).value).toEqual(value);
    expect((await ask(`/secrets/${type}`, { method: "PATCH", body: { value } })).status).toBe(200);
  }
  for (const path of ["/secrets", "/edge", "/edge/app", "/subgraphs/webhooks"]) await ask(path);

  // Answers say what is wrong with a request, but do not repeat its content.
  const refuse: Refuse = async (path, options) => {
    expect((await ask(path, options)).status).toBeGreaterThanOrEqual(400);
  };
  if (isThorough) await sendWrongSecrets(refuse);
  await refuse("/subgraphs/webhooks", { ...post, body: { ...webhook, secret: `${webhook.secret} ` } });
  await refuse("/subgraphs/webhooks", { ...post, body: { ...webhook, secret: [webhook.secret] } });
  await refuse("/secrets", { key: `${server.token}x` });
  await refuse("/secrets", { ...post, key: secrets.get("another key") });
  const edge = `${server.address}/edge/rpc/none?secret=${secrets.get("an endpoint's key")}`;
  await refuse(edge, { ...post, key: undefined, body: { jsonrpc: "2.0", id: 1, method: "eth_chainId" } });
  await refuse(`${edge}x`, { ...post, key: undefined, body: {} });
  answers.push(await sendGarbage(server.address, `authorization: Bearer ${server.token}`));

  // The database refuses a row, and its error contains the row.
  await database.run(SQL`alter table graphloom.secrets add constraint never check (name <> 'NEVER')`);
  await refuse("/secrets", { ...post, body: { name: "NEVER", value: secretValues.kafka } });
  const tables = await dump(database);
  const backup = dumped();

  // The encrypted values are damaged, so that the secrets cannot be decrypted.
  for (const [table, column] of [
    ["secrets", "sealed_value"],
    ["edge_endpoints", "sealed_key"],
  ])
    await database.run(
      SQL`update graphloom.${quoteName(table ?? "")} set ${quoteName(column ?? "")} = ${quoteName(column ?? "")} || '\\x00'`,
    );
  for (const type of Object.keys(secretValues)) await refuse(`/secrets/${type}/value`, {});
  await refuse("/edge/app/api-key", {});

  // The database is closed.
  await database.close();
  await refuse("/secrets", { ...post, body: { name: "AWAY", value: secretValues.jdbc } });
  await refuse("/secrets/jdbc/value", {});
  await server.close().catch((error) => answers.push(String(error)));
  return {
    secrets,
    places: new Map([
      ["tables", tables],
      ["backup", backup],
      ["log", log],
      ["answers", answers.join("\n")],
    ]),
  };
}

/** Sends a header followed by invalid HTTP. @returns the answer */
async function sendGarbage(address: string, header: string): Promise<string> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.end(`GET /api/v1/secrets HTTP/1.1\r\n${header}\r\nno header\r\n\r\n`);
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

/** The encodings in which a secret may appear. */
function writings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  // Inside a longer text, the first characters of base64 depend on what precedes them; the middle does not.
  const shifted = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(4, -4),
  );
  return [
    secret,
    [...bytes].join(","),
    bytes.toString("hex"),
    bytes.toString("utf16le"),
    ...shifted,
    encodeURIComponent(secret),
  ];
}

/** The secrets that appear in a place. */
function found({ secrets, places }: Traces): readonly string[] {
  return [...places].flatMap(([place, text]) =>
    [...secrets].flatMap(([what, secret]) =>
      writings(secret).some((writing) => text.includes(writing)) ? [`${what}, in ${place}`] : [],
    ),
  );
}

describe("secrets never appear in the clear", () => {
  let traces: Traces;

  describe("on PGlite, including the files of its folder", () => {
    const folder = useFolder();

    beforeAll(async () => {
      traces = await leaveTraces(await openPglite(folder, world), postgresMissing !== undefined);
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      );
      const bytes = files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1"));
      traces = { ...traces, places: new Map([...traces.places, ["files", bytes.join("\n")]]) };
      // A database in a folder is slow on a busy machine.
    }, 300_000);

    it("except in answers that reveal them on purpose", () => {
      expect(traces.secrets.size).toBeGreaterThan(25);
      expect([...traces.secrets].filter(([, secret]) => secret.length < 8)).toEqual([]);
      expect(found(traces)).toEqual([]);
    });

    it("although the traces contain everything that happened", () => {
      const { tables = "", log = "", answers = "", files = "" } = Object.fromEntries(traces.places);
      expect(tables).toContain("secret.reveal");
      expect(files).toContain("secret.reveal");
      expect(log).toContain("the server's key cannot decrypt the value");
      expect(log).toContain('"level":"error"');
      expect(answers).toContain("The database could not complete the request");
      expect(log).toContain("client error");
    });
  });

  describe.runIf(postgresMissing === undefined)("on PostgreSQL", () => {
    it("except in answers that reveal them on purpose, including in the output of pg_dump", async () => {
      const address = await serverDatabase();
      const dumped = (): string => dumpOf(address);
      const traces = await leaveTraces(await openDatabase(address, world), true, dumped);
      expect(traces.places.get("backup")).toContain("secret.reveal");
      expect(found(traces)).toEqual([]);
    });
  });

  it("because the test's search finds them in every encoding", () => {
    const secret = randomBytes(12).toString("base64url");
    const secrets = new Map([["one", secret]]);
    for (const text of [
      `a ${secret} b`,
      Buffer.from(`x${secret}`).toString("hex"),
      Buffer.from(secret).toString("base64"),
      Buffer.from(`x${secret}y`).toString("base64"),
      `?k=${encodeURIComponent(secret)}`,
    ])
      expect(found({ secrets, places: new Map([["here", text]]) })).toEqual(["one, in here"]);
    expect(found({ secrets, places: new Map([["here", "nothing"]]) })).toEqual([]);
  });
});
