import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actionKinds } from "../../src/platform/pages/people/audit-pages.js";
import { addApiKey } from "../../src/platform/people/api-keys.js";
import { grantCode } from "../../src/platform/people/authorization.js";
import { invite } from "../../src/platform/people/invitations.js";
import { createProject } from "../../src/platform/people/projects.js";
import { beginSession } from "../../src/platform/people/sign-in/sessions.js";
import { findUserByEmail } from "../../src/platform/people/users.js";
import { SQL } from "../../src/store/database/database.js";
import { onEither } from "../support/database/databases.js";
import { api, changesOf, pipelineChanges, sendChange } from "../support/server/every-change.js";
import { addPerson } from "../support/server/people.js";
import { startWholeServer, type WholeServer } from "../support/server/whole-server.js";
import { until, untilHolds } from "../support/until.js";

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
  /** Changes of accounts, which the next test makes. */
  const ofAccounts = [
    "POST /sign-in",
    "POST /sign-out",
    "POST /account",
    "POST /account/password",
    "POST /account/sign-out",
    "POST /account/sessions/:id/end",
    "POST /password/:token",
    "POST /projects/leave",
    "POST /invitations/:token/account",
    "POST /invitations/:token/join",
    `POST ${api}/auth/token`,
    `DELETE ${api}/auth/token`,
    `POST ${api}/projects/:id/leave`,
  ];
  /**
   * Changes that other tests make: of pipelines and hosted sinks, which need a PostgreSQL; of rewound, dumped and
   * restored subgraphs, which need an engine; and of the last test.
   */
  const elsewhere = (route: string): boolean =>
    route.includes(` ${api}/pipelines`) ||
    route.includes(` ${api}/hosted-sinks`) ||
    route.endsWith("/rewind") ||
    route.endsWith("/dump") ||
    route.includes("/restores");
  /** Requests that change nothing, or give out a link or a code whose use is noted. */
  const harmless = [
    "POST /edge/rpc/:network",
    "POST /index-node/graphql",
    "POST /api/private/:project/index-node/graphql",
    "POST /subgraphs/*",
    "POST /mcp",
    "POST /live",
    "POST /projects/:id/show",
    "POST /password",
    "POST /authorize",
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

  it("records every change by the API and the pages", async () => {
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
    for (const change of changes) {
      const [route, , , action] = change;
      const before = await countActs();
      const succeed = async () => {
        const [status, location, text] = await sendChange(
          server,
          { token: caller.token, session },
          change,
          known,
        );
        expect([route, status, text]).toEqual([
          route,
          expect.toSatisfy((code) => code < 400),
          expect.anything(),
        ]);
        return location;
      };
      // A pipeline refuses a change until the one before it is done.
      const location = action.startsWith("pipeline.") ? await untilHolds(succeed) : await succeed();
      known.task = /\/tasks\/([^/]+)$/.exec(location)?.[1] ?? known.task;
      if (action.startsWith("pipeline.snapshot")) {
        const [row] = await database.query(
          SQL`select id from graphloom.pipeline_snapshots where pipeline = 'noted'`,
        );
        known.snapshot = String(row?.id);
      }
      const last = await lastAct();
      expect([route, last?.actor, last?.address, (await countActs()) - before]).toEqual([
        route,
        caller.id,
        "127.0.0.1",
        1,
      ]);
      entries.push(`${last?.action} ${last?.subject}`);
    }
    expect(entries).toEqual(changes.map(([, , , action]) => expect.stringContaining(action)));
    // The page can choose every kind.
    const kinds = new Set(entries.map((entry) => entry.split(".")[0] ?? ""));
    expect([...kinds].filter((kind) => !actionKinds.some((each) => each === kind))).toEqual([]);
  });

  it("records every change of an account, and shows it to the account's person", async () => {
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
        path,
        expect.toSatisfy((status) => status < 400),
        expect.anything(),
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
      `member.join ${ann} as Owner (project)`,
      "session.begin browser, with a new account",
    ]);
    let cookie = await post("/sign-in", "", { email: ann, password });
    expect(await acts(1)).toEqual(["session.begin browser"]);
    cookie = await post("/account/password", cookie, { old: password, new: `${password} 2` });
    expect(await acts(2)).toEqual([`password.change ${ann}`, "session.begin browser, with a new password"]);
    const { id: annId } = (await findUserByEmail(database, ann)) ?? { id: "" };
    const other = await beginSession(database, annId, "token");
    await post(`/account/sessions/${other.id}/end`, cookie, {});
    expect(await acts(1)).toEqual([`session.end another session (${other.id})`]);
    await post("/password", "", { email: ann });
    const token = await untilHolds(() => {
      const [, found = ""] = /\/password\/(\S+)/.exec(server.messages.at(-1)?.text ?? "") ?? [];
      expect(found).not.toBe("");
      return found;
    });
    cookie = await post(`/password/${token}`, "", { password: `${password} 3` });
    expect(await acts(2)).toEqual([`password.change ${ann}`, "session.begin browser, with a new password"]);
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
      "session.begin browser, with a key (project)",
      "session.end browser (project)",
    ]);
    await post("/account", await withKey(), { email: "bob@example.com", name: "Bob", password });
    expect(await acts(2)).toEqual([
      "member.join bob@example.com as Owner (project)",
      "session.begin browser, with a new account",
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

  it("records a command line login, its end, and a code that is used twice", async () => {
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
      actor: owner.id,
      action: "session.end",
      subject: "command line, because its code was used again",
    });
  });
});

