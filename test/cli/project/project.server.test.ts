import { beforeEach, describe, expect, it } from "vitest";
import type { Role } from "../../../src/platform/people/api-keys.js";
import type { FaultyProxy } from "../../support/network/faulty-proxy.js";
import type { TestPerson } from "../../support/server/people.js";
import type { graphloom } from "../harness.js";
import { useMachine, usePeople } from "../login/people-server.js";

const people = usePeople();

let server: FaultyProxy & { readonly url: string };
let project: string;
let owner: TestPerson;
let admin: TestPerson;

beforeEach(async () => {
  server = await people().open();
  project = await people().project("Pools");
  owner = await people().person("owner", { [project]: "Owner" });
  admin = await people().person("admin", { [project]: "Admin" });
});

/** Runs a command with the token of a person or key. */
const as = (who: { readonly token: string }, line: string, more: Parameters<typeof graphloom>[2] = {}) =>
  useMachine().run(line, {
    ...more,
    env: { GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: who.token, ...more.env },
  });
const members = async (): Promise<readonly (readonly [string, string, string])[]> =>
  JSON.parse((await as(owner, "project users list --output json")).out).map(
    ({ email, role, status }: Record<string, string>) => [email, role, status],
  );
const projects = async (who: TestPerson) => JSON.parse((await as(who, "project list --output json")).out);

describe("project", () => {
  it("create makes a project, and its creator becomes the Owner", async () => {
    const founder = await people().person("founder");
    expect(await as(founder, "project list")).toMatchObject({
      code: 0,
      out: "You are not in a project yet. Create one: graphloom project create --name <name>\n",
    });
    const made = await as(founder, "project create --name Mine");
    const [mine] = await projects(founder);
    expect([made.code, mine]).toEqual([0, { id: mine.id, name: "Mine", role: "Owner", used: true }]);
    expect(made.out).toBe(
      `Created the project Mine (${mine.id}). To use it: graphloom project use ${mine.id}\n`,
    );
  });

  it("create --output json prints the project's id, or the error, as one document", async () => {
    const founder = await people().person("founder");
    const { code, out } = await as(founder, "project create --name Mine --output json");
    const [{ used: _, ...mine }] = await projects(founder);
    expect([code, JSON.parse(out)]).toEqual([0, mine]);
    const refused = await as({ token: people().platform.token }, "project create --name Mine --output json");
    expect([refused.code, JSON.parse(refused.out).error.exit_code]).toEqual([3, 3]);
  });

  it("leave and users remove report how many keys were revoked", async () => {
    const keyOf = (name: string, who: TestPerson) =>
      people().platform.ask(`/projects/${project}/api-keys`, {
        method: "POST",
        key: who.token,
        body: { name, role: "Viewer" },
      });
    for (const name of ["one", "two"]) await keyOf(name, admin);
    expect((await as(owner, `project users remove --email ${admin.email}`)).out).toBe(
      `Removed ${admin.email} from the project Pools. The 2 API keys that they created were revoked.\n`,
    );
    const editor = await people().person("editor", { [project]: "Editor" });
    await keyOf("own", editor);
    expect((await as(editor, `project leave --projectId ${project}`)).out).toBe(
      "You left the project Pools. The API key that you created was revoked.\n",
    );
  });

  it("update renames the selected project, or the one given with --project", async () => {
    const other = await people().project("Other");
    const both = await people().person("both", { [project]: "Editor", [other]: "Editor" });
    expect((await as(both, "project update --name First")).out).toBe(
      `The project ${project} is now called First.\n`,
    );
    await as(both, "project update --name Second --project Other");
    await as(both, "project update --name Third", { env: { GRAPHLOOM_PROJECT: other } });
    expect((await projects(both)).map(({ name }: { name: string }) => name)).toEqual(["First", "Third"]);
  });

  it("leave asks for confirmation, and fails for the only Owner", async () => {
    const questions: string[] = [];
    const leave = (who: TestPerson, answer: string) =>
      as(who, `project leave --projectId ${project}`, {
        ask: async (question) => {
          questions.push(question);
          return answer;
        },
      });
    expect(await leave(admin, "")).toMatchObject({ code: 1, err: "Nothing was changed.\n" });
    expect(await members()).toHaveLength(2);
    expect(await leave(admin, "y")).toMatchObject({
      code: 0,
      out: "You left the project Pools.\n",
    });
    expect(questions[0]).toContain(`Leave the project Pools (${project})?`);
    expect(await members()).toEqual([[owner.email, "Owner", "member"]]);
    const last = await as(owner, `project leave --projectId ${project} -f`);
    expect([last.code, last.err]).toEqual([3, expect.stringContaining("the only Owner")]);
    // A script cannot be asked, so the command does not ask for confirmation.
    const second = await people().person("second", { [project]: "Viewer" });
    expect(await as(second, `project leave --projectId ${project}`)).toMatchObject({
      code: 0,
      out: "You left the project Pools.\n",
    });
    expect(await members()).toHaveLength(1);
  });

  it("leave selects a different project for later commands", async () => {
    const other = await people().project("Other");
    const both = await people().person("both", { [project]: "Viewer", [other]: "Viewer" });
    const machine = useMachine();
    const run = (line: string) => machine.run(`${line} --api-url ${server.url}`);
    await run(`login --token ${both.token} --project ${other}`);
    const left = await run(`project leave --projectId ${other} -f`);
    expect(left.out).toContain(`Commands now use the project Pools (${project}).`);
    expect((await run("subgraph list")).code).toBe(0);
  });
});

