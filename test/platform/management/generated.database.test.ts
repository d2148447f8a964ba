import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { allOperations } from "../../../src/api/api-document.js";
import { onPglite } from "../../support/database/databases.js";
import { propertyRun } from "../../support/property/property-run.js";
import { sampleBundle } from "../../support/server/management-sample.js";
import {
  deployForm,
  startPlatform,
  type TestAnswer,
  type TestPlatform,
} from "../../support/server/platform-server.js";
import { type DescribedOperation, type Description, requestOf } from "./arbitrary-request.js";

/** Valid and invalid requests generated from the server's OpenAPI document, and checks of their answers. */

const databases = onPglite();
let server: TestPlatform;
let description: Description;
let ajv: Ajv2020;
/** The problem types whose pages were already checked. */
const pages = new Set<string>();

beforeAll(async () => {
  server = await startPlatform(await databases.fresh());
  description = (await server.ask("/openapi.json", { key: undefined })).json;
  ajv = new Ajv2020({ strict: false })
    .addFormat(
      "date-time",
      (text) => /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
    )
    .addFormat("uri", (text) => URL.canParse(text))
    .addSchema({ $id: "api", components: description.components, paths: description.paths });
});
afterAll(() => server.close());

const put = (path: string, body: unknown) => server.ask(path, { method: "PUT", body });
const post = (path: string, body: unknown) => server.ask(path, { method: "POST", body });
const webhook = {
  name: "swaps",
  subgraph_name: "pools",
  subgraph_version: "1.0.0",
  entity: "swap",
  webhook_url: "https://example.com/hook",
};
const secret = { type: "httpauth", secretKey: "x-key", secretValue: "s3cr3t" };
const definition = { sources: {}, transforms: {}, sinks: {} };

// Restores what earlier requests have deleted.
beforeEach(async () => {
  for (const version of ["1.0.0", "2.0.0"]) {
    if ((await server.ask(`/subgraphs/pools/${version}`)).status === 200) continue;
    const form = deployForm(sampleBundle());
    await server.ask(`/subgraphs/pools/deployments/${version}`, { method: "PUT", form });
  }
  await put("/subgraphs/pools/tags/prod", { target_version: "1.0.0" });
  await post("/subgraphs/webhooks", webhook);
  await post("/edge", { name: "pools" });
  await post("/secrets", { name: "pools", value: secret });
});

/** Whether a value matches the schema at a place of the OpenAPI document. Compiled schemas are cached. */
function fits(place: string, value: unknown): boolean {
  const fitting = ajv.getSchema(place);
  if (!fitting) throw new Error(`the description has nothing at ${place}`);
  const is = fitting(value) === true;
  ajv.errors = fitting.errors ?? null;
  return is;
}

/**
 * Checks an answer against the OpenAPI document.
 * @param success the places of the operation's answer schemas, by status
 */
async function judge(
  answer: TestAnswer,
  success: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (answer.status in success) {
    const schema = success[answer.status];
    if (schema !== undefined && !fits(schema, answer.json))
      throw new Error(`the answer does not fit: ${ajv.errorsText()} ${answer.text}`);
    return;
  }
  expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  expect([fits("api#/components/schemas/Problem", answer.json), answer.json.status]).toEqual([
    true,
    answer.status,
  ]);
  if (answer.status === 400) expect(answer.json.errors).toBeInstanceOf(Array);
  if (pages.has(answer.json.type)) return;
  pages.add(answer.json.type);
  const page = await fetch(answer.json.type);
  expect([answer.json.type, page.status, page.headers.get("content-type")]).toEqual([
    answer.json.type,
    200,
    "text/html; charset=utf-8",
  ]);
  await page.arrayBuffer();
}

/** The places of an operation's answer schemas, by status. */
function answersOf({ responses }: DescribedOperation): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(responses).flatMap(([status, { content }]) => {
      const reference = content?.["application/json"]?.schema.$ref;
      if (status === "default") return [];
      return [[status, reference === undefined ? undefined : `api${reference}`]];
    }),
  );
}

/** Operations that are not available yet. */
const notThereYet = ["createPipeline", "previewPipeline", "validatePipeline"];

/** A valid body for each operation that requires one. */
const bodies: Readonly<Record<string, unknown>> = {
  updateSubgraphVersion: { description: "d" },
  setSubgraphTag: { target_version: "1.0.0" },
  createWebhook: { ...webhook, name: "more" },
  createPipeline: { name: "p", definition },
  previewPipeline: { definition },
  validatePipeline: { definition },
  createEdgeEndpoint: { name: "more" },
  createSecret: { name: "more", value: secret },
  updateSecret: { value: { ...secret, secretValue: "other" } },
  updateEdgeEndpoint: { allowed_domains: ["example.com"] },
};

/** A path of an operation that leads to existing things. */
function meantAddress(id: string, path: string): string {
  const name = path.includes("/webhooks/") ? "swaps" : "pools";
  const version = id === "deleteSubgraphDeployment" ? "2.0.0" : path.includes("/tags/") ? "prod" : "1.0.0";
  return path.replace("{name}", name).replace("{version}", version);
}

/** The status of the answer to a valid request. No pipelines exist. */
function meantStatus(id: string, path: string, status: number): number {
  if (notThereYet.includes(id)) return 501;
  return path.startsWith("/pipelines/") ? 404 : status;
}