describe("the audit log of pipelines", () => {
  it("records every change by the API", async () => {
    const sources = { blocks: { type: "dataset", dataset_name: "base.raw_blocks", version: "1.2.0" } };
    const sinks = { stored: { type: "blackhole", from: "blocks" } };
    const one = "/pipelines/{name}";
    const changes: readonly (readonly [route: string, body: object | undefined, action: string])[] = [
      ["POST /pipelines", { name: "known", definition: { sources, transforms: {}, sinks } }, "create"],
      [`PUT ${one}/definition`, { text: "name: known\n# more\n" }, "update"],
      [`POST ${one}/snapshots`, undefined, "snapshot"],
      [`PUT ${one}/pause`, undefined, "pause"],
      [`POST ${one}/verify`, { sink: "stored" }, "verify"],
      [`PUT ${one}/tasks/{id}/cancel`, undefined, "cancel-task"],
      [`POST ${one}/repair`, { sink: "stored" }, "repair"],
      [`POST ${one}/replay`, { sink: "stored", from_block: 0, to_block: 1 }, "replay"],
      [`POST ${one}/parked/retry`, {}, "retry"],
      [`POST ${one}/parked/drop`, { sink: "stored", key: { id: "1" } }, "drop"],
      [`PUT ${one}/resume`, undefined, "start"],
      [`PUT ${one}/restart`, { clearState: true }, "restart"],
      [`PUT ${one}/status`, { status: "INACTIVE" }, "stop"],
      [`PUT ${one}/size`, { resource_size: "m" }, "resize"],
      [`PUT ${one}/status`, { status: "ACTIVE" }, "start"],
      [`PUT ${one}/cancel-update`, undefined, "cancel-update"],
      [`DELETE ${one}`, undefined, "delete"],
    ];
    const harmless = ["check", "preview", "validate", "{name}/compare"].map(
      (action) => `POST /pipelines/${action}`,
    );
    const { paths } = (await server.ask("/openapi.json")).json as {
      readonly paths: Readonly<Record<string, object>>;
    };
    const routes = Object.entries(paths)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .filter((route) => /^(?:POST|PUT|PATCH|DELETE) \/pipelines/.test(route));
    expect(new Set([...changes.map(([route]) => route), ...harmless])).toEqual(new Set(routes));
    const noted = async () =>
      (
        await server.database.query(
          SQL`select action from graphloom.audit where subject = 'known' and project = $1::text order by id`,
          [server.project],
        )
      ).map(({ action }) => action);
    const actions: string[] = [];
    let task = "";
    for (const [route, body, action] of changes) {
      const [method = "", path = ""] = route.replace("{name}", "known").replace("{id}", task).split(" ");
      const ask = async (): Promise<boolean> => {
        const { status, text, json } = await server.ask(path, { method, ...(body && { body }) });
        if (action === "verify") task = json.data?.id;
        // Until the change or the task before it is done, it is refused.
        if (!action.startsWith("cancel") && [409, 422].includes(status)) return false;
        expect([route, status < 300, text]).toEqual([route, true, text]);
        return true;
      };
      await until(ask);
      actions.push(`pipeline.${action}`);
      expect(await noted()).toEqual(actions);
    }
  });
});
