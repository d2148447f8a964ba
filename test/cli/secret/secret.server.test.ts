import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSecret } from "../../../src/cli/secret/change-secrets.js";
import type { Terminal } from "../../../src/cli/terminal/terminal.js";
import { secretValues } from "../../platform/secrets/values.js";
import { memoryTerminal } from "../memory-terminal.js";
import { type Api, useApi } from "../remote/harness.js";

const api = useApi();

const jdbc = JSON.stringify(secretValues.jdbc);
const httpauth = JSON.stringify(secretValues.httpauth);
const password = secretValues.httpauth.secretValue;

describe("secret create", () => {
  it.each(Object.keys(secretValues))("stores a value of type %s that only reveal shows", async (type) => {
    const { run, arrived } = await api();
    const value = secretValues[type as keyof typeof secretValues];
    const made = await run("secret create --name MINE --value - --description of-mine", {
      stdin: JSON.stringify(value),
    });
    expect(made).toEqual({ code: 0, out: `Created the secret MINE (${type}).\n`, err: "" });
    const listed = await run("secret list");
    expect(listed.out).toMatch(
      new RegExp(`^SECRET +TYPE +CHANGED +DESCRIPTION\nMINE +${type} +\\S+Z +of-mine\n$`),
    );
    const revealed = await run("secret reveal MINE --output json");
    expect([revealed.code, JSON.parse(revealed.out)]).toEqual([0, value]);
    expect(arrived()).toEqual(["POST /secrets", "GET /secrets", "GET /secrets/MINE/value"]);
  });

  it("takes a value from the command line, a file or a pipe", async () => {
    const { run, home } = await api();
    writeFileSync(join(home, "db.json"), jdbc);
    const lines = [
      [`secret create --name A --value ${httpauth}`, ""],
      ["secret create --name B --value @db.json", ""],
      ["secret create --name C --value=-", httpauth],
      ["secret create --name D", `${httpauth}\n`],
    ] as const;
    for (const [line, stdin] of lines)
      expect([line, await run(line, { stdin })]).toMatchObject([line, { code: 0 }]);
    const listed = JSON.parse((await run("secret list --output json")).out);
    expect(listed.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`)).toEqual([
      "A httpauth",
      "B jdbc",
      "C httpauth",
      "D httpauth",
    ]);
  });

  it.each([
    [
      "postgres://indexer:p%40ss@db.example.org/pools",
      { type: "jdbc", protocol: "postgres", host: "db.example.org", port: 5432, databaseName: "pools" },
    ],
    [
      "postgresql://indexer:p%40ss@db.example.org:6543/pools?sslmode=require",
      {
        type: "jdbc",
        protocol: "postgres",
        host: "db.example.org",
        port: 6543,
        databaseName: "pools",
        sslmode: "require",
      },
    ],
    [
      "mysql://indexer:p%40ss@[2001:db8::1]/pools",
      { type: "jdbc", protocol: "mysql", host: "[2001:db8::1]", port: 3306, databaseName: "pools" },
    ],
    [
      "https://indexer:p%40ss@columns.example.org:8443/pools",
      {
        type: "clickHouse",
        url: "https://columns.example.org:8443",
        databaseName: "pools",
      },
    ],
  ] as const)("takes the connection string %s", async (address, fields) => {
    const { run } = await api();
    expect(await run("secret create --name DB --value -", { stdin: `${address}\n` })).toMatchObject({
      code: 0,
    });
    const user = fields.type === "jdbc" ? { user: "indexer" } : { username: "indexer" };
    const { out } = await run("secret reveal DB --output json");
    expect(JSON.parse(out)).toEqual({ ...fields, ...user, password: "p@ss" });
  });

  it("prints the created secret as JSON, without its value", async () => {
    const { run } = await api();
    const { out } = await run(`secret create --name DOC --value ${httpauth} --output json`);
    expect(JSON.parse(out)).toEqual({
      name: "DOC",
      type: "httpauth",
      description: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  it("refuses a name that already exists", async () => {
    const { run } = await api();
    await run(`secret create --name TWICE --value ${httpauth}`);
    const { code, err } = await run(`secret create --name TWICE --value ${httpauth}`);
    expect(code).toBe(3);
    expect(err).toContain('The secret "TWICE" already exists');
  });

  it.each([
    [`secret create --value ${httpauth}`, "Give the secret a name: --name <name>"],
    [`secret create --name a.b --value ${httpauth}`, "1 to 100 letters, digits, _ or -."],
    ["secret create --name A", "No value given."],
    [`secret create --name A --value ${password}`, "The value is not a JSON object"],
    [`secret create --name A --value ["${password}"]`, "The value is not a JSON object"],
    [
      `secret create --name A --value postgres://u:${password}@host`,
      "The connection string names no database.",
    ],
    [
      `secret create --name A --value postgres://u:${password}@host:none/d`,
      "The connection string cannot be read.",
    ],
    [`secret create --name A --value postgres://u:${password}%@host/d`, "has a % that begins no escaped"],
    [`secret create --name A --value postgres://host/d?${password}=1`, "A secret cannot hold a parameter of"],
    [
      `secret create --name A --value postgres://u:${password}@host/d?channel_binding=require`,
      "A secret cannot hold the parameter channel_binding of the connection string.",
    ],
    [`secret create --name A --value postgres://host/d`, "  user must not be empty"],
    [`secret create --name A --value https://u:${password}@host/d?secure=1`, "the parameter secure"],
    ["secret create --name A --value @none.json", "none.json cannot be read: missing."],
    [`secret create --name A --value {"type":"${password}"}`, "  type must be one of jdbc, clickHouse, "],
    [
      `secret create --name A --value {"type":"httpauth","secretKey":"x","secretvalue":"${password}"}`,
      "  secretValue is required: the header's value",
    ],
    [
      `secret create --name A --value ${httpauth} ${password}`,
      "Pass the value as one argument in single quotes",
    ],
    [`--color secret update A ${password}`, "Pass the value as one argument in single quotes"],
    [`secret create --name A --value ${httpauth} --description ${"d".repeat(501)}`, "500 are allowed"],
    ["secret update A", "Specify what to change: --value or --description."],
    [`secret update ${password}! --description x`, "1 to 100 letters, digits, _ or -."],
    ["secret delete a/b", "1 to 100 letters, digits, _ or -."],
    ["secret reveal a/b", "1 to 100 letters, digits, _ or -."],
  ])("rejects without a request, and shows no value: %s", async (line, message) => {
    const { run, arrived } = await api();
    const { code, out, err } = await run(line);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).not.toContain(password);
    expect(arrived()).toEqual([]);
  });
});