describe("every operation answers any request as the OpenAPI document describes:", () => {
  it.each(
    allOperations.map(({ id, method, path, status }) => [id, method, path, status] as const),
  )("%s (%s %s)", async (id, method, path, status) => {
    const operation = description.paths[path]?.[method.toLowerCase()];
    if (operation?.operationId !== id) throw new Error(`the description lacks ${id}`);
    const answers = answersOf(operation);
    const meant = await server.ask(meantAddress(id, path), {
      method,
      ...(bodies[id] !== undefined && { body: bodies[id] }),
      ...(id === "deploySubgraph" && { form: deployForm(sampleBundle()) }),
    });
    expect([meant.status, meant.text]).toEqual([meantStatus(id, path, status), meant.text]);
    await judge(meant, answers);
    const requests = requestOf(path, method, operation, description.components.schemas);
    await fc.assert(
      fc.asyncProperty(requests, async ({ address, options }) => {
        const answer = await server.ask(address, options);
        await judge(answer, answers);
        if (answer.status >= 500)
          expect([answer.status, notThereYet]).toEqual([501, expect.arrayContaining([id])]);
      }),
      propertyRun(10),
    );
  });
});

/** A valid request for each extension, and its status with an API key. Routes for people reject API keys. */
const extensions: Readonly<Record<string, readonly [status: number, body?: unknown]>> = {
  getAuth: [200],
  postAuthToken: [400],
  deleteAuthToken: [403],
  getMe: [200],
  getProjects: [200],
  postProjects: [403, { name: "more" }],
  patchProjectsId: [200, { name: "renamed" }],
  postProjectsIdLeave: [403],
  getProjectsIdMembers: [200],
  postProjectsIdInvitations: [201, { emails: ["somebody@example.com"] }],
  patchProjectsIdMembersEmail: [200, { role: "Editor" }],
  deleteProjectsIdMembersEmail: [200],
  getProjectsIdApiKeys: [200],
  postProjectsIdApiKeys: [201, { name: "more", role: "Viewer" }],
  deleteProjectsIdApiKeysKeyId: [404],
  getProjectsIdAudit: [200],
  getNodes: [200],
  getSubgraphsNameVersionBuild: [404],
  getDeploymentsDeploymentBuild: [404],
  getIpfsCid: [404],
  getSubgraphsNameVersionRewind: [400],
  postSubgraphsNameVersionRewind: [404, { block: 1 }],
  // Nothing was indexed.
  postSubgraphsNameVersionDump: [404, { tables: [] }],
  // This server takes no restores.
  postRestores: [404, { metadata: "{}", schema: "" }],
  postRestoresDeploymentRows: [400],
  postRestoresDeploymentComplete: [404],
  // The database of this server cannot host others.
  postHostedSinks: [422, { type: "postgres" }],
  deleteHostedSinksName: [404],
  // This server makes no files of datasets.
  getDatasets: [404],
  getDatasetsDatasetFile: [400],
  getExtensionsWebhooksName: [200],
  patchExtensionsWebhooksName: [200, { num_retries: 5 }],
  getExtensionsWebhooksNameDeliveriesId: [404],
  postExtensionsWebhooksNameRedeliverFailed: [200],
  putExtensionsWebhooksNamePause: [200],
  putExtensionsWebhooksNameResume: [200],
  getExtensionsWebhooksNameDeliveries: [200],
  // No event was delivered yet.
  postExtensionsWebhooksDeliveriesIdRedeliver: [404],
};

describe("every extension answers any request as the OpenAPI document describes:", () => {
  /** Secrets are tested with the operations of the contract. */
  const isAskedAbove = (id: string) => allOperations.some((operation) => operation.id === id);
  const described = () =>
    Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(
          ([, operation]) => "x-graphloom-extension" in operation && !isAskedAbove(operation.operationId),
        )
        .map(([method, operation]) => ({ path, method, operation })),
    );
  const own = (address: string) => address.replace("/projects/pools", `/projects/${server.project}`);

  it("the OpenAPI document marks exactly the known extensions", () => {
    const ids = described().map(({ operation }) => operation.operationId);
    expect(ids.sort()).toEqual(Object.keys(extensions).sort());
  });

  // A rewind waits for a node, which this server does not have. Tests of its own ask for one.
  const asked = Object.entries(extensions).filter(([id]) => !id.endsWith("Rewind"));

  it.each(asked)("%s", async (id, [status, body]) => {
    const found = described().find(({ operation }) => operation.operationId === id);
    if (!found) throw new Error(`the description lacks ${id}`);
    const { path, method, operation } = found;
    const answers = Object.fromEntries(
      Object.entries(operation.responses).flatMap(([code, { content }]) => {
        const place = [path, method, "responses", code, "content", "application/json", "schema"];
        const pointer = place.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/");
        return code === "default" ? [] : [[code, content && `api#/paths/${encodeURI(pointer)}`]];
      }),
    );
    const meant = path
      .replace("{id}", path.startsWith("/projects") ? server.project : "absent")
      .replace("{email}", "somebody@example.com")
      .replace("{keyId}", "absent")
      .replace("{name}", "swaps")
      .replace("{version}", "absent");
    const answer = await server.ask(meant, {
      method: method.toUpperCase(),
      ...(body !== undefined && { body }),
    });
    expect([answer.status, answer.text]).toEqual([status, answer.text]);
    await judge(answer, answers);
    await fc.assert(
      fc.asyncProperty(requestOf(path, method, operation, {}), async ({ address, options }) => {
        const other = await server.ask(own(address), options);
        await judge(other, answers);
        expect(other.status).toBeLessThan(500);
      }),
      propertyRun(10),
    );
  });
});
