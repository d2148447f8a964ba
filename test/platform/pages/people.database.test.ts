import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { listActs } from "../../../src/platform/people/audit.js";
import { exchangeCode } from "../../../src/platform/people/authorization.js";
import type { Message } from "../../../src/platform/people/mail/mail.js";
import { listMembers } from "../../../src/platform/people/members.js";
import { createPasswords } from "../../../src/platform/people/passwords/passwords.js";
import { findTokenSession } from "../../../src/platform/people/sign-in/sessions.js";
import { SQL } from "../../../src/store/database/database.js";
import { onEither, world } from "../../support/database/databases.js";
import { startPages } from "./harness.js";

const databases = onEither();
let pages: Awaited<ReturnType<typeof startPages>>;
/** Milliseconds added to the clock, so that the limits of one test do not affect the next. */
let later = 0;

const messages: Message[] = [];

beforeAll(async () => {
  const passwords = createPasswords(2 ** 10);
  const mail = { send: async (message: Message) => void messages.push(message) };
  const accounts = createAccounts({ now: () => world.now() + later }, { passwords, mail });
  pages = await startPages(await databases.fresh(), { accounts });
  await makeOwner("root@example.com");
});
afterAll(() => pages.stop());
beforeEach(() => {
  later += 3_600_000;
});

const password = "correct horse battery";
const ask = (path: string, cookie = "", init: RequestInit = {}) =>
  fetch(pages.address + path, { redirect: "manual", ...init, headers: { cookie, ...init.headers } });
const send = (path: string, cookie: string, fields: Record<string, string>, headers = {}) =>
  ask(path, cookie, { method: "POST", body: new URLSearchParams(fields), headers });