describe("secret create at a terminal", () => {
  /** Runs the command with these answers, in this order. The input ends after the last one. */
  async function asked(
    { server, home }: Api,
    answers: readonly string[],
    given: Partial<Parameters<typeof createSecret>[0]> = {},
  ) {
    const questions: string[] = [];
    const rest = [...answers];
    const noted = memoryTerminal();
    const terminal: Terminal = {
      ...noted,
      cwd: home,
      env: { HOME: home, GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: server.token },
      ask: async (question, { hidden = false } = {}) => {
        questions.push(`${hidden ? "*" : ""}${question.split(" ")[0]}`);
        return rest.shift();
      },
    };
    const code = await createSecret({ verbose: false, output: "table", ...given }, terminal);
    return { code, questions, said: noted.said() };
  }

  it("asks for the type, then for its fields, and hides secret values", async () => {
    const all = await api();
    const { protocol, host, port, databaseName, user, sslmode, sslrootcert } = secretValues.jdbc;
    writeFileSync(join(all.home, "ca.pem"), sslrootcert);
    const { code, questions, said } = await asked(
      all,
      [
        "JDBC",
        protocol,
        host,
        String(port),
        databaseName,
        user,
        secretValues.jdbc.password,
        sslmode,
        "@ca.pem",
      ],
      { name: "DB" },
    );
    expect(code).toBe(0);
    expect(questions).toEqual([
      "Type",
      "protocol",
      "host",
      "port",
      "databaseName",
      "user",
      "*password",
      "sslmode",
      "sslrootcert",
    ]);
    expect(said).toContain("   1  jdbc           a PostgreSQL or MySQL database\n");
    expect(said).toContain("Created the secret DB (jdbc).\n");
    expect(JSON.parse((await all.run("secret reveal DB --output json")).out)).toEqual(secretValues.jdbc);
  });

  it("repeats a question after a wrong answer, skips optional fields, and asks for the name last", async () => {
    const all = await api();
    const { code, questions, said } = await asked(all, [
      "50",
      "5",
      "",
      "k1:9092",
      "none",
      "3",
      "",
      "",
      "",
      "registry",
      "",
      "",
      "",
      "",
      "",
      "bad name",
      "K",
    ]);
    expect([code, said.split("\n").slice(-2, -1)]).toEqual([0, ["Created the secret K (kafka)."]]);
    expect(questions).toEqual([
      "Type",
      "Type",
      "bootstrapServers",
      "bootstrapServers",
      "securityProtocol",
      "securityProtocol",
      "saslMechanism",
      "saslJaasUsername",
      "*saslJaasPassword",
      "schemaRegistryUrl",
      "schemaRegistryUrl",
      "schemaRegistryUsername",
      "*schemaRegistryPassword",
      "sslmode",
      "sslrootcert",
      "Name",
      "Name",
    ]);
    for (const line of [
      "Enter a name, or a number from 1 to 10.",
      "bootstrapServers must not be empty",
      "securityProtocol must be one of PLAINTEXT, SASL_PLAINTEXT, SASL_SSL, SSL",
      "schemaRegistryUrl is not valid: the schema registry's address",
      "The name of a secret must consist of 1 to 100 letters, digits, _ or -.",
    ])
      expect(said).toContain(`${line}\n`);
    expect(JSON.parse((await all.run("secret reveal K --output json")).out)).toEqual({
      type: "kafka",
      bootstrapServers: "k1:9092",
      securityProtocol: "SASL_SSL",
    });
  });

  it("reads a service account from the path of its file", async () => {
    const all = await api();
    writeFileSync(join(all.home, "key.json"), secretValues.pubsub.serviceAccountJson);
    expect((await asked(all, ["pubsub", "pools-1", "@key.json"], { name: "P" })).code).toBe(0);
    expect(JSON.parse((await all.run("secret reveal P --output json")).out)).toEqual(secretValues.pubsub);
  });

  it("stores nothing when the input ends", async () => {
    const all = await api();
    for (const answers of [[], ["jdbc"], ["httpauth", "x-key", password]]) {
      const { code, said } = await asked(all, answers);
      expect([code, said.endsWith("Nothing was changed.\n")]).toEqual([1, true]);
    }
    expect(all.arrived()).toEqual([]);
  });
});

