import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { commandLine } from "../../../src/api/account-operations.js";
import { accountsPart } from "../../../src/platform/management/people/accounts-part.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import type { Role } from "../../../src/platform/people/api-keys.js";
import { listActs } from "../../../src/platform/people/audit.js";
import { exchangeCode, grantCode } from "../../../src/platform/people/authorization.js";
import type { Message } from "../../../src/platform/people/mail/mail.js";
import { createSmtp, readSmtpAddress } from "../../../src/platform/people/mail/smtp.js";
import { addMember } from "../../../src/platform/people/members.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { onEither, world } from "../../support/database/databases.js";
import { addPerson, type TestPerson } from "../../support/server/people.js";
import { startPlatform, type TestPlatform } from "../../support/server/platform-server.js";
import { startSmtpServer } from "../../support/server/smtp-server.js";

const databases = onEither();
let database: Database;
let server: TestPlatform;
let made = 0;
/** The project of the current test, with an Owner and an Admin. */
let project: string;
let owner: TestPerson;
let admin: TestPerson;

beforeAll(async () => {
  database = await databases.fresh();
  server = await startPlatform(database);
});
afterAll(() => server.close());
beforeEach(async () => {
  made += 1;
  project = `project_${made}`;
  await createProject(database, { id: project, name: `Project ${made}` });
  owner = await person("owner", "Owner");
  admin = await person("admin", "Admin");
});

const person = (name: string, role?: Role) =>
  addPerson(database, `${name}.${made}@example.com`, role ? { [project]: role } : {});
const as = (who: { readonly token: string }, method: string, path: string, body?: unknown) =>
  server.ask(path.replace("/P", `/projects/${project}`), {
    method,
    key: who.token,
    ...(body !== undefined && { body }),
  });
const members = async () =>
  (await as(owner, "GET", "/P/members")).json.data.map(({ email, role, status }: Record<string, string>) => [
    email,
    role,
    status,
  ]);
const acts = async () => (await listActs(database, project, { limit: 100 })).map(({ action }) => action);

describe("the caller", () => {
  it("is a person in the project that they joined first, or that a header names", async () => {
    await createProject(database, { id: `later_${made}`, name: "Later" });
    const both = await addPerson(database, `both.${made}@example.com`, {
      [project]: "Viewer",
      [`later_${made}`]: "Owner",
    });
    const { id, email, name } = both;
    expect((await as(both, "GET", "/me")).json).toEqual({
      data: {
        user: { id, email, name },
        project: { id: project, name: `Project ${made}` },
        role: "Viewer",
      },
    });
    const inLater = { key: both.token, headers: { "graphloom-project": `later_${made}` } };
    const later = (await server.ask("/me", inLater)).json.data;
    expect([later.project.id, later.role]).toEqual([`later_${made}`, "Owner"]);
    expect((await as(both, "GET", "/projects")).json.data.map((each: { id: string }) => each.id)).toEqual([
      project,
      `later_${made}`,
    ]);
    // The role in the project of the path counts, not the role in the project of the header.
    const renamed = await server.ask(`/projects/${project}`, {
      ...inLater,
      method: "PATCH",
      body: { name: "Mine" },
    });
    expect(renamed.status).toBe(403);
  });

  it("must be a member of the project", async () => {
    const stranger = await person("stranger");
    const none = await as(stranger, "GET", "/me");
    expect([none.status, none.json.detail]).toEqual([403, expect.stringContaining("POST /api/v1/projects")]);
    expect((await as(stranger, "GET", "/projects")).json.data).toEqual([]);
    for (const named of [server.project, "project_of_nobody"]) {
      const answer = await server.ask("/me", { key: owner.token, headers: { "graphloom-project": named } });
      expect([answer.status, answer.json.detail]).toEqual([
        403,
        expect.stringContaining(`the project ${named}, but you are not a member`),
      ]);
    }
  });

  it("is a key, only in its own project", async () => {
    const { data } = (await server.ask("/me")).json;
    expect(data).toEqual({
      key: { id: expect.stringMatching(/^key_/), name: "made by graphloom serve" },
      project: { id: server.project, name: "default" },
      role: "Owner",
    });
    const own = await server.ask("/me", { headers: { "graphloom-project": server.project } });
    const other = await server.ask("/me", { headers: { "graphloom-project": project } });
    expect([own.status, other.status]).toEqual([200, 403]);
    expect((await server.ask("/projects")).json.data).toEqual([
      { id: server.project, name: "default", role: "Owner" },
    ]);
  });
});