describe("project users", () => {
  it("list shows members and invited people in columns", async () => {
    await as(owner, "project users invite --emails ann@example.com");
    const { out } = await as(owner, "project users list");
    expect(out).toMatch(/^EMAIL +NAME +ROLE +STATUS +SINCE\n/);
    expect(out).toMatch(new RegExp(`^${owner.email} +owner\\S+ +Owner +member +\\d{4}-\\d\\d-\\d\\d$`, "m"));
    expect(out).toMatch(/^ann@example\.com +Viewer +invited +\d{4}-\d\d-\d\d$/m);
  });

  it.each([
    ["--emails ann@example.com bob@example.com --role Editor", "Editor"],
    ["--emails ann@example.com --emails bob@example.com", "Viewer"],
    ["--emails ann@example.com,bob@example.com", "Viewer"],
  ])("invite %s prints the links", async (words, role) => {
    const { code, out } = await as(admin, `project users invite ${words}`);
    expect(code).toBe(0);
    for (const email of ["ann@example.com", "bob@example.com"]) {
      expect(out).toMatch(
        new RegExp(
          `^Invited ${email} as ${role}\\. Send .*\n {2}http://\\S+/invitations/gli_[\\w-]{32}$`,
          "m",
        ),
      );
    }
    expect((await members()).slice(2).sort()).toEqual([
      ["ann@example.com", role, "invited"],
      ["bob@example.com", role, "invited"],
    ]);
  });

  it("invite reports who got a mail, and prints everything with --output json", async () => {
    const line = "project users invite --emails ann@example.com --output json";
    const [invitation] = JSON.parse((await as(admin, line)).out);
    expect(invitation).toMatchObject({ email: "ann@example.com", role: "Viewer", mailed: false });
    server.rule((method) =>
      method === "POST"
        ? { kind: "changed", change: () => ({ data: [{ ...invitation, mailed: true }] }) }
        : undefined,
    );
    const { out } = await as(admin, "project users invite --emails ann@example.com");
    expect(out).toMatch(
      /^Invited ann@example\.com as Viewer\. A link was mailed and is valid until \d{4}-\d\d-\d\d\.\n$/,
    );
  });

  it("update changes a member's role", async () => {
    const line = `project users update --email ${admin.email.toUpperCase()} --role Editor`;
    expect((await as(owner, line)).out).toBe(`${admin.email} is now Editor in the project Pools.\n`);
    expect(await members()).toContainEqual([admin.email, "Editor", "member"]);
  });

  it("remove asks for confirmation, for members and for invited people", async () => {
    await as(owner, "project users invite --emails ann@example.com");
    const remove = (email: string, more: Parameters<typeof graphloom>[2] = {}, words = "") =>
      as(owner, `project users remove --email ${email}${words}`, more);
    expect((await remove(admin.email, { ask: async () => "n" })).code).toBe(1);
    expect(await members()).toHaveLength(3);
    expect((await remove(admin.email, { ask: async () => "yes" })).code).toBe(0);
    expect((await remove("ann@example.com", {}, " -f")).out).toBe(
      "Removed ann@example.com from the project Pools.\n",
    );
    expect(await members()).toHaveLength(1);
    const second = await people().person("second", { [project]: "Viewer" });
    expect((await remove(second.email)).out).toBe(`Removed ${second.email} from the project Pools.\n`);
    expect(await members()).toHaveLength(1);
    expect((await remove("ann@example.com", {}, " --force")).err).toContain("no member or invitation");
  });

  it("keeps the only Owner, and does not let members act above their role", async () => {
    const refused: readonly (readonly [TestPerson, string, string])[] = [
      [owner, `update --email ${owner.email} --role Viewer`, "the only Owner"],
      [owner, `remove --email ${owner.email} -f`, "the only Owner"],
      [admin, `update --email ${admin.email} --role Owner`, "role Owner"],
      [admin, "invite --emails ann@example.com --role Owner", "role Owner"],
      [admin, `remove --email ${owner.email} -f`, "role Owner"],
      [admin, `invite --emails ${owner.email}`, "Already in the project"],
    ];
    for (const [who, line, message] of refused) {
      const { code, err } = await as(who, `project users ${line}`);
      expect([line, code, err]).toEqual([line, 3, expect.stringContaining(message)]);
    }
    expect(await members()).toHaveLength(2);
  });
});