describe("secret list", () => {
  it("says that there are no secrets yet", async () => {
    const { run } = await api();
    expect(await run("secret list")).toEqual({ code: 0, out: "There are no secrets yet.\n", err: "" });
    expect((await run("secret list --output json")).out).toBe("[]\n");
  });
});

describe("secret reveal", () => {
  it("prints one field per line, safe for a terminal", async () => {
    const { run } = await api();
    const value = { ...secretValues.jdbc, password: "\u001b[31mred" };
    await run("secret create --name R", { stdin: JSON.stringify(value) });
    const { out } = await run("secret reveal R");
    expect(out).toContain("type          jdbc\n");
    expect(out).toContain("port          5432\n");
    expect(out).toContain("password      \\u001b[31mred\n");
    expect(out).not.toContain("\u001b");
  });

  it("says that no secret has that name", async () => {
    const { run } = await api();
    const { code, err } = await run("secret reveal NONE");
    expect(code).toBe(3);
    expect(err).toContain('There is no secret "NONE".');
  });
});

describe("secret update", () => {
  it("changes the value or the description", async () => {
    const { run } = await api();
    await run("secret create --name U", { stdin: jdbc });
    const value = { ...secretValues.jdbc, host: "other.example.com" };
    expect(await run("secret update U --value -", { stdin: JSON.stringify(value) })).toEqual({
      code: 0,
      out: "Changed the secret U.\n",
      err: "",
    });
    expect((await run("secret update U --description of-ours")).code).toBe(0);
    expect(JSON.parse((await run("secret reveal U --output json")).out)).toEqual(value);
    expect(JSON.parse((await run("secret list --output json")).out)).toMatchObject([
      { description: "of-ours" },
    ]);
    const { code, err } = await run(`secret update U --value ${httpauth}`);
    expect(code).toBe(3);
    expect(err).toContain("value.type: must stay jdbc");
  });
});

describe("secret delete", () => {
  it("asks first unless --force or -f is given", async () => {
    const { run } = await api();
    await run("secret create --name X", { stdin: httpauth });
    const refused = await run("secret delete X");
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('"Delete the secret X?" To answer yes, add --force.'),
    ]);
    expect(await run("secret delete X -f")).toEqual({ code: 0, out: "Deleted the secret X.\n", err: "" });
    expect((await run("secret delete X --force")).code).toBe(3);
  });
});
