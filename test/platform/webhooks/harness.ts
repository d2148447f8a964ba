import { createApp } from "../../../src/platform/http/app.js";
import { webhookRoutes } from "../../../src/platform/management/webhooks/webhook-routes.js";
import { addPages } from "../../../src/platform/pages/page-routes.js";
import { createSignInCodes } from "../../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { addApiKey, type Role } from "../../../src/platform/people/api-keys.js";
import { createProject } from "../../../src/platform/people/projects.js";
import type { Platform } from "../../../src/platform/platform.js";
import { addVersion } from "../../../src/platform/subgraphs/versions.js";
import { createWebhookSender, type WebhookSender } from "../../../src/platform/webhooks/sender.js";
import type { SenderLimits } from "../../../src/platform/webhooks/sender-limits.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import type { Store } from "../../../src/runtime/store/store.js";
import type { Database } from "../../../src/store/database/database.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { EntityChange } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { block } from "../../runtime/store/values.js";
import { world } from "../../support/database/databases.js";
import { HostingDouble, hostedStorage } from "../../support/server/hosted-double.js";

export const schema = `
  type Account @entity { id: ID!, balance: BigInt!, moves: Int!, isOpen: Boolean!, tags: [String!], data: Bytes }
  type Transfer @entity(immutable: true) { id: Bytes!, amount: BigInt!, at: Timestamp! }
`;

/** The pace of tests: a second in a webhook's settings lasts 20 ms. */
export const quick: Partial<SenderLimits> = {
  second: 20,
  poll: 20,
  grace: 300,
  drain: 300,
  longestWait: 300,
};

let made = 0;

/** The parts of a server with one subgraph, `pools/1.0.0`, whose entities the tests write. */
export interface WebhookPlatform {
  readonly platform: Platform;
  readonly hosting: HostingDouble;
  readonly store: Store;
  readonly project: string;
  /** API keys by role. */
  readonly keys: Readonly<Record<Role, string>>;
  /** Sends a request with the API key of a role. Returns status and body. */
  ask(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    options?: AskOptions,
  ): Promise<Answer>;
  /** Creates a webhook. Returns its id and secret. */
  create(body: Readonly<Record<string, unknown>>): Promise<{ readonly id: string; readonly secret: string }>;
  commit(number: number, changes: readonly EntityChange[], fork?: string): Promise<void>;
  sender(limits?: Partial<SenderLimits>, platform?: Platform): WebhookSender;
  /** What the senders reported. */
  readonly reported: string[];
}

interface AskOptions {
  readonly role?: Role;
  readonly key?: string;
  readonly body?: unknown;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any answer, whose shape the tests state
  readonly body: any;
}

/** Reads the pages of a platform as a Viewer of its project. */
export async function pagesOf({
  platform,
  keys,
}: WebhookPlatform): Promise<(path: string) => Promise<string>> {
  const codes = createSignInCodes(platform.world);
  const accounts = createAccounts(platform.world);
  const app = await createApp(platform, [(scope) => addPages(scope, platform, { accounts, codes })]);
  const signedIn = await app.inject({
    ...({ method: "POST", url: "/sign-in" } as const),
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: `key=${keys.Viewer}`,
  });
  const [cookie = ""] = String(signedIn.headers["set-cookie"]).split(";");
  return async (path) => {
    const { statusCode, body } = await app.inject({ url: path, headers: { cookie, accept: "text/html" } });
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${body}`);
    return body;
  };
}

/** A platform in a database that is up to date. */
export async function makePlatform(database: Database): Promise<WebhookPlatform> {
  made += 1;
  const project = `project_${made}`;
  const deployment = `QmHook${made}`;
  await createProject(database, { id: project, name: "tests" });
  const keys = { Owner: "", Admin: "", Editor: "", Viewer: "" };
  for (const role of ["Owner", "Admin", "Editor", "Viewer"] as const) {
    keys[role] = `key-${made}-${role}`;
    await addApiKey(database, { id: `key_${made}_${role}`, project, name: role, role, key: keys[role] });
  }
  const version = { project, name: "pools", version: "1.0.0", deployment, description: null };
  await addVersion(database, {
    ...version,
    bundle: new Uint8Array(),
    network: "mainnet",
    engine: "embedded",
  });
  const wanted = { deployment, network: "mainnet", schema, startBlock: 0 };
  const opened = await openDeployment(database, wanted);
  const store = openStore(database, opened, {
    entities: readEntitySchema(schema),
    dataSources: [],
    templates: [],
  });
  const hosting = new HostingDouble();
  hosting.storages.set(deployment, hostedStorage(database, opened));
  const platform: Platform = {
    database,
    world,
    hosting,
    nodes: new Nodes(new Map(), world),
    settings: { address: () => "http://127.0.0.1:1", isLoopback: true, nodes: new Map(), version: "1.2.3" },
    secretKey: Buffer.alloc(32, 7),
  };
  const app = await createApp(platform, [webhookRoutes]);
  const reported: string[] = [];
  const ask: WebhookPlatform["ask"] = async (
    method,
    path,
    { role = "Editor", key = keys[role], body } = {},
  ) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const answer = await app.inject({ method, url: `/api/v1${path}`, headers, ...payload });
    return { status: answer.statusCode, body: answer.json() };
  };
  return {
    platform,
    hosting,
    store,
    project,
    keys,
    reported,
    ask,
    create: async (body) => {
      const asked = {
        name: "hook",
        subgraph_name: "pools",
        subgraph_version: "1.0.0",
        entity: "account",
        // The longest timeout, so that a slow machine causes no failures.
        retry_timeout_seconds: 300,
        ...body,
      };
      const answer = await ask("POST", "/subgraphs/webhooks", { body: asked });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return { id: answer.body.data.id, secret: answer.body.data.webhook_secret };
    },
    commit: (number, changes, fork = "a") => store.commit(block(number, fork), { changes, dataSources: [] }),
    sender: (limits = {}, other = platform) =>
      createWebhookSender(other, {
        limits: { ...quick, ...limits },
        report: (what, error) => reported.push(`${what}: ${error}`),
      }),
  };
}
