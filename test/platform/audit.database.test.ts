import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { actionKinds } from "../../src/platform/pages/people/audit-pages.js";
import { addApiKey } from "../../src/platform/people/api-keys.js";
import { grantCode } from "../../src/platform/people/authorization.js";
import { invite } from "../../src/platform/people/invitations.js";
import { createProject } from "../../src/platform/people/projects.js";
import { beginSession } from "../../src/platform/people/sessions.js";
import { findUserByEmail } from "../../src/platform/people/users.js";
import { SQL } from "../../src/store/database/database.js";
import { onEither } from "../support/database/databases.js";
import { sampleBundle } from "../support/server/management-sample.js";
import { addPerson } from "../support/server/people.js";
import { deployForm } from "../support/server/platform-server.js";
import {
  plantedDelivery as delivery,
  startWholeServer,
  type WholeServer,
} from "../support/server/whole-server.js";

const databases = onEither();
let server: WholeServer;
let made = 0;

beforeAll(async () => {
  server = await startWholeServer(await databases.fresh());
  await createProject(server.database, { id: "project_other", name: "Other" });
});
afterAll(() => server.close());

/** Creates a person with an account. */
function person(project: string, role: "Owner" | "Viewer") {
  made += 1;
  return addPerson(server.database, `person-${made}@example.com`, { [project]: role });
}

