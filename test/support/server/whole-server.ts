import { zipSync } from "fflate";
import { expect } from "vitest";
import { oneClient } from "../../../src/platform/endpoints/options.js";
import type { PipelineTimes } from "../../../src/platform/management/pipelines/pipelines-part.js";
import { createSignInCodes } from "../../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { addApiKey } from "../../../src/platform/people/api-keys.js";
import { invite } from "../../../src/platform/people/invitations.js";
import type { Message } from "../../../src/platform/people/mail/mail.js";
import { createPasswords } from "../../../src/platform/people/passwords/passwords.js";
import { beginSession } from "../../../src/platform/people/sign-in/sessions.js";
import { serverParts } from "../../../src/platform/server-parts.js";
import { setTag } from "../../../src/platform/subgraphs/versions.js";
import { addEvents } from "../../../src/platform/webhooks/outbox.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { findDeployment, layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import { TableFeed } from "../../../src/store/tables/table-feed.js";
import { world } from "../database/databases.js";
import { untilHolds } from "../until.js";
import { freshStatus } from "./hosting-double.js";
import { sampleFiles } from "./management-sample.js";
import { addPerson } from "./people.js";
import { pipelineEngineDouble } from "./pipeline-engine-double.js";
import { deployForm, startPlatform, type TestPlatform } from "./platform-server.js";

/** A server with all parts, and one of each thing that a path can name. */
export interface WholeServer extends TestPlatform {
  readonly database: Database;
  /** The Owner of the project, who is signed in. */
  readonly owner: { readonly id: string; readonly email: string; readonly cookie: string };
  /** The mails that it has sent. */
  readonly messages: readonly Message[];
  /** Pages of things in another state than what paths name. */
  readonly more: readonly string[];
  /** The pattern of a path, with what was planted in the place of its parameters. */
  filled(url: string): Promise<string>;
}

/** The id of a delivery of the webhook `hook`. */
export const plantedDelivery = "00000000-0000-8000-8000-000000000001";
const schema = "type Thing @entity(immutable: true) { id: ID! }";
const manual = [{ name: "serve", title: "Serve", part: "Run a server", markdown: "# Serve\n\nText.\n" }];