const cookieOf = (answer: Response) => (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
const withKey = async (key: string) => cookieOf(await send("/sign-in", "", { key }));
const withPassword = (email: string, given = password) => send("/sign-in", "", { email, password: given });
const signedIn = async (email: string) => cookieOf(await withPassword(email));

async function makeOwner(email: string): Promise<string> {
  const answer = await send("/account", await withKey("gl_owner"), { email, name: "Root", password });
  return cookieOf(answer);
}

/** Invites somebody as the Owner. @returns the path of the link */
async function invite(email: string, role: string): Promise<string> {
  return linkOf(await signedIn("root@example.com"), email, role);
}

/** Invites somebody in a session. @returns the path of the link */
async function linkOf(cookie: string, email: string, role: string): Promise<string> {
  await send("/members/invite", cookie, { emails: email, role });
  const page = await (await ask("/members", cookie)).text();
  return /\/invitations\/gli_[\w-]{32}/.exec(page)?.[0] ?? "";
}

async function join(email: string, role: string): Promise<string> {
  const link = await invite(email, role);
  return cookieOf(await send(`${link}/account`, "", { name: email.split("@")[0] ?? "", password }));
}

describe("an account", () => {
  it("is created only with the API key of an Owner", async () => {
    const fields = { email: "New@Example.com", name: "New", password };
    expect(await (await ask("/account", await withKey("gl_owner"))).text()).toContain("Create your account");
    for (const key of ["gl_editor", "gl_viewer"]) {
      const cookie = await withKey(key);
      const page = await (await ask("/account", cookie)).text();
      expect([page, page]).toEqual([
        expect.stringContaining("You signed in with the API key"),
        expect.not.stringContaining("Create your account"),
      ]);
      expect((await send("/account", cookie, fields)).status).toBe(403);
    }
    const answer = await send("/account", await withKey("gl_owner"), { ...fields, next: "/keys" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/keys"]);
    expect(answer.headers.get("set-cookie")).toMatch(/=gls_[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict/);
    expect(await (await ask("/account", cookieOf(answer))).text()).toContain("new@example.com");
    const member = (await listMembers(pages.platform.database, "project_1")).at(-1);
    expect([member?.email, member?.role]).toEqual(["new@example.com", "Owner"]);
    const again = await send("/account", await withKey("gl_owner"), fields);
    expect(again.status).toBe(409);
    const kept = JSON.stringify(await pages.platform.database.query(SQL`select * from graphloom.users`));
    expect(kept).not.toContain(password);
    expect(kept).toContain("scrypt$1024$8$1$");
  });

  it.each([
    ["short"],
    ["x".repeat(11)],
    ["💧".repeat(6)],
    ["x".repeat(1_025)],
  ])("is refused with the password %j", async (given) => {
    const link = await invite("weak@example.com", "Viewer");
    const answer = await send(`${link}/account`, "", { name: "Weak", password: given });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining("must have 12 to 1024 characters"),
    ]);
  });

  it("gets a new password only with the old one, which signs out all other sessions", async () => {
    const cookie = await join("changing@example.com", "Viewer");
    const change = (old: string) => send("/account/password", cookie, { old, new: "another horse battery" });
    expect((await change("wrong horse battery")).status).toBe(403);
    const changed = await change(password);
    expect(changed.status).toBe(303);
    expect((await ask("/", cookie)).status).toBe(303);
    expect((await ask("/", cookieOf(changed))).status).toBe(200);
    expect((await withPassword("changing@example.com")).status).toBe(401);
  });
});

/** Requests a link to set a new password. @returns the path of the link in the mail */
async function linkFor(email: string): Promise<string> {
  messages.length = 0;
  await send("/password", "", { email });
  await expect.poll(() => messages.at(-1)?.to).toBe(email);
  return /\/password\/glp_[\w-]{32}/.exec(messages.at(-1)?.text ?? "")?.[0] ?? "";
}

describe("a forgotten password", () => {
  it("is replaced once through a mailed link, without revealing whether the account exists", async () => {
    const cookie = await join("forgetful@example.com", "Viewer");
    messages.length = 0;
    const texts = [];
    for (const email of ["nobody@example.com", "no address", "forgetful@example.com"]) {
      const answer = await send("/password", "", { email });
      texts.push([answer.status, await answer.text()]);
    }
    expect(new Set(texts.map(String)).size).toBe(1);
    await expect.poll(() => messages.map(({ to }) => to)).toEqual(["forgetful@example.com"]);
    const path = /\/password\/glp_[\w-]{32}/.exec(messages[0]?.text ?? "")?.[0] ?? "";
    expect((await send(path, "", { password: "short" })).status).toBe(400);
    const answer = await send(path, "", { password: "another horse battery" });
    expect(answer.status).toBe(303);
    expect((await ask("/", cookieOf(answer))).status).toBe(200);
    expect((await ask("/", cookie)).status).toBe(303);
    expect((await send(path, "", { password: "a third horse battery" })).status).toBe(404);
    expect((await withPassword("forgetful@example.com", "another horse battery")).status).toBe(303);
  });

  it("has at most three valid links at a time, for any number of requests", async () => {
    await join("target@example.com", "Viewer");
    const first = await linkFor("target@example.com");
    for (let times = 0; times < 6; times++) await send("/password", "", { email: "target@example.com" });
    await linkFor("root@example.com");
    const { database } = pages.platform;
    const mails = SQL`select 1 from graphloom.mails where recipient = 'target@example.com' and kind = 'password'`;
    await expect.poll(async () => (await database.query(mails)).length).toBe(3);
    expect((await send(first, "", { password: "another horse battery" })).status).toBe(303);
  });

  it("has no valid link once the password was changed in any way", async () => {
    const cookie = await join("careful@example.com", "Viewer");
    const paths = [await linkFor("careful@example.com"), await linkFor("careful@example.com")];
    const next = "another horse battery";
    expect((await send("/account/password", cookie, { old: password, new: next })).status).toBe(303);
    for (const path of paths) {
      expect((await send(path, "", { password: "a third horse battery" })).status).toBe(404);
    }
    expect((await withPassword("careful@example.com", next)).status).toBe(303);
  });

  it("is not replaced through an expired link", async () => {
    await send("/password", "", { email: "root@example.com" });
    await expect.poll(() => messages.at(-1)?.to).toBe("root@example.com");
    await pages.platform.database.query(SQL`update graphloom.password_resets set expires_at = now()`);
    const path = /\/password\/glp_[\w-]{32}/.exec(messages.at(-1)?.text ?? "")?.[0] ?? "";
    expect((await send(path, "", { password: "another horse battery" })).status).toBe(404);
    expect((await withPassword("root@example.com")).status).toBe(303);
  });
});

describe("signing in", () => {
  it("answers the same for an unknown email address as for a wrong password", async () => {
    const [wrong, unknown, none] = await Promise.all([
      withPassword("root@example.com", "wrong horse battery"),
      withPassword("nobody@example.com"),
      withPassword("not an address"),
    ]);
    const texts = await Promise.all([wrong, unknown, none].map((answer) => answer?.text()));
    expect([wrong, unknown, none].map((answer) => answer?.status)).toEqual([401, 401, 401]);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain("Wrong email address or password.");
  });

  it("allows ten wrong attempts for one email address, known or unknown", async () => {
    for (const email of ["root@example.com", "nobody@example.com"]) {
      for (let tries = 0; tries < 10; tries++) await withPassword(email, "wrong horse battery");
      const answer = await withPassword(email.toUpperCase());
      expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([429, true]);
    }
  });

  it("allows thirty wrong attempts from one network", async () => {
    const tries = Array.from({ length: 31 }, (_, index) => send("/sign-in", "", { key: `gl_${index}` }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  it("ends with a sign-out, also for copies of the cookie", async () => {
    const cookie = await signedIn("root@example.com");
    expect((await ask("/", cookie)).status).toBe(200);
    await send("/sign-out", cookie, {}, { "sec-fetch-site": "cross-site" });
    expect((await ask("/", cookie)).status).toBe(200);
    await send("/sign-out", cookie, {});
    expect((await ask("/", cookie)).status).toBe(303);
  });

  it("with an API key ends when its holder signs out, the key is revoked or the session expires", async () => {
    const [copied, other] = [await withKey("gl_viewer"), await withKey("gl_viewer")];
    expect(copied).toMatch(/=gls_[\w-]{32}$/);
    expect((await ask("/keys", copied)).status).toBe(200);
    await send("/sign-out", copied, {});
    expect((await ask("/keys", copied)).status).toBe(303);
    expect((await ask("/keys", other)).status).toBe(200);
    await send("/keys/viewer/revoke", await withKey("gl_owner"), {});
    expect((await ask("/keys", other)).status).toBe(303);
    const { database } = pages.platform;
    const owner = await withKey("gl_owner");
    await database.query(SQL`update graphloom.sessions set expires_at = now() where api_key is not null`);
    expect((await ask("/keys", owner)).status).toBe(303);
  });

  it("lists the sessions of a person with their places, and ends one or all of them", async () => {
    const cookie = await join("roaming@example.com", "Viewer");
    const other = await signedIn("roaming@example.com");
    const code = await allow(cookie, {});
    const { token } = await exchangeCode(pages.platform.database, { ...exchange, code });
    const page = await (await ask("/account", cookie)).text();
    const ends = [...page.matchAll(/\/account\/sessions\/session_\w+\/end/g)].map(([path]) => path);
    expect([ends.length, page.match(/this session/g)?.length]).toEqual([2, 1]);
    for (const part of ["Command line", "Browser", "127.0.0.1"]) expect(page).toContain(part);
    const stranger = await signedIn("root@example.com");
    for (const path of ends) expect((await send(path, stranger, {})).status).toBe(404);
    expect((await ask("/", other)).status).toBe(200);
    for (const path of ends) expect((await send(path, cookie, {})).status).toBe(303);
    expect((await ask("/", other)).status).toBe(303);
    expect(await findTokenSession(pages.platform.database, token)).toBeUndefined();
    const again = await signedIn("roaming@example.com");
    expect((await send("/account/sign-out", again, {})).headers.get("location")).toBe("/sign-in");
    expect([(await ask("/", again)).status, (await ask("/", cookie)).status]).toEqual([303, 303]);
    expect((await ask("/", stranger)).status).toBe(200);
  });

  it("continues to a page of this server only, also with a session from before", async () => {
    const cookie = await signedIn("root@example.com");
    const from = async (next: string) =>
      (await ask(`/sign-in?next=${encodeURIComponent(next)}`, cookie)).headers.get("location");
    expect(await from("/keys")).toBe("/keys");
    expect(await from("//evil.example")).toBeNull();
    expect(await from("/\t/evil.example")).toBeNull();
  });

  it("accepts no token of a command line as a cookie, and no cookie as a token", async () => {
    const cookie = await signedIn("root@example.com");
    const changed = cookie.replace("=gls_", "=glu_");
    expect((await ask("/", changed)).status).toBe(303);
    const code = await allow(cookie, {});
    const { token } = await exchangeCode(pages.platform.database, { ...exchange, code });
    expect((await ask("/", `graphloom_session=${token}`)).status).toBe(303);
  });
});

describe("an invitation", () => {
  it("shows its link once, after the form was sent, and only to the sender's session", async () => {
    const cookie = await signedIn("root@example.com");
    const fields = { emails: "once@example.com, twice@example.com", role: "Viewer" };
    const answer = await send("/members/invite", cookie, fields);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/members"]);
    expect(await (await ask("/keys", cookie)).text()).not.toContain("gli_");
    const other = await signedIn("root@example.com");
    expect(await (await ask("/members", other)).text()).not.toContain("gli_");
    const first = await (await ask("/members", cookie)).text();
    expect(first.match(/\/invitations\/gli_[\w-]{32}/g)).toHaveLength(2);
    const second = await (await ask("/members", cookie)).text();
    expect([second, second]).toEqual([
      expect.stringContaining("once@example.com"),
      expect.not.stringContaining("gli_"),
    ]);
  });

  it("lets a person create an account and join, once", async () => {
    const link = await invite("ann@example.com", "Editor");
    const page = await (await ask(link)).text();
    expect(page).toContain("ann@example.com is invited to join as Editor");
    const fields = { name: "Ann <b>", password };
    const foreign = await send(`${link}/account`, "", fields, { "sec-fetch-site": "cross-site" });
    expect(foreign.status).toBe(403);
    const joined = await send(`${link}/account`, "", fields);
    expect([joined.status, joined.headers.get("location")]).toEqual([303, "/"]);
    expect(await (await ask("/members", cookieOf(joined))).text()).toContain("Ann &#60;b&#62;");
    expect((await ask(link)).status).toBe(404);
    expect((await send(`${link}/account`, "", { name: "Eve", password })).status).toBe(404);
    const acts = await listActs(pages.platform.database, "project_1", { limit: 1 });
    expect(acts[0]).toMatchObject({ action: "member.join", subject: "ann@example.com as Editor" });
    const lines = pages.logged.join("");
    expect(lines).toContain("/invitations/:token/account");
    expect(lines).not.toContain(link);
  });

  it("lets a person with an account join after signing in", async () => {
    const other = await send("/projects", await signedIn("root@example.com"), { name: "Second" });
    expect(other.status).toBe(303);
    const cookie = await join("bob@example.com", "Viewer");
    const link = await invite("bob@example.com", "Viewer");
    expect(link).toBe("");
    const path = await linkOf(await shown("root@example.com", "Second"), "bob@example.com", "Admin");
    expect((await send(`${path}/join`, "", {})).status).toBe(401);
    // Without a sign-in, the page does not reveal whether the account exists.
    expect(await (await ask(path)).text()).toContain("Already have an account?");
    expect((await send(`${path}/account`, "", { name: "Eve", password })).status).toBe(409);
    expect((await ask(path)).status).toBe(200);
    expect((await send(`${path}/join`, cookie, {})).status).toBe(303);
    const members = await (await ask("/members", cookie)).text();
    expect(members).toContain("bob@example.com");
    expect(await (await ask("/projects", cookie)).text()).toContain("Second");
  });

  it("is unknown after it was withdrawn or has expired", async () => {
    const link = await invite("late@example.com", "Viewer");
    const cookie = await signedIn("root@example.com");
    await send("/members/remove", cookie, { email: "late@example.com" });
    expect((await ask(link)).status).toBe(404);
    const second = await invite("late@example.com", "Viewer");
    await pages.platform.database.query(SQL`update graphloom.invitations set expires_at = now()`);
    expect((await ask(second)).status).toBe(404);
    expect((await send(`${second}/account`, "", { name: "Late", password })).status).toBe(404);
  });
});

/** Signs a person in and selects one of their projects. @returns the cookie */
async function shown(email: string, name: string): Promise<string> {
  const cookie = await signedIn(email);
  const page = await (await ask("/projects", cookie)).text();
  const path = new RegExp(
    `action="(/projects/[^"]*/show)"><button class="plain" aria-label="Select ${name}"`,
  ).exec(page);
  if (path?.[1] !== undefined) await send(path[1], cookie, {});
  return cookie;
}

describe("the pages of a project", () => {
  it("show only projects that the person belongs to", async () => {
    const cookie = await join("eve@example.com", "Viewer");
    expect((await send("/projects/project_2/show", cookie, {})).status).toBe(404);
    expect((await send("/projects", cookie, { name: "Eve's" })).status).toBe(303);
    expect(await (await ask("/", cookie)).text()).toContain("No subgraphs yet");
    await send("/projects/name", cookie, { name: "Eve's own" });
    expect(await (await ask("/projects", cookie)).text()).toContain("Eve&#39;s own");
    expect((await send("/projects/leave", cookie, {})).status).toBe(422);
    await send("/projects/project_1/show", cookie, {});
    expect(await (await ask("/", cookie)).text()).toContain("pools/1.0.0");
    expect((await send("/projects/leave", cookie, {})).status).toBe(303);
    expect(await (await ask("/", cookie)).text()).toContain("No subgraphs yet");
  });

  it("lead a person without a project to the form that creates one", async () => {
    const cookie = await join("lonely@example.com", "Viewer");
    await send("/projects/leave", cookie, {});
    expect((await ask("/keys", cookie)).headers.get("location")).toBe("/projects");
    expect(await (await ask("/projects", cookie)).text()).toContain("do not belong to a project yet");
    expect((await send("/projects", cookie, { name: "Mine" })).status).toBe(303);
    expect((await ask("/keys", cookie)).status).toBe(200);
  });

  it("let only Admins and Owners manage members", async () => {
    const viewer = await join("viewer@example.com", "Viewer");
    const admin = await join("admin@example.com", "Admin");
    const page = await (await ask("/members", viewer)).text();
    expect([page, page]).toEqual([
      expect.stringContaining("admin@example.com"),
      expect.not.stringContaining("/members/"),
    ]);
    expect(await (await ask("/members", admin)).text()).toContain("/members/remove");
    for (const path of ["/members/invite", "/members/role", "/members/remove"]) {
      expect((await send(path, viewer, {})).status).toBe(403);
    }
    expect((await ask("/audit", viewer)).status).toBe(403);
    const changed = await send("/members/role", admin, { email: "viewer@example.com", role: "Editor" });
    expect(changed.status).toBe(303);
    expect((await send("/members/role", admin, { email: "root@example.com", role: "Viewer" })).status).toBe(
      403,
    );
    expect((await send("/members/role", admin, { email: "admin@example.com", role: "Owner" })).status).toBe(
      403,
    );
    expect((await send("/members/invite", admin, { emails: "a@b.de, no", role: "Viewer" })).status).toBe(400);
    expect((await send("/members/remove", admin, { email: "viewer@example.com" })).status).toBe(303);
    expect((await ask("/members", viewer)).headers.get("location")).toBe("/projects");
    const audit = await (await ask("/audit", admin)).text();
    for (const part of ["member.remove", "viewer@example.com", "admin@example.com", "127.0.0.1"]) {
      expect(audit).toContain(part);
    }
    const filtered = await (await ask("/audit?action=member.role&subject=viewer@", admin)).text();
    const [, table = ""] = filtered.split("<tbody>");
    expect(table).toContain("viewer@example.com to Editor");
    expect(table).not.toContain("member.remove");
    const odd = await (await ask("/audit?subject=what?no&from=2026-11-27T08:30:00Z", admin)).text();
    expect(odd).toContain('name="subject" value="what?no"');
    // A field for days would drop a time, and the next search with it.
    expect(odd).toContain('type="text" name="from" value="2026-11-27T08:30:00Z"');
    // A script shows times in the reader's zone, which is not that of the days here.
    for (const label of ["From (UTC)", "To (UTC)"]) expect(odd).toContain(label);
    const none = await (await ask("/audit?by=nobody", admin)).text();
    expect(none).toContain("No action matches.");
    expect((await ask("/audit?from=x", admin)).status).toBe(400);
    const file = await ask("/audit.csv?action=member.role", admin);
    expect([file.status, file.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(await file.text()).toMatch(
      /^id,time,actor_id,actor,action,subject,ip_address\r\n\d+,\d{4}-[^,]*,user_\w+,admin@example\.com,member\.role,viewer@example\.com to Editor,127\.0\.0\.1\r\n$/,
    );
    await pages.platform.database.query(
      SQL`insert into graphloom.audit (project, actor, actor_name, action, subject)
        select project, actor, actor_name, 'member.many', subject
        from (select * from graphloom.audit where action = 'member.role' limit 1) one, generate_series(1, 10001)`,
    );
    expect((await ask("/audit.csv?action=member.many", admin)).status).toBe(422);
  });
});

const verifier = "v".repeat(64);
const asked = {
  client_id: "graphloom-cli",
  redirect_uri: "http://127.0.0.1:4711/callback",
  code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  code_challenge_method: "S256",
  state: "a b&c",
};
const exchange = {
  client: "graphloom-cli",
  redirectUri: asked.redirect_uri,
  verifier,
  address: "127.0.0.1",
};

/** Allows the login of a command line. @returns the code for it */
async function allow(cookie: string, changed: Record<string, string>): Promise<string> {
  const answer = await send("/authorize", cookie, { ...asked, ...changed });
  const location = answer.headers.get("location");
  if (location !== null) return new URL(location).searchParams.get("code") ?? "";
  return /glc_[\w-]{32}/.exec(await answer.text())?.[0] ?? "";
}

describe("the login of a command line", () => {
  const page = (changed: Record<string, string> = {}) =>
    `/authorize?${new URLSearchParams({ ...asked, ...changed })}`;

  it("is allowed on a page, which redirects back with a code", async () => {
    const unknown = await ask(page());
    expect(unknown.headers.get("location")).toBe(`/sign-in?next=${encodeURIComponent(page())}`);
    const cookie = await signedIn("root@example.com");
    const shownPage = await ask(page(), cookie);
    expect(shownPage.headers.get("content-security-policy")).toContain(
      "form-action 'self' http://127.0.0.1:4711;",
    );
    expect(await shownPage.text()).toContain("root@example.com");
    const foreign = await send("/authorize", cookie, asked, { "sec-fetch-site": "cross-site" });
    expect(foreign.status).toBe(403);
    const answer = await send("/authorize", cookie, asked);
    const back = new URL(answer.headers.get("location") ?? "");
    expect([answer.status, back.origin, back.pathname, back.searchParams.get("state")]).toEqual([
      303,
      "http://127.0.0.1:4711",
      "/callback",
      "a b&c",
    ]);
    const code = back.searchParams.get("code") ?? "";
    const issued = await exchangeCode(pages.platform.database, { ...exchange, code });
    expect(issued.user.email).toBe("root@example.com");
  });

  it("shows the code to copy when it cannot redirect", async () => {
    const redirectUri = "urn:ietf:wg:oauth:2.0:oob";
    const code = await allow(await signedIn("root@example.com"), { redirect_uri: redirectUri });
    const issued = await exchangeCode(pages.platform.database, { ...exchange, redirectUri, code });
    expect(issued.user.email).toBe("root@example.com");
  });

  it("requires an account, not an API key", async () => {
    const cookie = await withKey("gl_owner");
    expect(await (await ask(page(), cookie)).text()).toContain("/account?next=");
    expect((await send("/authorize", cookie, asked)).status).toBe(401);
  });

  it.each([
    ["an unknown client", { client_id: "other" }],
    ["a foreign site", { redirect_uri: "https://evil.example/callback" }],
    ["a host name of this machine", { redirect_uri: "http://localhost:4711/callback" }],
    [
      "a host that starts like this machine's address",
      { redirect_uri: "http://127.0.0.1:4711.evil.example/" },
    ],
    ["an impossible port", { redirect_uri: "http://127.0.0.1:99999/callback" }],
    ["a user name before a foreign host", { redirect_uri: "http://127.0.0.1:80@evil.example/" }],
    ["a plain challenge", { code_challenge_method: "plain" }],
    ["no challenge", { code_challenge: "" }],
  ])("is refused without a redirect for %s", async (_, changed) => {
    const cookie = await signedIn("root@example.com");
    for (const answer of [
      await ask(page(changed), cookie),
      await send("/authorize", cookie, { ...asked, ...changed }),
    ]) {
      expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    }
  });
});
