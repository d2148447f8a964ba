import { createHash } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { commandLine } from "../../../src/api/account-operations.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { listApiKeys, type Role } from "../../../src/platform/people/api-keys.js";
import { approveClient, exchangeCode, grantCode } from "../../../src/platform/people/authorization.js";
import type { Doer } from "../../../src/platform/people/doer.js";
import { createKey, revokeKey } from "../../../src/platform/people/manage-keys.js";
import {
  changeMemberRole,
  dismissMember,
  inviteMembers,
} from "../../../src/platform/people/manage-members.js";
import { listMembers } from "../../../src/platform/people/members.js";
import {
  acceptInvitation,
  changePassword,
  ownWithAccount,
} from "../../../src/platform/people/open-account.js";
import { createPasswords } from "../../../src/platform/people/passwords/passwords.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { signInFromOidc } from "../../../src/platform/people/sign-in/oidc-sign-in.js";
import { findBrowserSession, listSessions } from "../../../src/platform/people/sign-in/sessions.js";
import { endAllSessions, signInWithPassword } from "../../../src/platform/people/sign-in/sign-in.js";
import { setPasswordHash } from "../../../src/platform/people/users.js";
import type { Database } from "../../../src/store/database/database.js";
import { describeDatabases } from "../../support/database/databases.js";
import { whileWaiting } from "../../support/database/while-waiting.js";
import { addPerson, type TestPerson } from "../../support/server/people.js";

const project = "project_1";
const address = "192.0.2.1";
const secretKey = new Uint8Array(32);
const passwords = createPasswords(16);

