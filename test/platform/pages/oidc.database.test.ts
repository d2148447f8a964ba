import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { endInvitation, invite } from "../../../src/platform/people/invitations.js";
import type { Message } from "../../../src/platform/people/mail/mail.js";
import { listMembers } from "../../../src/platform/people/members.js";
import { createOidc } from "../../../src/platform/people/oidc.js";
import { createPasswords } from "../../../src/platform/people/passwords/passwords.js";
import { beginSession } from "../../../src/platform/people/sign-in/sessions.js";
import { addUser, findUserByEmail } from "../../../src/platform/people/users.js";
import type { Database } from "../../../src/store/database/database.js";
import { onEither, world } from "../../support/database/databases.js";
import {
  type Claims,
  clientId,
  clientSecret,
  type OidcProvider,
  startOidcProvider,
} from "../../support/server/oidc-provider.js";
import { startPages } from "./harness.js";

const databases = onEither();
let database: Database;
let provider: OidcProvider;
let pages: Awaited<ReturnType<typeof startPages>>;
let later = 0;
let made = 0;
const messages: Message[] = [];

beforeAll(async () => {
  provider = await startOidcProvider();
  database = await databases.fresh();
  const accounts = createAccounts(
    { now: () => world.now() + later },
    {
      passwords: createPasswords(2 ** 4),
      mail: { send: async (message: Message) => void messages.push(message) },
      oidc: createOidc({ issuer: provider.issuer, clientId, clientSecret, world }),
    },
  );
  pages = await startPages(database, { accounts });
});
afterAll(async () => {
  await pages.stop();
  await provider.close();
});
beforeEach(() => {
  later += 3_600_000;
  made += 1;
});

const ask = (address: string, cookie = "") =>
  fetch(address.startsWith("/") ? pages.address + address : address, {
    redirect: "manual",
    headers: { cookie },
  });
const cookiesOf = (answer: Response) =>
  answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");

/** Starts a sign-in. */
async function begin(next = "/") {
  const answer = await ask(`/sign-in/oidc?next=${encodeURIComponent(next)}`);
  return {
    address: answer.headers.get("location") ?? "",
    cookie: cookiesOf(answer)[0] ?? "",
    set: answer.headers.get("set-cookie") ?? "",
  };
}

/** Signs in somebody who has an account with the provider. */
async function signIn(claims: Claims, changed?: Claims): Promise<Response> {
  const { address, cookie } = await begin();
  return ask(provider.signIn(address, claims, changed), cookie);
}

const claimsOf = (name: string): Claims => ({
  sub: `${name}-${made}`,
  email: `${name}.${made}@example.com`,
  email_verified: true,
  name,
});
const emailOf = (name: string) => `${name}.${made}@example.com`;
const invited = (name: string, role: "Editor" | "Viewer" = "Editor") =>
  invite(database, { project: "project_1", email: emailOf(name), role });

describe("a sign-in through a provider", () => {
  it("lets an invited person join, and recognizes them afterwards", async () => {
    await invited("ann");
    const { address, cookie, set } = await begin("/members");
    expect(set).toMatch(/; Path=\/sign-in\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/);
    const answer = await ask(provider.signIn(address, claimsOf("ann")), cookie);
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining('http-equiv="refresh" content="0;url=/members"'),
    ]);
    const session = cookiesOf(answer).find((each) => each.startsWith("graphloom_session=")) ?? "";
    expect(await (await ask("/members", session)).text()).toContain(emailOf("ann"));
    const member = (await listMembers(database, "project_1")).at(-1);
    expect([member?.email, member?.name, member?.role]).toEqual([emailOf("ann"), "ann", "Editor"]);
    // The same person with a new email address, which nobody has invited.
    const again = await signIn({ ...claimsOf("ann"), email: "elsewhere@example.com" });
    expect(again.status).toBe(200);
  });

  it("is refused to people without an open invitation", async () => {
    const answer = await signIn(claimsOf("stranger"));
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining("has not been invited"),
    ]);
    const { id } = await invited("late");
    await endInvitation(database, id);
    expect((await signIn(claimsOf("late"))).status).toBe(403);
  });

  it.each([
    [false],
    [undefined],
    ["true"],
  ])("is refused when the provider says %j about whether the email address is verified", async (isVerified) => {
    await invited("bob");
    const answer = await signIn({ ...claimsOf("bob"), email_verified: isVerified });
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("Verify it there")]);
    expect(await findUserByEmail(database, emailOf("bob"))).toBeUndefined();
  });

  it("takes over an account that an attacker may have created with the email address", async () => {
    const user = { id: `user_${made}`, email: emailOf("carl"), name: "Carl" };
    await addUser(database, user, { passwordHash: "scrypt$16$8$1$AAAA$AAAA" });
    const { token } = await beginSession(database, user.id, "browser");
    expect((await signIn(claimsOf("carl"))).status).toBe(200);
    expect((await findUserByEmail(database, user.email))?.passwordHash).toBeUndefined();
    expect((await ask("/projects", `graphloom_session=${token}`)).status).toBe(303);
    const other = await signIn({ ...claimsOf("carl"), sub: "somebody else" });
    expect([other.status, await other.text()]).toEqual([
      403,
      expect.stringContaining("a different identity"),
    ]);
  });
});