describe("a project command", () => {
  it.each([
    ["project create", "Pass the project's name"],
    ["project create --name ", "name"],
    [`project create --name ${"x".repeat(81)}`, "at most 80 characters"],
    ["project update", "Pass the new name"],
    ["project leave", "Pass the project's id"],
    ["project users invite", "Pass the addresses to invite"],
    ["project users invite --emails nobody", "nobody is not an email address"],
    ["project users invite --emails a@b.de --role Guest", "Owner"],
    ["project users remove", "Pass the person's address"],
    ["project users update --email a@b.de", "Pass the new role"],
    ["project use", "graphloom project use --help"],
  ])("rejects a wrong command line without a request: %s", async (line, message) => {
    const { code, err } = await as(owner, line);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(server.received).toEqual([]);
  });
});

describe("a command whose answer is lost", () => {
  it.each<[string, string, number]>([
    ["project update --name New", "is now called New", 0],
    ["project users update --email ADMIN --role Viewer", "is now Viewer in the project", 0],
    ["project users remove --email ADMIN -f", "Removed ", 0],
    ["project create --name Again", "It is unknown whether the project Again was created", 3],
    [
      "project users invite --emails ann@example.com",
      "It is unknown whether ann@example.com were invited",
      3,
    ],
  ])("reports the change, or that the outcome is unknown: %s", async (line, message, expected) => {
    server.rule((method) => (method === "GET" ? undefined : { kind: "cut-answer" }));
    const { code, out, err } = await as(owner, line.replace("ADMIN", admin.email));
    expect([code, out + err]).toEqual([expected, expect.stringContaining(message)]);
  });
});

describe("an API key", () => {
  it.each<[string, Role, string]>([
    ["project create --name Mine", "Owner", "graphloom login"],
    ["project leave --projectId PROJECT -f", "Owner", "A key cannot leave a project"],
    ["project use PROJECT", "Owner", "graphloom login"],
  ])("cannot be used for this command, and the message says what to do: %s", async (line, role, message) => {
    const key = await people().platform.addKey(role);
    const named = line.replace("PROJECT", people().platform.project);
    const { code, err } = await as({ token: key }, named);
    expect([code > 0, err]).toEqual([true, expect.stringContaining(message)]);
    // Either the server or the command line prints this, but not both.
    expect(err.match(/graphloom login/g)).toHaveLength(1);
  });

  it("lists its own project", async () => {
    const listed = await as({ token: people().platform.token }, "project list --output json");
    expect(JSON.parse(listed.out)).toEqual([
      { id: people().platform.project, name: "default", role: "Owner", used: true },
    ]);
  });
});