describeDatabases("people whose access changes while they use it", ({ fresh }) => {
  let database: Database;
  let ann: TestPerson;
  let ben: TestPerson;
  let cleo: TestPerson;

  beforeEach(async () => {
    database = await fresh();
    await createProject(database, { id: project, name: "one" });
    const owner = (name: string) => addPerson(database, `${name}@example.com`, { [project]: "Owner" });
    [ann, ben, cleo] = [await owner("ann"), await owner("ben"), await owner("cleo")];
  });

  const doer = ({ id, email }: TestPerson, role: Role = "Owner"): Doer => ({
    caller: { kind: "user", id, name: email, project, role },
    address,
  });
  const rightKeys = async () => (await listApiKeys(database, project)).filter(({ revokedAt }) => !revokedAt);
  const roleOf = async ({ email }: { readonly email: string }) =>
    (await listMembers(database, project)).find((member) => member.email === email)?.role;
  const accounts = () => createAccounts({ now: () => Date.now() }, { passwords });
  const forbidden = { type: "forbidden" };

  test("an API key that is created while its creator is removed is removed as well", async () => {
    const key = { name: "mine", role: "Owner" } as const;
    await whileWaiting(
      database,
      (held) => createKey(held, doer(ben), key),
      () => dismissMember(database, doer(ann), ben.email),
    );
    expect(await rightKeys()).toEqual([]);
  });

  test("a person who was just removed cannot create a key", async () => {
    const late = whileWaiting(
      database,
      (held) => dismissMember(held, doer(ann), ben.email),
      () => createKey(database, doer(ben), { name: "mine", role: "Owner" }),
    );
    await expect(late).rejects.toMatchObject(forbidden);
    expect(await rightKeys()).toEqual([]);
  });

  test("the server gives a member no rights of a role that was just lowered", async () => {
    const late = whileWaiting(
      database,
      (held) => changeMemberRole(held, doer(ann), ben.email, "Viewer"),
      () => inviteMembers(database, doer(ben), ["dan@example.com"], "Owner"),
    );
    await expect(late).rejects.toMatchObject(forbidden);
  });

  test("one Owner stays if two Owners remove each other", async () => {
    const late = whileWaiting(
      database,
      (held) => dismissMember(held, doer(ann), ben.email),
      () => dismissMember(database, doer(ben), ann.email),
    );
    await expect(late).rejects.toMatchObject(forbidden);
    expect([await roleOf(ann), await roleOf(ben), await roleOf(cleo)]).toEqual(["Owner", undefined, "Owner"]);
  });

  test("an API key that was just revoked cannot appoint an Owner", async () => {
    const { id, name } = await createKey(database, doer(ann), { name: "first", role: "Owner" });
    const caller = { kind: "key", id, name, project, role: "Owner" } as const;
    const account = { email: "eve@example.com", name: "Eve", password: "a long password", address };
    const late = whileWaiting(
      database,
      (held) => revokeKey(held, doer(ann), id),
      () => ownWithAccount(database, accounts(), { caller, address }, account),
    );
    await expect(late).rejects.toMatchObject(forbidden);
    expect(await roleOf(account)).toBeUndefined();
  });

  test("an invitation gives the role that it was just changed to", async () => {
    const dan = await addPerson(database, "dan@example.com");
    const [invited] = await inviteMembers(database, doer(ann), [dan.email], "Owner");
    await whileWaiting(
      database,
      (held) => changeMemberRole(held, doer(ann), dan.email, "Viewer"),
      () => acceptInvitation(database, invited?.token ?? "", dan, address),
    );
    expect(await roleOf(dan)).toBe("Viewer");
  });

  const fay = { issuer: "https://id.example.com", subject: "fay", email: "fay@example.com" };
  const signInAt = (held: Database) => signInFromOidc(held, { signUp: "invited" }, fay, address);

  test("a provider's user joins with the invitation's latest role, or not at all", async () => {
    await inviteMembers(database, doer(ann), [fay.email], "Owner");
    const late = whileWaiting(
      database,
      (held) => dismissMember(held, doer(ann), fay.email),
      () => signInAt(database),
    );
    await expect(late).rejects.toMatchObject(forbidden);
    expect(await roleOf(fay)).toBeUndefined();
    await inviteMembers(database, doer(ann), [fay.email], "Owner");
    await whileWaiting(
      database,
      (held) => changeMemberRole(held, doer(ann), fay.email, "Viewer"),
      () => signInAt(database),
    );
    expect(await roleOf(fay)).toBe("Viewer");
  });

  test("a provider's user who signs in twice at once has one account", async () => {
    await inviteMembers(database, doer(ann), [fay.email], "Editor");
    let first = "";
    const second = await whileWaiting(
      database,
      async (held) => {
        first = (await signInAt(held)).user.id;
      },
      () => signInAt(database),
    );
    expect(second.user.id).toBe(first);
    expect(await roleOf(fay)).toBe("Editor");
  });

  const old = "the old password";
  const client = { client: address };
  const session = async () => {
    await setPasswordHash(database, ben.id, await passwords.hash(old, client));
    const begun = await signInWithPassword({ database, secretKey }, accounts(), {
      email: ben.email,
      password: old,
      address,
    });
    const found = await findBrowserSession(database, begun?.token ?? "");
    if (!found || !("user" in found)) throw new Error("nobody is signed in");
    return found;
  };
  const change = (held: Database, own: Awaited<ReturnType<typeof session>>, to: string) =>
    changePassword(held, accounts(), own, { old, new: to, address });

  test("a password that was just changed cannot be used to sign in", async () => {
    const own = await session();
    const late = await whileWaiting(
      database,
      (held) => change(held, own, "the new password"),
      () =>
        signInWithPassword({ database, secretKey }, accounts(), {
          email: ben.email,
          password: old,
          address,
        }),
    );
    expect(late).toBeUndefined();
    expect(await listSessions(database, ben.id)).toHaveLength(1);
  });

  test("only the first of two simultaneous password changes succeeds", async () => {
    const own = await session();
    const late = whileWaiting(
      database,
      (held) => change(held, own, "the new password"),
      () => change(database, own, "the other password"),
    );
    await expect(late).rejects.toMatchObject(forbidden);
    const asked = { email: ben.email, password: "the new password", address };
    expect(await signInWithPassword({ database, secretKey }, accounts(), asked)).toBeDefined();
  });

  const verifier = "v".repeat(43);
  const granted = {
    client: commandLine,
    redirectUri: "http://127.0.0.1:1/",
    state: "",
    challenge: createHash("sha256").update(verifier).digest("base64url"),
  };
  const exchange = (held: Database, code: string) =>
    exchangeCode(held, { ...granted, code, verifier, address });

  test("signing out everywhere also ends a login that a browser approves at the same time", async () => {
    const own = await session();
    let code = "";
    await whileWaiting(
      database,
      async (held) => {
        code = await approveClient(held, own, granted);
      },
      () => endAllSessions(database, ben, address),
    );
    await expect(exchange(database, code)).rejects.toMatchObject({ type: "bad-request" });
    await expect(approveClient(database, own, granted)).rejects.toMatchObject({ type: "unauthorized" });
  });

  test("signing out everywhere also ends a login that a command line begins at the same time", async () => {
    const [code, later] = [await grantCode(database, ben, granted), await grantCode(database, ben, granted)];
    await whileWaiting(
      database,
      (held) => exchange(held, code),
      () => endAllSessions(database, ben, address),
    );
    expect(await listSessions(database, ben.id)).toEqual([]);
    await expect(exchange(database, later)).rejects.toMatchObject({ type: "bad-request" });
  });
});