/** Starts it on an empty database. Its engines index nothing and move no rows. @param pipelineTimes those that differ */
export async function startWholeServer(
  database: Database,
  pipelineTimes: Partial<PipelineTimes> = {},
): Promise<WholeServer> {
  let hours = 0;
  const messages: Message[] = [];
  const accounts = createAccounts(
    // Rate limits are not the subject.
    { now: () => world.now() + 3_600_000 * hours++ },
    {
      passwords: createPasswords(2 ** 4),
      mail: { send: async (message: Message) => void messages.push(message) },
    },
  );
  const server = await startPlatform(database, {
    parts: serverParts({ codes: createSignInCodes(world), accounts, manual }, oneClient, undefined, {
      createPipelines: () => pipelineEngineDouble(),
      pipelineTimes,
    }),
  });
  await plantSubgraph(server, database);
  const value = { type: "httpauth", secretKey: "x-key", secretValue: "hidden" };
  await done(server.ask("/secrets", { method: "POST", body: { name: "PLANTED", value } }));
  await done(server.ask("/edge", { method: "POST", body: { name: "planted" } }));
  const definition = { text: "name: moved\n", status: "INACTIVE" };
  await done(server.ask("/pipelines/moved/definition", { method: "PUT", body: definition }));
  await untilHolds(async () =>
    expect((await server.ask("/pipelines/moved/info")).json.data.runtime_status).toBe("TERMINATED"),
  );
  const snapshot = (await done(server.ask("/pipelines/moved/snapshots", { method: "POST" }))).json.data.id;
  const tasks = [
    ["verify", {}],
    ["replay", { sink: "stored", from_block: 0, to_block: 1, count_only: true }],
  ] as const;
  const taskIds: string[] = [];
  for (const [action, body] of tasks) {
    const { json } = await done(server.ask(`/pipelines/moved/${action}`, { method: "POST", body }));
    taskIds.push(json.data.id);
    const path = `/pipelines/moved/tasks/${json.data.id}`;
    await untilHolds(async () => expect((await server.ask(path)).json.data.state).toBe("done"));
  }
  const { project } = server;
  const person = await addPerson(database, "owner@example.com", { [project]: "Owner" });
  await addPerson(database, "member@example.com", { [project]: "Viewer" });
  const { token } = await beginSession(database, person.id, "browser");

  const places: Readonly<Record<string, (url: string) => string | Promise<string>>> = {
    name: (url) => (url.startsWith("/docs") ? "serve" : url.includes("pipelines") ? "moved" : "pools"),
    version: (url) => (url.includes("pipelines") ? "1" : "1.0.0"),
    project: () => project,
    entity: () => "thing",
    webhook: () => "hook",
    secret: () => "PLANTED",
    endpoint: () => "planted",
    token: async () => {
      const email = `invited-${++made}@example.com`;
      return (await invite(database, { project, email, role: "Viewer" })).token;
    },
    id: async (url) => {
      if (url.startsWith("/projects")) return project;
      if (url.includes("/deliveries/")) return plantedDelivery;
      if (url.includes("/snapshots/")) return snapshot;
      if (url.includes("/tasks/")) return taskIds[0] ?? "";
      if (url.startsWith("/account")) return (await beginSession(database, person.id, "browser")).id;
      const id = `key_planted_${++made}`;
      await addApiKey(database, { id, project, name: id, role: "Viewer", key: `gl_${id}` });
      return id;
    },
  };
  let made = 0;
  return {
    ...server,
    database,
    more: [...taskIds.map((id) => `/pipelines/moved/tasks/${id}`), "/dashboard/pools/prod/settings"],
    messages,
    owner: { ...person, cookie: `graphloom_session=${token}` },
    async filled(url) {
      let path = url;
      for (const [place] of url.matchAll(/:\w+/g)) {
        const fill = places[place.slice(1)];
        if (!fill) throw new Error(`nothing was planted for ${place} in ${url}`);
        path = path.replace(place, await fill(url));
      }
      return url.endsWith("/entity") ? `${path}?id=a` : path;
    },
  };
}

async function plantSubgraph({ ask, hosting, project }: TestPlatform, database: Database): Promise<void> {
  const put = await ask("/subgraphs/pools/deployments/1.0.0", {
    method: "PUT",
    form: deployForm(zipSync({ ...sampleFiles(), "schema.graphql": new TextEncoder().encode(schema) })),
  });
  const id: string = put.json.deployments[0].deployment_id;
  for (const tag of ["prod", "next"])
    await database.transaction((sql) => setTag(sql, { project, name: "pools", version: tag }, "1.0.0"));
  await openDeployment(database, { deployment: id, network: "mainnet", schema, startBlock: 1 });
  const deployment = await findDeployment(database, id);
  if (!deployment) throw new Error("the deployment does not exist");
  await database.query(
    SQL`insert into ${quoteName(deployment.namespace)}.thing (vid, id, block$) values (1, 'a', 5)`,
  );
  const layout = layoutOf(deployment);
  const feed = (reader: string, tables: readonly string[]) =>
    new TableFeed({ database, deployment: deployment.id, layout, reader, tables });
  hosting.double.statuses.set(id, { ...freshStatus, headBlock: 1000 });
  hosting.double.storages.set(id, { database, deployment, layout, feed });
  const watch = { name: "hook", subgraph_name: "pools", subgraph_version: "1.0.0", entity: "thing" };
  const body = { ...watch, webhook_url: "https://receiver.example" };
  await done(ask("/subgraphs/webhooks", { method: "POST", body }));
  const [row] = await database.query(SQL`select id from graphloom.webhooks`);
  await addEvents(database, row?.id ?? "", [
    { id: plantedDelivery, op: "INSERT", block: 5, entityKey: 1n, old: null, new: { id: "a", vid: "1" } },
  ]);
}

async function done<Answer extends { readonly status: number; readonly text: string }>(
  asked: Promise<Answer>,
): Promise<Answer> {
  const answer = await asked;
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
}