describe("projects", () => {
  it("are created by people, who become their Owners, but not by keys", async () => {
    const founder = await person("founder");
    const answer = await as(founder, "POST", "/projects", { name: "  New one " });
    const { id } = answer.json.data;
    expect([answer.status, answer.json.data]).toEqual([201, { id, name: "New one", role: "Owner" }]);
    expect((await as(founder, "GET", "/me")).json.data.project.id).toBe(id);
    const byKey = await server.ask("/projects", { method: "POST", body: { name: "Another" } });
    expect([byKey.status, byKey.json.detail]).toEqual([403, expect.stringContaining("graphloom login")]);
  });

  it.each([
    ["   "],
    ["a\nb"],
    [""],
    ["x".repeat(81)],
    [5],
    ["\0"],
    ["a\u202eb"],
    ["a\u2028b"],
  ])("cannot have the name %j", async (name) => {
    const answer = await as(owner, "PATCH", "/P", { name });
    expect([answer.status, answer.json.errors[0].field]).toEqual([400, "name"]);
  });

  it("are renamed by Editors", async () => {
    const editor = await person("editor", "Editor");
    const answer = await as(editor, "PATCH", "/P", { name: "Renamed" });
    expect(answer.json).toEqual({ data: { id: project, name: "Renamed", role: "Editor" } });
    expect((await as(owner, "GET", "/me")).json.data.project.name).toBe("Renamed");
    expect(await acts()).toEqual(["project.rename"]);
  });

  it("are left by people, but not by keys or by their only Owner", async () => {
    const last = await as(owner, "POST", "/P/leave");
    expect([last.status, last.json.detail]).toEqual([422, expect.stringContaining("the only Owner")]);
    expect((await as(admin, "POST", "/P/leave")).json).toEqual({ data: { id: project, revoked_keys: 0 } });
    expect((await as(admin, "GET", "/P/members")).status).toBe(404);
    const second = await person("second", "Owner");
    expect((await as(owner, "POST", "/P/leave")).status).toBe(200);
    expect((await as(second, "POST", "/P/leave")).status).toBe(422);
    expect(await acts()).toEqual(["member.leave", "member.leave"]);
    const byKey = await server.ask(`/projects/${server.project}/leave`, { method: "POST" });
    expect([byKey.status, byKey.json.detail]).toEqual([
      403,
      expect.stringContaining("A key cannot leave a project"),
    ]);
  });

  it("keep an Owner when two Owners leave at the same moment", async () => {
    const second = await person("second", "Owner");
    const both = await Promise.all([owner, second].map((who) => as(who, "POST", "/P/leave")));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});

describe("members", () => {
  const invite = (who: TestPerson, emails: readonly unknown[], role?: string) =>
    as(who, "POST", "/P/invitations", { emails, ...(role !== undefined && { role }) });

  it("are invited by a link, once for each address", async () => {
    const answer = await invite(admin, [" Ann@Example.com", "bob@example.com", "ann@example.COM"], "Editor");
    expect(answer.status).toBe(201);
    expect(answer.json.data).toEqual(
      ["ann@example.com", "bob@example.com"].map((email) => ({
        email,
        role: "Editor",
        link: expect.stringMatching(new RegExp(`^${server.address}/invitations/gli_[\\w-]{32}$`)),
        mailed: false,
        expires_at: expect.stringMatching(/^\d{4}-/),
      })),
    );
    const again = await invite(admin, ["ann@example.com"]);
    expect(again.json.data[0].role).toBe("Viewer");
    expect(again.json.data[0].link).not.toBe(answer.json.data[0].link);
    expect(await members()).toEqual([
      [owner.email, "Owner", "member"],
      [admin.email, "Admin", "member"],
      ["bob@example.com", "Editor", "invited"],
      ["ann@example.com", "Viewer", "invited"],
    ]);
    // Links are stored as hashes.
    const kept = JSON.stringify(await database.query(SQL`select * from graphloom.invitations`));
    expect(kept).toContain("ann@example.com");
    expect(kept).not.toContain(again.json.data[0].link.split("/").at(-1));
  });

  it("are invited by valid email addresses that do not belong to members", async () => {
    const bad = ["nobody", "a@b@c", "a b@c.de", "a@b.de\r\nBcc: x@y.z", "<a@b.de>", "\u212a@b.de", "a@-b.de"];
    const refused = await invite(owner, ["fine@example.com", ...bad]);
    expect([refused.status, refused.json.errors.map((each: { field: string }) => each.field)]).toEqual([
      400,
      bad.map((_, index) => `emails.${index + 1}`),
    ]);
    const taken = await invite(owner, ["fine@example.com", admin.email]);
    expect([taken.status, taken.json.detail]).toEqual([409, expect.stringContaining(admin.email)]);
    expect(await members()).toHaveLength(2);
    expect((await invite(owner, [])).status).toBe(400);
    expect((await invite(owner, Array(51).fill("a@b.de"))).status).toBe(400);
  });

  it("become Owners, and stop being Owners, only through Owners", async () => {
    const asked: readonly [string, string, unknown][] = [
      ["POST", "/P/invitations", { emails: ["x@example.com"], role: "Owner" }],
      ["PATCH", `/P/members/${admin.email}`, { role: "Owner" }],
      ["PATCH", `/P/members/${owner.email}`, { role: "Viewer" }],
      ["DELETE", `/P/members/${owner.email}`, undefined],
    ];
    for (const [method, path, body] of asked) {
      const answer = await as(admin, method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    }
    await invite(owner, ["x@example.com"], "Owner");
    expect((await invite(admin, ["x@example.com"], "Viewer")).status).toBe(403);
    expect((await as(admin, "DELETE", "/P/members/x@example.com")).status).toBe(403);
    expect((await as(owner, "PATCH", `/P/members/${admin.email}`, { role: "Owner" })).status).toBe(200);
    expect((await as(admin, "PATCH", `/P/members/${owner.email}`, { role: "Viewer" })).json.data).toEqual({
      email: owner.email,
      name: owner.name,
      role: "Viewer",
      status: "member",
      since: expect.any(String),
    });
    expect((await as(owner, "PATCH", `/P/members/${admin.email}`, { role: "Viewer" })).status).toBe(403);
  });

  it("stay Owner while there is no other Owner", async () => {
    for (const [method, body] of [
      ["PATCH", { role: "Viewer" }],
      ["DELETE", undefined],
    ] as const) {
      const answer = await as(owner, method, `/P/members/${owner.email}`, body);
      expect([answer.status, answer.json.detail]).toEqual([422, expect.stringContaining("the only Owner")]);
    }
    expect((await as(owner, "PATCH", `/P/members/${owner.email}`, { role: "Owner" })).status).toBe(200);
  });

  it("are removed, like invitations, and lose their access at once", async () => {
    await invite(admin, ["ann@example.com"]);
    expect((await as(admin, "PATCH", "/P/members/Ann@example.com", { role: "Editor" })).json.data.role).toBe(
      "Editor",
    );
    const viewer = await person("viewer", "Viewer");
    expect((await as(viewer, "GET", "/P/members")).status).toBe(200);
    for (const email of [viewer.email, "ANN@example.com"]) {
      const removed = await as(admin, "DELETE", `/P/members/${email}`);
      expect([removed.status, removed.json]).toEqual([200, { data: { revoked_keys: 0 } }]);
      expect((await as(admin, "DELETE", `/P/members/${email}`)).status).toBe(404);
    }
    expect((await as(viewer, "GET", "/P/members")).status).toBe(404);
    expect(await members()).toHaveLength(2);
    expect(await acts()).toEqual(["member.uninvite", "member.remove", "member.role", "member.invite"]);
  });
});

describe("invitations of a server with mail", () => {
  it("reach people by email, and say when they did not", async () => {
    const smtp = await startSmtpServer();
    const address = readSmtpAddress(`smtp://127.0.0.1:${smtp.port}?from=graphloom@example.com`);
    if (!address) throw new Error("the address is one");
    const accounts = createAccounts(world, { mail: createSmtp(address) });
    const withMail = await startPlatform(database, { parts: [accountsPart(accounts)] });
    const send = async (email: string) => {
      const body = { emails: [email], role: "Editor" };
      const request = { method: "POST", key: owner.token, body };
      return (await withMail.ask(`/projects/${project}/invitations`, request)).json.data[0];
    };
    try {
      const { mailed, link } = await send("ann@example.com");
      const [message] = smtp.received;
      expect([mailed, message?.to]).toEqual([true, ["ann@example.com"]]);
      // Long lines are broken as mail breaks them.
      const text = message?.text.replaceAll("=\r\n", "") ?? "";
      for (const part of ["From: graphloom@example.com", link, owner.email, `Project ${made}`]) {
        expect(text).toContain(part);
      }
      await smtp.close();
      expect(await send("bob@example.com")).toMatchObject({ mailed: false, link: expect.any(String) });
    } finally {
      await withMail.close();
    }
  });
});

describe("mail", () => {
  const messages: Message[] = [];
  let withMail: TestPlatform;
  beforeAll(async () => {
    const mail = { send: async (message: Message) => void messages.push(message) };
    withMail = await startPlatform(database, { parts: [accountsPart(createAccounts(world, { mail }))] });
  });
  afterAll(() => withMail.close());
  beforeEach(async () => {
    messages.length = 0;
    await database.query(SQL`delete from graphloom.mails`);
  });
  const invite = async (who: TestPerson, emails: readonly string[], into = project) => {
    const request = { method: "POST", key: who.token, body: { emails } };
    const answer = await withMail.ask(`/projects/${into}/invitations`, request);
    return answer.json.data.filter(({ mailed }: { mailed: boolean }) => mailed).length as number;
  };
  const strangers = (count: number, name = "stranger") =>
    Array.from({ length: count }, (_, index) => `${name}${index}@example.com`);

  it("of a new project goes to few people a day, of an older one to more; links are always returned", async () => {
    expect(await invite(owner, strangers(30))).toBe(20);
    expect(await members()).toHaveLength(2 + 30);
    expect(await invite(admin, strangers(1, "more"))).toBe(0);
    await database.query(
      SQL`update graphloom.projects set created_at = now() - interval '8 days' where id = $1::text`,
      [project],
    );
    expect(await invite(admin, strangers(5, "later"))).toBe(5);
    expect(messages).toHaveLength(25);
    await database.query(SQL`update graphloom.mails set sent_at = sent_at - interval '1 day'`);
    expect(await invite(admin, strangers(1, "tomorrow"))).toBe(1);
  });

  it("of one person goes to a hundred people a day across all projects", async () => {
    await database.query(SQL`update graphloom.projects set created_at = now() - interval '8 days'`);
    expect(await invite(owner, strangers(50))).toBe(50);
    const other = `other_${made}`;
    await createProject(database, { id: other, name: "Other" });
    await addMember(database, other, owner.id, "Owner");
    await database.query(SQL`update graphloom.projects set created_at = now() - interval '8 days'`);
    expect(await invite(owner, strangers(50, "next"), other)).toBe(50);
    expect(await invite(owner, strangers(1, "last"))).toBe(0);
    expect(await invite(admin, strangers(1, "last"))).toBe(1);
  });

  it("reaches one person only a few times a day, no matter who invites them", async () => {
    const statuses: number[] = [];
    for (let times = 0; times < 5; times++) statuses.push(await invite(owner, ["ann@example.com"]));
    expect(statuses).toEqual([1, 1, 1, 0, 0]);
    expect(await invite(owner, ["bob@example.com"])).toBe(1);
  });

  it("has the project's name in quotes, on one line and in reading order", async () => {
    const name = `Your "bank":\u202e open\u2028 http://evil.example${"x".repeat(60)}`;
    await database.query(SQL`update graphloom.projects set name = $2::text where id = $1::text`, [
      project,
      name,
    ]);
    await invite(owner, ["ann@example.com"]);
    expect(messages[0]?.subject).toBe(
      `Join "Your 'bank': open http://evil.example${"x".repeat(22)}…" on graphloom`,
    );
  });
});

describe("keys", () => {
  it("are shown once, stored as hashes, and can be revoked", async () => {
    const answer = await as(admin, "POST", "/P/api-keys", { name: "deploys", role: "Editor" });
    const { id, key } = answer.json.data;
    expect([answer.status, key, answer.json.data]).toEqual([
      201,
      expect.stringMatching(/^gl_[\w-]{32}$/),
      {
        id,
        key,
        name: "deploys",
        role: "Editor",
        created_at: expect.any(String),
        last_used_at: null,
        revoked_at: null,
        made_by: { id: admin.id, name: admin.email },
      },
    ]);
    expect((await server.ask("/me", { key })).json.data.key).toEqual({ id, name: "deploys" });
    const listed = await as(admin, "GET", "/P/api-keys");
    expect(listed.text).not.toContain(key);
    expect(listed.json.data).toEqual([
      { ...listed.json.data[0], id, last_used_at: expect.any(String), revoked_at: null },
    ]);
    const text = JSON.stringify(await database.query(SQL`select * from graphloom.api_keys`));
    expect(text).toContain(id);
    expect(text).not.toContain(key);
    expect((await as(admin, "DELETE", `/P/api-keys/${id}`)).status).toBe(204);
    expect((await as(admin, "DELETE", `/P/api-keys/${id}`)).status).toBe(404);
    expect((await server.ask("/me", { key })).status).toBe(401);
    expect(await acts()).toEqual(["key.revoke", "key.create"]);
  });

  it("have no role above that of the person who creates or revokes them", async () => {
    const editor = await person("editor", "Editor");
    expect((await as(editor, "POST", "/P/api-keys", { name: "k", role: "Admin" })).status).toBe(403);
    const { id } = (await as(owner, "POST", "/P/api-keys", { name: "k", role: "Owner" })).json.data;
    expect((await as(admin, "DELETE", `/P/api-keys/${id}`)).status).toBe(403);
    expect((await as(owner, "DELETE", `/P/api-keys/${id}`)).status).toBe(204);
  });

  it("end with the membership of their creator, even if created through a key; others stay", async () => {
    const editor = await person("editor", "Editor");
    const make = async (token: string, name: string) =>
      (await as({ token }, "POST", "/P/api-keys", { name, role: "Viewer" })).json.data.key as string;
    const first = (await as(editor, "POST", "/P/api-keys", { name: "own", role: "Editor" })).json.data.key;
    const keys = [first, await make(first, "by a key"), await make(admin.token, "of another")];
    const statuses = () =>
      Promise.all(keys.map(async (token) => (await as({ token }, "GET", "/P/api-keys")).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    const listed = (await as(admin, "GET", "/P/api-keys")).json.data;
    expect(listed.map((each: { made_by: { name: string } }) => each.made_by.name)).toEqual([
      editor.email,
      "own",
      admin.email,
    ]);
    const removed = await as(admin, "DELETE", `/P/members/${editor.email}`);
    expect(removed.json).toEqual({ data: { revoked_keys: 2 } });
    expect(await statuses()).toEqual([401, 401, 200]);
    expect((await as(admin, "POST", "/P/leave")).json.data.revoked_keys).toBe(1);
    expect(await statuses()).toEqual([401, 401, 401]);
    const [last] = await listActs(database, project, { limit: 1 });
    expect(last).toMatchObject({ action: "key.revoke", subject: expect.stringContaining(admin.email) });
  });

  it("never have a higher role than their creator, even after the creator loses a role", async () => {
    const lesser = await person("lesser", "Admin");
    const make = async (role: string, token = lesser.token) =>
      (await as({ token }, "POST", "/P/api-keys", { name: role, role })).json.data.key as string;
    const own = await make("Admin");
    const keys = [own, await make("Editor", own), await make("Viewer"), await make("Admin", admin.token)];
    const roles = () =>
      Promise.all(keys.map(async (key) => (await server.ask("/me", { key })).json.data.role as string));
    expect(await roles()).toEqual(["Admin", "Editor", "Viewer", "Admin"]);
    expect((await as(owner, "PATCH", `/P/members/${lesser.email}`, { role: "Viewer" })).status).toBe(200);
    expect(await roles()).toEqual(["Viewer", "Viewer", "Viewer", "Admin"]);
    const acts = (await listActs(database, project, { limit: 3 })).map(({ action }) => action);
    expect(acts.sort()).toEqual(["key.role", "key.role", "member.role"]);
    // A higher role for the creator does not raise the roles of keys again.
    await as(owner, "PATCH", `/P/members/${lesser.email}`, { role: "Owner" });
    expect(await roles()).toEqual(["Viewer", "Viewer", "Viewer", "Admin"]);
  });

  it("of a different project stay when their creator is removed from this one", async () => {
    const other = `other_${made}`;
    await createProject(database, { id: other, name: "Other" });
    const both = await addPerson(database, `both.${made}@example.com`, {
      [project]: "Editor",
      [other]: "Owner",
    });
    const path = `/projects/${other}/api-keys`;
    const { key } = (await as(both, "POST", path, { name: "k", role: "Viewer" })).json.data;
    await as(owner, "DELETE", `/P/members/${both.email}`);
    expect((await server.ask("/me", { key })).status).toBe(200);
  });

  it("cannot be revoked if they are the last Owner access to the project", async () => {
    const { data } = (await server.ask("/me")).json;
    const path = `/projects/${server.project}/api-keys/${data.key.id}`;
    const last = await server.ask(path, { method: "DELETE" });
    expect([last.status, last.json.detail]).toEqual([422, expect.stringContaining("last Owner key")]);
  });

  it("of a different project cannot be found", async () => {
    const { id } = (await as(owner, "POST", "/P/api-keys", { name: "k", role: "Viewer" })).json.data;
    const path = `/projects/${server.project}/api-keys/${id}`;
    expect((await server.ask(path, { method: "DELETE" })).status).toBe(404);
  });
});

describe("the audit log", () => {
  it("shows Admins the actions of members, newest first and in pages", async () => {
    await as(owner, "PATCH", "/P", { name: "One" });
    await as(admin, "PATCH", "/P", { name: "Two" });
    const first = (await as(admin, "GET", "/P/audit?limit=1")).json.data;
    expect(first).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        at: expect.stringMatching(/^\d{4}-/),
        actor: { id: admin.id, name: admin.email },
        action: "project.rename",
        subject: "Two",
        address: "127.0.0.1",
      },
    ]);
    const older = (await as(admin, "GET", `/P/audit?before=${first[0].id}`)).json.data;
    expect(older.map((act: { subject: string }) => act.subject)).toEqual(["One"]);
    for (const query of [
      "limit=0",
      "limit=201",
      "limit=x",
      "before=x",
      "before=-1",
      "by=",
      "from=yesterday",
      "to=2026-13-01",
      "from=2026-01-01T00:00",
      "from=2026-02-30",
      "to=2026-02-30T00:00:00Z",
    ]) {
      expect([query, (await as(admin, "GET", `/P/audit?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it("can be filtered by member, action, object and time", async () => {
    const note = (at: string, name: string, action: string, subject: string) =>
      database.query(
        SQL`insert into graphloom.audit (project, actor, actor_name, action, subject, at)
          values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::timestamptz)`,
        [project, `user_${name}`, `${name}@Example.com`, action, subject, at],
      );
    await note("2020-05-01T23:59:59.9Z", "ann", "secret.create", "Ware_HOUSE");
    await note("2020-05-02T00:00:00Z", "bob", "secret.reveal", "Ware_HOUSE");
    await note("2020-05-02T23:59:59.9Z", "ann", "secrets.none", "other%");
    const found = async (query: Record<string, string>) => {
      const path = `/P/audit?${new URLSearchParams({ to: "2020-12-31", ...query })}`;
      const { json } = await as(admin, "GET", path);
      return json.data.map(({ actor, action }: { actor: { name: string }; action: string }) => [
        actor.name.slice(0, 3),
        action,
      ]);
    };
    const [created, revealed, other] = [
      ["ann", "secret.create"],
      ["bob", "secret.reveal"],
      ["ann", "secrets.none"],
    ];
    expect(await found({})).toEqual([other, revealed, created]);
    expect(await found({ by: "ANN@" })).toEqual([other, created]);
    expect(await found({ by: "user_bob" })).toEqual([revealed]);
    expect(await found({ action: "secret" })).toEqual([revealed, created]);
    expect(await found({ action: "secret.create" })).toEqual([created]);
    expect(await found({ subject: "ware_house" })).toEqual([revealed, created]);
    // Characters that databases give a meaning have none here.
    expect(await found({ subject: "%" })).toEqual([other]);
    expect(await found({ from: "2020-05-02" })).toEqual([other, revealed]);
    expect(await found({ to: "2020-05-01" })).toEqual([created]);
    expect(await found({ from: "2020-05-02", to: "2020-05-02" })).toEqual([other, revealed]);
    expect(await found({ from: "2020-05-02T01:00:00+01:00", to: "2020-05-02T00:00:01Z" })).toEqual([
      revealed,
    ]);
    expect(await found({ from: "0000-01-01", by: "ann", action: "secret" })).toEqual([created]);
  });
});

describe("the login of a command line", () => {
  const verifier = "v".repeat(50);
  const redirectUri = "http://127.0.0.1:4711/callback";
  const request = {
    client: commandLine,
    redirectUri,
    challenge: createHash("sha256").update(verifier).digest("base64url"),
    state: "",
  };
  const exchange = (code: string, changed: Readonly<Record<string, unknown>> = {}) =>
    server.ask("/auth/token", {
      method: "POST",
      key: undefined,
      body: {
        grant_type: "authorization_code",
        code,
        code_verifier: verifier,
        client_id: commandLine,
        redirect_uri: redirectUri,
        ...changed,
      },
    });

  it("exchanges a code for a token, which logging out ends", async () => {
    const { status, json, headers } = await exchange(await grantCode(database, owner, request));
    const { id, email, name } = owner;
    expect([status, headers.get("cache-control"), json.data]).toEqual([
      200,
      "no-store",
      {
        token: expect.stringMatching(/^glu_[\w-]{32}$/),
        expires_at: expect.stringMatching(/^\d{4}-/),
        user: { id, email, name },
        projects: [{ id: project, name: `Project ${made}`, role: "Owner" }],
      },
    ]);
    const token = { token: json.data.token };
    expect((await as(token, "GET", "/me")).status).toBe(200);
    expect((await as(token, "DELETE", "/auth/token")).status).toBe(204);
    expect((await as(token, "GET", "/me")).status).toBe(401);
    expect((await as(owner, "GET", "/me")).status).toBe(200);
    const byKey = await server.ask("/auth/token", { method: "DELETE" });
    expect(byKey.status).toBe(403);
  });

  it("ends the token of a code that is used a second time", async () => {
    const code = await grantCode(database, owner, request);
    const { token } = (await exchange(code)).json.data;
    const second = await exchange(code);
    expect([second.status, (await as({ token }, "GET", "/me")).status]).toEqual([400, 401]);
  });

  it("rejects a code that has expired", async () => {
    const code = await grantCode(database, owner, request);
    await database.query(
      SQL`update graphloom.authorization_codes set expires_at = now() where used_at is null`,
    );
    expect((await exchange(code)).status).toBe(400);
  });

  it.each([
    ["a different client", { client: "other" }],
    ["a different address", { redirectUri: "http://127.0.0.1:4712/callback" }],
    ["a different verifier", { verifier: "w".repeat(50) }],
  ])("rejects %s, and then the code is used up", async (_, changed) => {
    const code = await grantCode(database, owner, request);
    const right = { code, client: commandLine, redirectUri, verifier, address: "127.0.0.1" };
    await expect(exchangeCode(database, { ...right, ...changed })).rejects.toThrow("Log in again");
    await expect(exchangeCode(database, right)).rejects.toThrow("Log in again");
  });

  it("describes how people sign in", async () => {
    const answer = await server.ask("/auth", { key: undefined });
    expect(answer.json).toEqual({ data: { password: true, sign_up: "invited" } });
  });

  it("limits the number of attempts", async () => {
    for (let tries = 0; tries < 30; tries++) await exchange("glc_wrong");
    const answer = await exchange("glc_wrong");
    expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([429, true]);
  });
});