describe("the audit log", () => {
  /** A request that changes something: its path, JSON or the fields of a form, and the entries that it leaves. */
  type Change = readonly [
    route: string,
    path: string,
    said: Readonly<Record<string, unknown>> | FormData | undefined,
    action: string,
  ];

  const api = "/api/v1";
  const own = "/dashboard/noted/1.0.0";
  const hooks = "/dashboard/pools/1.0.0/webhooks";
  const extended = `${api}/extensions/webhooks`;
  const subgraph = "/dashboard/:name/:version";
  const webhook = `${subgraph}/webhooks/:webhook`;
  const secret = { type: "httpauth", secretKey: "x-key", secretValue: "hidden" };

  const changesOf = (project: string, member: string, key: string): readonly Change[] => [
    [
      `PUT ${api}/subgraphs/:name/deployments/:version`,
      `${api}/subgraphs/noted/deployments/1.0.0`,
      deployForm(sampleBundle({ startBlock: 3 })),
      "subgraph.deploy noted/1.0.0",
    ],
    [
      `PUT ${api}/subgraphs/:name/tags/:version`,
      `${api}/subgraphs/noted/tags/live`,
      { target_version: "1.0.0" },
      "subgraph.tag noted/live (1.0.0)",
    ],
    [
      `PATCH ${api}/subgraphs/:name/:version`,
      `${api}/subgraphs/noted/1.0.0`,
      { description: "x" },
      "subgraph.change noted/1.0.0",
    ],
    [
      `PUT ${api}/subgraphs/:name/:version/pause`,
      `${api}/subgraphs/noted/1.0.0/pause`,
      undefined,
      "subgraph.pause noted/1.0.0",
    ],
    [
      `PUT ${api}/subgraphs/:name/:version/resume`,
      `${api}/subgraphs/noted/1.0.0/resume`,
      undefined,
      "subgraph.resume noted/1.0.0",
    ],
    [
      `DELETE ${api}/subgraphs/:name/tags/:version`,
      `${api}/subgraphs/noted/tags/live`,
      undefined,
      "subgraph.untag noted/live",
    ],
    [`POST ${subgraph}/pause`, `${own}/pause`, {}, "subgraph.pause noted/1.0.0"],
    [`POST ${subgraph}/resume`, `${own}/resume`, {}, "subgraph.resume noted/1.0.0"],
    [
      `POST ${subgraph}/description`,
      `${own}/description`,
      { description: "y" },
      "subgraph.change noted/1.0.0",
    ],
    [
      `POST ${subgraph}/endpoints`,
      `${own}/endpoints`,
      { private: "on", off: "public" },
      "subgraph.change noted/1.0.0",
    ],
    [`POST ${subgraph}/tags`, `${own}/tags`, { tag: "live" }, "subgraph.tag noted/live (1.0.0)"],
    [`POST ${subgraph}/untag`, `${own}/untag`, { tag: "live" }, "subgraph.untag noted/live"],
    [`POST ${subgraph}/delete`, `${own}/delete`, { name: "noted/1.0.0" }, "subgraph.delete noted/1.0.0"],
    [
      `PUT ${api}/subgraphs/:name/deployments/:version`,
      `${api}/subgraphs/noted/deployments/2.0.0`,
      deployForm(sampleBundle({ startBlock: 3 })),
      "subgraph.deploy noted/2.0.0",
    ],
    [
      `DELETE ${api}/subgraphs/:name/deployments/:version`,
      `${api}/subgraphs/noted/deployments/2.0.0`,
      undefined,
      "subgraph.delete noted/2.0.0",
    ],
    [
      `POST ${api}/subgraphs/webhooks`,
      `${api}/subgraphs/webhooks`,
      {
        name: "noted",
        subgraph_name: "pools",
        subgraph_version: "1.0.0",
        entity: "thing",
        webhook_url: "https://receiver.example",
      },
      "webhook.create noted",
    ],
    [`PATCH ${extended}/:name`, `${extended}/noted`, { num_retries: 3 }, "webhook.change noted"],
    [`PUT ${extended}/:name/pause`, `${extended}/noted/pause`, undefined, "webhook.pause noted"],
    [`PUT ${extended}/:name/resume`, `${extended}/noted/resume`, undefined, "webhook.resume noted"],
    [
      `POST ${extended}/:name/redeliver-failed`,
      `${extended}/noted/redeliver-failed`,
      undefined,
      "webhook.redeliver-failed noted",
    ],
    [
      `POST ${extended}/deliveries/:id/redeliver`,
      `${extended}/deliveries/${delivery}/redeliver`,
      undefined,
      `webhook.redeliver ${delivery}`,
    ],
    [
      `DELETE ${api}/subgraphs/webhooks/:name`,
      `${api}/subgraphs/webhooks/noted`,
      undefined,
      "webhook.delete noted",
    ],
    [
      `POST ${subgraph}/webhooks`,
      hooks,
      { name: "noted", entity: "thing", url: "https://receiver.example" },
      "webhook.create noted",
    ],
    [`POST ${webhook}/change`, `${hooks}/noted/change`, { retries: "2" }, "webhook.change noted"],
    [`POST ${webhook}/pause`, `${hooks}/noted/pause`, {}, "webhook.pause noted"],
    [`POST ${webhook}/resume`, `${hooks}/noted/resume`, {}, "webhook.resume noted"],
    [`POST ${webhook}/again`, `${hooks}/hook/again`, { id: delivery }, `webhook.redeliver ${delivery}`],
    [`POST ${webhook}/failed-again`, `${hooks}/noted/failed-again`, {}, "webhook.redeliver-failed noted"],
    [`POST ${webhook}/delete`, `${hooks}/noted/delete`, { name: "noted" }, "webhook.delete noted"],
    [`POST ${api}/edge`, `${api}/edge`, { name: "noted" }, "edge-endpoint.create noted"],
    [
      `PATCH ${api}/edge/:name`,
      `${api}/edge/noted`,
      { allowed_domains: ["example.com"] },
      "edge-endpoint.change noted",
    ],
    [`PUT ${api}/edge/:name/pause`, `${api}/edge/noted/pause`, undefined, "edge-endpoint.pause noted"],
    [`PUT ${api}/edge/:name/resume`, `${api}/edge/noted/resume`, undefined, "edge-endpoint.resume noted"],
    [`GET ${api}/edge/:name/api-key`, `${api}/edge/noted/api-key`, undefined, "edge-endpoint.reveal noted"],
    [`DELETE ${api}/edge/:name`, `${api}/edge/noted`, undefined, "edge-endpoint.delete noted"],
    [`POST ${api}/secrets`, `${api}/secrets`, { name: "NOTED", value: secret }, "secret.create NOTED"],
    [`PATCH ${api}/secrets/:name`, `${api}/secrets/NOTED`, { description: "x" }, "secret.update NOTED"],
    [`GET ${api}/secrets/:name/value`, `${api}/secrets/NOTED/value`, undefined, "secret.reveal NOTED"],
    [`DELETE ${api}/secrets/:name`, `${api}/secrets/NOTED`, undefined, "secret.delete NOTED"],
    ["POST /endpoints", "/endpoints", { name: "noted", product: "rpc" }, "edge-endpoint.create noted"],
    ["POST /endpoints/:endpoint/key", "/endpoints/noted/key", {}, "edge-endpoint.reveal noted"],
    [
      "POST /endpoints/:endpoint/change",
      "/endpoints/noted/change",
      { domains: "example.com" },
      "edge-endpoint.change noted",
    ],
    ["POST /endpoints/:endpoint/pause", "/endpoints/noted/pause", {}, "edge-endpoint.pause noted"],
    ["POST /endpoints/:endpoint/resume", "/endpoints/noted/resume", {}, "edge-endpoint.resume noted"],
    [
      "POST /endpoints/:endpoint/delete",
      "/endpoints/noted/delete",
      { name: "noted" },
      "edge-endpoint.delete noted",
    ],
    [
      "POST /secrets",
      "/secrets",
      { name: "NOTED", type: "httpauth", "value.secretKey": "x-key", "value.secretValue": "hidden" },
      "secret.create NOTED",
    ],
    [
      "POST /secrets/:secret/value",
      "/secrets/NOTED/value",
      { "value.secretKey": "x-key", "value.secretValue": "changed" },
      "secret.update NOTED",
    ],
    [
      "POST /secrets/:secret/description",
      "/secrets/NOTED/description",
      { description: "x" },
      "secret.update NOTED",
    ],
    ["POST /secrets/:secret/delete", "/secrets/NOTED/delete", { name: "NOTED" }, "secret.delete NOTED"],
    [
      `POST ${api}/projects/:id/invitations`,
      `${api}/projects/${project}/invitations`,
      { emails: ["new@example.com"], role: "Viewer" },
      "member.invite new@example.com as Viewer",
    ],
    [
      `DELETE ${api}/projects/:id/members/:email`,
      `${api}/projects/${project}/members/new@example.com`,
      undefined,
      "member.uninvite new@example.com",
    ],
    [
      `PATCH ${api}/projects/:id/members/:email`,
      `${api}/projects/${project}/members/${member}`,
      { role: "Editor" },
      `member.role ${member} to Editor`,
    ],
    [
      "POST /members/invite",
      "/members/invite",
      { emails: "new@example.com", role: "Viewer" },
      "member.invite new@example.com as Viewer",
    ],
    [
      "POST /members/role",
      "/members/role",
      { email: member, role: "Viewer" },
      `member.role ${member} to Viewer`,
    ],
    ["POST /members/remove", "/members/remove", { email: member }, `member.remove ${member}`],
    [
      `POST ${api}/projects/:id/api-keys`,
      `${api}/projects/${project}/api-keys`,
      { name: "noted", role: "Viewer" },
      "key.create noted",
    ],
    [
      `DELETE ${api}/projects/:id/api-keys/:keyId`,
      `${api}/projects/${project}/api-keys/${key}`,
      undefined,
      `key.revoke ${key} (${key})`,
    ],
    ["POST /keys", "/keys", { name: "noted", role: "Viewer" }, "key.create noted"],
    ["POST /keys/:id/revoke", `/keys/${key}_2/revoke`, {}, `key.revoke ${key}_2 (${key}_2)`],
    [`PATCH ${api}/projects/:id`, `${api}/projects/${project}`, { name: "Noted" }, "project.rename Noted"],
    ["POST /projects/name", "/projects/name", { name: "Noted 2" }, "project.rename Noted 2"],
    [`POST ${api}/projects`, `${api}/projects`, { name: "Noted 3" }, "project.create Noted 3"],
    ["POST /projects", "/projects", { name: "Noted 4" }, "project.create Noted 4"],
  ];

  const one = "/pipelines/:name";
  const own1 = "/pipelines/noted";
  /** What the forms of pipelines change, one after the other. */
  const pipelineChanges: readonly Change[] = [
    ["POST /new-pipeline", "/new-pipeline", { text: "name: noted\n" }, "pipeline.create noted"],
    [`POST ${one}/snapshots`, `${own1}/snapshots`, {}, "pipeline.snapshot noted"],
    [`POST ${one}/pause`, `${own1}/pause`, {}, "pipeline.pause noted"],
    [`POST ${one}/verify`, `${own1}/verify`, {}, "pipeline.verify noted"],
    [`POST ${one}/repair`, `${own1}/repair`, { sink: "stored" }, "pipeline.repair noted"],
    [
      `POST ${one}/replay`,
      `${own1}/replay`,
      { sink: "stored", from: "0", to: "1", send: "yes" },
      "pipeline.replay noted",
    ],
    [`POST ${one}/parked/retry`, `${own1}/parked/retry`, { sink: "stored" }, "pipeline.retry noted"],
    [
      `POST ${one}/parked/drop`,
      `${own1}/parked/drop`,
      { sink: "stored", "key:id": "1" },
      "pipeline.drop noted",
    ],
    [`POST ${one}/verify`, `${own1}/verify`, { sink: "stored" }, "pipeline.verify noted"],
    [`POST ${one}/tasks/:id/cancel`, `${own1}/tasks/{task}/cancel`, {}, "pipeline.cancel-task noted"],
    [
      `POST ${one}/edit`,
      `${own1}/edit`,
      {
        text: "name: noted\n# more\n",
        from: "1",
        told: "Sink stored is not written any more; what it holds stays",
      },
      "pipeline.update noted",
    ],
    [`POST ${one}/start`, `${own1}/start`, {}, "pipeline.start noted"],
    [`POST ${one}/restart`, `${own1}/restart`, {}, "pipeline.restart noted"],
    [`POST ${one}/cancel`, `${own1}/cancel`, {}, "pipeline.cancel-update noted"],
    [
      `POST ${one}/snapshots/:id/restore`,
      `${own1}/snapshots/{snapshot}/restore`,
      {},
      "pipeline.restart noted",
    ],
    [`POST ${one}/stop`, `${own1}/stop`, {}, "pipeline.stop noted"],
    [`POST ${one}/delete`, `${own1}/delete`, { name: "noted" }, "pipeline.delete noted"],
  ];

  /** Changes of accounts, which the next test makes. */
  const ofAccounts = [
    ...[
      "POST /sign-in",
      "POST /sign-out",
      "POST /account",
      "POST /account/password",
      "POST /account/sign-out",
    ],
    ...["POST /account/sessions/:id/end", "POST /password/:token", "POST /projects/leave"],
    ...["POST /invitations/:token/account", "POST /invitations/:token/join"],
    ...[`POST ${api}/auth/token`, `DELETE ${api}/auth/token`, `POST ${api}/projects/:id/leave`],
  ];
  /** Changes that need a PostgreSQL, or pipelines that move rows. Their tests make them, with their entries. */
  const elsewhere = (route: string): boolean =>
    route.includes(` ${api}/pipelines`) || route.includes(` ${api}/hosted-sinks`);
  /** Requests that change nothing, or give out a link or a code whose use is noted. */
  const harmless = [
    ...["POST /edge/rpc/:network", "POST /index-node/graphql", "POST /subgraphs/*"],
    ...["POST /projects/:id/show", "POST /password", "POST /authorize"],
    ...["public", "private"].map((kind) => `POST /api/${kind}/:project/subgraphs/:name/:version/gn`),
  ];

  const lastAct = async () => {
    const [last] = await server.database.query(
      SQL`select action, subject, project, actor, address from graphloom.audit order by id desc limit 1`,
    );
    return last;
  };
  const countActs = async () => {
    const [row] = await server.database.query(SQL`select count(*) as count from graphloom.audit`);
    return Number(row?.count);
  };

  it("knows every route that changes something", () => {
    const routes = server.routes.flatMap(({ method, url }) =>
      ["GET", "HEAD"].includes(method) || elsewhere(`${method} ${url}`) ? [] : [`${method} ${url}`],
    );
    const changes = [...changesOf("", "", ""), ...pipelineChanges].map(([route]) => route);
    const reveals = changes.filter((route) => route.startsWith("GET"));
    expect(new Set([...changes, ...ofAccounts, ...harmless])).toEqual(new Set([...routes, ...reveals]));
  });

  it("has an entry for every change, by the API and by the pages", async () => {
    const { project, database } = server;
    const caller = await person(project, "Owner");
    const { email } = await person(project, "Viewer");
    const key = "key_noted";
    for (const id of [key, `${key}_2`])
      await addApiKey(database, { id, project, name: id, role: "Viewer", key: `gl_${id}` });
    const session = (await beginSession(database, caller.id, "browser")).token;
    const changes = [...changesOf(project, email, key), ...pipelineChanges];
    const known = { task: "", snapshot: "" };

    const entries: string[] = [];
    for (const [route, pattern, said, action] of changes) {
      const path = pattern.replace("{task}", known.task).replace("{snapshot}", known.snapshot);
      const isApi = path.startsWith(api);
      const isForm = said instanceof FormData;
      const [method = ""] = route.split(" ");
      const content = isApi ? JSON.stringify(said) : new URLSearchParams(said as Record<string, string>);
      const send = async () => {
        const answer = await fetch(server.address + path, {
          method,
          redirect: "manual",
          headers: {
            ...(isApi
              ? { authorization: `Bearer ${caller.token}`, "graphloom-project": project }
              : { cookie: `graphloom_session=${session}` }),
            ...(isApi && said && !isForm && { "content-type": "application/json" }),
          },
          ...(said && { body: isForm ? said : content }),
        });
        return [answer.status, answer.headers.get("location") ?? "", await answer.text()] as const;
      };
      const before = await countActs();
      const succeed = async () => {
        const [status, location, text] = await send();
        expect([route, status, text]).toEqual([
          ...[route, expect.toSatisfy((code) => code < 400), expect.anything()],
        ]);
        return location;
      };
      // A pipeline refuses a change until the one before it is done.
      const location = action.startsWith("pipeline.") ? await vi.waitFor(succeed, 20_000) : await succeed();
      known.task = /\/tasks\/([^/]+)$/.exec(location)?.[1] ?? known.task;
      if (action.startsWith("pipeline.snapshot")) {
        const [row] = await database.query(
          SQL`select id from graphloom.pipeline_snapshots where pipeline = 'noted'`,
        );
        known.snapshot = String(row?.id);
      }
      const last = await lastAct();
      expect([route, last?.actor, last?.address, (await countActs()) - before]).toEqual([
        ...[route, caller.id, "127.0.0.1", 1],
      ]);
      entries.push(`${last?.action} ${last?.subject}`);
    }
    expect(entries).toEqual(changes.map(([, , , action]) => expect.stringContaining(action)));
    // The page can choose every kind.
    const kinds = new Set(entries.map((entry) => entry.split(".")[0] ?? ""));
    expect([...kinds].filter((kind) => !actionKinds.some((each) => each === kind))).toEqual([]);
  });

  it("has an entry for every change of an account, which its person sees", async () => {
    const { project, database, address } = server;
    const password = "correct horse battery";
    const post = async (path: string, cookie: string, fields: Record<string, string>) => {
      const answer = await fetch(address + path, {
        method: "POST",
        redirect: "manual",
        headers: { cookie },
        body: new URLSearchParams(fields),
      });
      expect([path, answer.status, await answer.text()]).toEqual([
        ...[path, expect.toSatisfy((status) => status < 400), expect.anything()],
      ]);
      return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    };
    const acts = async (count: number) => {
      const rows = await database.query(
        SQL`select action, subject, project from graphloom.audit order by id desc limit $1::int`,
        [String(count)],
      );
      return rows
        .toReversed()
        .map(
          ({ action, subject, project: of }) => `${action} ${subject}${of === project ? " (project)" : ""}`,
        );
    };
    const invited = async (email: string) =>
      (await invite(database, { project, email, role: "Owner" })).token;

    const ann = "ann@example.com";
    await post(`/invitations/${await invited(ann)}/account`, "", { name: "Ann", password });
    expect(await acts(2)).toEqual([
      ...[`member.join ${ann} as Owner (project)`, "session.begin browser, with a new account"],
    ]);
    let cookie = await post("/sign-in", "", { email: ann, password });
    expect(await acts(1)).toEqual(["session.begin browser"]);
    cookie = await post("/account/password", cookie, { old: password, new: `${password} 2` });
    expect(await acts(2)).toEqual([
      ...[`password.change ${ann}`, "session.begin browser, with a new password"],
    ]);
    const { id: annId } = (await findUserByEmail(database, ann)) ?? { id: "" };
    const other = await beginSession(database, annId, "token");
    await post(`/account/sessions/${other.id}/end`, cookie, {});
    expect(await acts(1)).toEqual([`session.end another session (${other.id})`]);
    await post("/password", "", { email: ann });
    const token = await vi.waitFor(() => {
      const [, found = ""] = /\/password\/(\S+)/.exec(server.messages.at(-1)?.text ?? "") ?? [];
      expect(found).not.toBe("");
      return found;
    });
    cookie = await post(`/password/${token}`, "", { password: `${password} 3` });
    expect(await acts(2)).toEqual([
      ...[`password.change ${ann}`, "session.begin browser, with a new password"],
    ]);
    const seen = await (await fetch(`${address}/account`, { headers: { cookie } })).text();
    expect(seen).toContain(`<td>session.end</td><td>another session (${other.id})</td>`);
    await post("/account/sign-out", cookie, {});
    expect(await acts(1)).toEqual(["session.end everywhere"]);
    await post("/sign-out", await post("/sign-in", "", { email: ann, password: `${password} 3` }), {});
    expect(await acts(2)).toEqual(["session.begin browser", "session.end browser"]);

    // A key belongs to a project, which sees who signs in with it.
    await addApiKey(database, { id: "key_seen", project, name: "seen", role: "Owner", key: "gl_key_seen" });
    const withKey = () => post("/sign-in", "", { key: "gl_key_seen" });
    await post("/sign-out", await withKey(), {});
    expect(await acts(2)).toEqual([
      ...["session.begin browser, with a key (project)", "session.end browser (project)"],
    ]);
    await post("/account", await withKey(), { email: "bob@example.com", name: "Bob", password });
    expect(await acts(2)).toEqual([
      ...["member.join bob@example.com as Owner (project)", "session.begin browser, with a new account"],
    ]);

    const cat = await person("project_other", "Viewer");
    const browser = `graphloom_session=${(await beginSession(database, cat.id, "browser")).token}`;
    await post(`/invitations/${await invited(cat.email)}/join`, browser, {});
    expect(await acts(1)).toEqual([`member.join ${cat.email} as Owner (project)`]);
    await post("/projects/leave", browser, {});
    expect(await acts(1)).toEqual([`member.leave ${cat.email} (project)`]);
    const dan = await person(project, "Owner");
    const left = await server.ask(`/projects/${project}/leave`, { method: "POST", key: dan.token });
    expect([left.status, await acts(1)]).toEqual([200, [`member.leave ${dan.email} (project)`]]);
  });

  it("has an entry for a login on the command line, its end, and a code that is used twice", async () => {
    const { database, owner } = server;
    const verifier = "a".repeat(43);
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const redirect = "http://127.0.0.1:4711/callback";
    const login = async () => {
      const code = await grantCode(database, owner, {
        client: "graphloom-cli",
        redirectUri: redirect,
        challenge,
        state: "s",
      });
      const body = {
        grant_type: "authorization_code",
        code,
        client_id: "graphloom-cli",
        redirect_uri: redirect,
      };
      return () =>
        server.ask("/auth/token", {
          method: "POST",
          key: undefined,
          body: { ...body, code_verifier: verifier },
        });
    };
    const use = await login();
    const { status, json } = await use();
    expect([status, await lastAct()]).toMatchObject([
      200,
      { actor: owner.id, action: "session.begin", subject: "command line" },
    ]);
    const ended = await server.ask("/auth/token", { method: "DELETE", key: json.data.token });
    expect([ended.status, await lastAct()]).toMatchObject([
      204,
      { actor: owner.id, action: "session.end", subject: "command line" },
    ]);
    const stolen = await login();
    await stolen();
    expect((await stolen()).status).toBe(400);
    expect(await lastAct()).toMatchObject({
      ...{ actor: owner.id, action: "session.end" },
      subject: "command line, because its code was used again",
    });
  });
});
