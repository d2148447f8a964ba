import { createHash } from "node:crypto";
import { commandLine } from "../../src/api/account-operations.js";
import { grantCode } from "../../src/platform/people/authorization.js";
import type { Message } from "../../src/platform/people/mail/mail.js";
import { SQL } from "../../src/store/database/database.js";
import type { TestAnswer, TestPlatform } from "../support/server/platform-server.js";
import { until } from "../support/until.js";

/** What a test needs to act as people on a server. */
export interface PeopleServer {
  readonly server: TestPlatform;
  /** All messages that the server sent. */
  readonly messages: readonly Message[];
  /** Records an answer of the server. */
  readonly keep: (answer: string) => void;
}

const passwords = {
  own: "password-of-the-owner-9Qx",
  other: "password-of-a-guest-4Vz",
  next: "password-of-tomorrow-7Lm",
};
const redirectUri = "http://127.0.0.1:4711/callback";
const verifier = "verifier-of-the-command-line-0123456789-abcdef";

/**
 * Lets people create accounts, accept invitations, reset passwords and log in, with right and wrong requests.
 * @returns the secrets that only they may know, by description
 */
export async function letPeopleIn({
  server,
  messages,
  keep,
}: PeopleServer): Promise<ReadonlyMap<string, string>> {
  const { database } = server.platform;
  const send = async (path: string, cookie: string, fields: Record<string, string>) => {
    const answer = await fetch(server.address + path, {
      method: "POST",
      redirect: "manual",
      headers: { cookie },
      body: new URLSearchParams(fields),
    });
    const text = await answer.text();
    keep(`${answer.status} ${text}`);
    return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  };
  const refused = ({ status, text, headers }: TestAnswer): void => {
    if (status < 400) throw new Error(`the request should have been refused: ${status} ${text}`);
    keep(`${status} ${text} ${JSON.stringify([...headers])}`);
  };
  const linkIn = (text: string, what: string): string => new RegExp(`/${what}/[\\w-]+`).exec(text)?.[0] ?? "";

  const withKey = await send("/sign-in", "", { key: server.token });
  const owner = { email: "owner@example.com", name: "Owner", password: passwords.own };
  const session = await send("/account", withKey, owner);
  const body = { emails: ["guest@example.com"], role: "Viewer" };
  const invited = await server.ask(`/projects/${server.project}/invitations`, { method: "POST", body });
  const invitation = linkIn(invited.json.data[0].link, "invitations");
  await send(`${invitation}/account`, "", { name: "Guest", password: "short" });
  const guest = await send(`${invitation}/account`, "", { name: "Guest", password: passwords.other });
  await send("/password", "", { email: owner.email });
  await until(() => messages.some(({ to, text }) => to === owner.email && /\/password\//.test(text)));
  const reset = linkIn(messages.map(({ text }) => text).join("\n"), "password");
  await send(reset, "", { password: passwords.next });

  const [user] = await database.query(SQL`select id from graphloom.users where email = 'guest@example.com'`);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const asked = { client: commandLine, redirectUri, challenge, state: "state" };
  const code = await grantCode(database, { id: user?.id ?? "" }, asked);
  const exchange = { grant_type: "authorization_code", code, code_verifier: verifier };
  const token = (path: string, sent: unknown) =>
    server.ask(path, { method: "POST", key: undefined, body: sent });
  const right = { ...exchange, client_id: commandLine, redirect_uri: redirectUri };
  refused(await token("/auth/token", { ...right, code_verifier: [verifier] }));
  refused(await token("/auth/token", JSON.stringify(right).slice(0, -1)));
  const issued: string = (await token("/auth/token", right)).json.data.token;
  await server.ask("/me", { key: issued });
  refused(await server.ask("/secrets", { method: "POST", key: issued, body: { name: "X", value: {} } }));
  refused(await token("/auth/token", right));

  // Answers say what is wrong with a sign-in, but do not repeat what was typed.
  await send("/sign-in", "", { email: owner.email, password: passwords.own });
  await send("/sign-in", "", { email: passwords.next, password: passwords.next });
  await send("/sign-in", "", { email: owner.email, password: `${passwords.next}${"x".repeat(2_000)}` });
  await send("/sign-in", "", { key: `${server.token}x` });
  await send(`${invitation}/account`, "", { name: passwords.other, password: passwords.other });
  await send(reset, "", { password: passwords.next });

  // Secrets that are still valid at the end.
  const later = await grantCode(database, { id: user?.id ?? "" }, asked);
  const kept: string = (await token("/auth/token", { ...right, code: later })).json.data.token;
  const open = await server.ask(`/projects/${server.project}/invitations`, {
    method: "POST",
    body: { emails: ["later@example.com"], role: "Admin" },
  });
  await send("/password", "", { email: "guest@example.com" });
  await until(() => messages.some(({ to, text }) => to === "guest@example.com" && /\/password\//.test(text)));
  const last = messages.findLast(({ to }) => to === "guest@example.com")?.text ?? "";
  return new Map([
    ["a valid token", kept],
    ["an open invitation", linkIn(open.json.data[0].link, "invitations").split("/")[2] ?? ""],
    ["a valid password reset link", linkIn(last, "password").split("/")[2] ?? ""],
    ...Object.entries(passwords).map(([of, password]) => [`a password (${of})`, password] as const),
    ["the session of a key", sealIn(withKey)],
    ["the session of the owner", sealIn(session)],
    ["the session of a guest", sealIn(guest)],
    ["an invitation", invitation.split("/")[2] ?? ""],
    ["a used password reset link", reset.split("/")[2] ?? ""],
    ["a code", code],
    ["a verifier", verifier],
    ["a token", issued],
  ]);
}

function sealIn(cookie: string): string {
  return cookie.slice(cookie.indexOf("=") + 1);
}
