import { datasetsPart } from "../../../src/platform/management/datasets/datasets-part.js";
import { dumpsPart } from "../../../src/platform/management/dumps-part.js";
import { hostedSinksPart } from "../../../src/platform/management/hosted-sinks/hosted-sinks-part.js";
import { managementPart } from "../../../src/platform/management/management-part.js";
import { nodesPart } from "../../../src/platform/management/nodes-part.js";
import { noPipelinesPart } from "../../../src/platform/management/not-there-yet.js";
import { accountsPart } from "../../../src/platform/management/people/accounts-part.js";
import { restoresPart } from "../../../src/platform/management/restores-part.js";
import { secretsPart } from "../../../src/platform/management/secrets/secrets-part.js";
import { webhookRoutes } from "../../../src/platform/management/webhooks/webhook-routes.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { addApiKey, type Role } from "../../../src/platform/people/api-keys.js";
import { makeKey } from "../../../src/platform/people/first-project.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { type RunningServer, type ServeOptions, serve } from "../../../src/platform/serve.js";
import type { ServerPart } from "../../../src/platform/server-part.js";
import { subgraphReferences } from "../../../src/platform/subgraph-references.js";
import type { Database } from "../../../src/store/database/database.js";
import { world } from "../database/databases.js";
import { createHostingDouble, type HostingDouble } from "./hosting-double.js";

/** The platform on a free port of the loop-back interface, with an engine that indexes nothing. */
export interface TestPlatform extends RunningServer {
  /** Base address of the API. */
  readonly url: string;
  /** The owner's key. */
  readonly token: string;
  readonly hosting: HostingDouble;
  /** Adds a key to the project, or to a new project. */
  addKey(role: Role, project?: string): Promise<string>;
  /** Sends a request with the owner's key, or with a given key or none. */
  ask(path: string, request?: AskOptions): Promise<TestAnswer>;
}

export interface AskOptions {
  readonly method?: string;
  readonly key?: string | undefined;
  readonly body?: unknown;
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; `undefined` when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they like
  readonly json: any;
}

/** The management API without datasets and pipelines. It hosts no databases. */
const commonParts: readonly ServerPart[] = [
  managementPart(subgraphReferences),
  secretsPart,
  hostedSinksPart(),
  nodesPart(),
  dumpsPart(),
  restoresPart({ isOn: false }),
  (platform) => accountsPart(createAccounts(platform.world))(platform),
  () => ({ routes: webhookRoutes }),
];

/** The management API without datasets. */
export const partsBesideDatasets: readonly ServerPart[] = [...commonParts, noPipelinesPart];

/** The management API without pipelines. It makes no files of datasets. */
export const partsBesidePipelines: readonly ServerPart[] = [...commonParts, datasetsPart()];

/** The whole management API. It makes no files of datasets, and runs no pipelines. */
export const managementParts: readonly ServerPart[] = [...partsBesideDatasets, datasetsPart()];

/** Starts it on an empty database, which stays open when the server ends. */
export async function startPlatform(
  database: Database,
  options: Partial<ServeOptions> & { readonly networks?: readonly string[] } = {},
): Promise<TestPlatform> {
  const hosting = createHostingDouble(database, options.networks);
  const server = await serve({
    database: keptOpen(database),
    world,
    secretKey: new Uint8Array(32).fill(7),
    nodes: new Map(),
    host: "127.0.0.1",
    port: 0,
    version: "0.0.0-test",
    createHosting: async () => hosting,
    parts: managementParts,
    ...options,
  });
  const token = server.newKey ?? "";
  let keys = 0;
  return {
    ...server,
    url: `${server.address}/api/v1`,
    token,
    hosting,
    async addKey(role, project = server.project) {
      if (project !== server.project) await createProject(database, { id: project, name: project });
      const key = makeKey();
      keys += 1;
      await addApiKey(database, { id: `key_test_${keys}`, project, name: `test ${keys}`, role, key });
      return key;
    },
    ask: (path, request = {}) =>
      ask(path.startsWith("/api/") ? `${server.address}${path}` : path, { key: token, ...request }),
  };

  async function ask(
    url: string,
    { method = "GET", key, body, form, headers }: AskOptions,
  ): Promise<TestAnswer> {
    const answer = await fetch(url.startsWith("/") ? `${server.address}/api/v1${url}` : url, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(form && { body: form }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: parsed(text) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same database, which cannot be closed. */
export function keptOpen(database: Database): Database {
  return {
    provider: database.provider,
    query: (statement, parameters) => database.query(statement, parameters),
    run: (script) => database.run(script),
    transaction: (work, options) => database.transaction(work, options),
    listen: (channel, hear) => database.listen(channel, hear),
    ...(database.lockWaits && { lockWaits: () => database.lockWaits?.() ?? Promise.resolve([]) }),
    close: async () => undefined,
  };
}

/** The form of a deployment. */
export function deployForm(
  bundle: Uint8Array | undefined,
  fields: Readonly<Record<string, string>> = {},
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (bundle)
    form.append("bundle", new File([Buffer.from(bundle)], "bundle.zip", { type: "application/zip" }));
  return form;
}