describe("a person who signs in only through a provider", () => {
  const send = (path: string, fields: Record<string, string>, cookie = "") =>
    fetch(pages.address + path, {
      method: "POST",
      redirect: "manual",
      headers: { cookie },
      body: new URLSearchParams(fields),
    });
  const mailTo = async (email: string): Promise<string> => {
    await expect.poll(() => messages.find(({ to }) => to === email)?.text).toBeDefined();
    return messages.find(({ to }) => to === email)?.text ?? "";
  };

  it("gets a mail that names the provider, without a link for a password", async () => {
    await invited("hugo");
    expect((await signIn(claimsOf("hugo"))).status).toBe(200);
    await send("/password", { email: emailOf("hugo") });
    const text = await mailTo(emailOf("hugo"));
    expect([text, text]).toEqual([
      expect.stringContaining(new URL(provider.issuer).host),
      expect.not.stringContaining("/password/"),
    ]);
  });

  it("cannot use a password link from before the first sign-in there", async () => {
    const user = { id: `user_${made}`, email: emailOf("iris"), name: "Iris" };
    await addUser(database, user, { passwordHash: "scrypt$16$8$1$AAAA$AAAA" });
    await send("/password", { email: user.email });
    const path = /\/password\/glp_[\w-]{32}/.exec(await mailTo(user.email))?.[0] ?? "no link";
    expect((await signIn(claimsOf("iris"))).status).toBe(200);
    expect((await send(path, { password: "a third horse battery" })).status).toBe(404);
  });

  it("can sign out everywhere without a password, and sees no form for one", async () => {
    await invited("jane");
    const sessions = [];
    for (let times = 0; times < 2; times++) {
      const cookies = cookiesOf(await signIn(claimsOf("jane")));
      sessions.push(cookies.find((each) => each.startsWith("graphloom_session=")) ?? "");
    }
    const [first = "", second = ""] = sessions;
    const page = await (await ask("/account", first)).text();
    expect([page, page]).toEqual([
      expect.stringContaining("Sign out everywhere"),
      expect.not.stringContaining("/account/password"),
    ]);
    expect((await send("/account/sign-out", {}, first)).status).toBe(303);
    expect([(await ask("/", first)).status, (await ask("/", second)).status]).toEqual([303, 303]);
  });
});

describe("the answer of a provider", () => {
  it.each<[string, Claims]>([
    ["is for a different client", { aud: "another" }],
    ["belongs to a different sign-in", { nonce: "another" }],
    ["is from a different provider", { iss: "https://evil.example" }],
    ["has expired", { exp: 1 }],
    ["names nobody", { sub: "" }],
    ["was issued in the future", { iat: Math.floor(Date.now() / 1000) + 3600 }],
  ])("is refused when it %s", async (_, changed) => {
    await invited("dora");
    const answer = await signIn(claimsOf("dora"), changed);
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining("is not valid for this sign-in"),
    ]);
    expect(await findUserByEmail(database, emailOf("dora"))).toBeUndefined();
  });

  it("is refused when a different key has signed it", async () => {
    await invited("eve");
    provider.useForeignKey(true);
    const answer = await signIn(claimsOf("eve"));
    provider.useForeignKey(false);
    expect(answer.status).toBe(403);
    expect((await signIn(claimsOf("eve"))).status).toBe(200);
  });

  it("is refused when its state is not the browser's", async () => {
    await invited("fred");
    const { address, cookie } = await begin();
    const back = new URL(provider.signIn(address, claimsOf("fred")));
    back.searchParams.set("state", "another");
    expect((await ask(back.href, cookie)).status).toBe(403);
  });

  it("is refused in a browser that has not started this sign-in", async () => {
    await invited("gina");
    const mine = await begin();
    const other = await begin();
    const back = provider.signIn(mine.address, claimsOf("gina"));
    expect((await ask(back)).status).toBe(400);
    expect((await ask(back, mine.cookie.replace("=", "=AAAA"))).status).toBe(400);
    expect((await ask(back, other.cookie)).status).toBe(403);
    expect(await findUserByEmail(database, emailOf("gina"))).toBeUndefined();
  });
});
