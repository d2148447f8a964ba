import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allOperations } from "../../../src/api/api-document.js";
import { onPglite } from "../../support/databases.js";
import { fromSchema, type Schema } from "../../support/from-schema.js";
import { sampleBundle } from "../../support/management-sample.js";
import {
  type AskOptions,
  deployForm,
  startPlatform,
  type TestAnswer,
  type TestPlatform,
} from "../../support/platform-server.js";
import { propertyRun } from "../../support/property-run.js";

/** Requests that are made of the server's own description, good ones and bad ones, and what may come of them. */

const databases = onPglite();
let server: TestPlatform;
let document: Document;
let ajv: Ajv2020;
/** Types of problems whose page was looked at. */
const pages = new Set<string>();

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> }
    >
  >;
}

beforeAll(async () => {
  server = await startPlatform(await databases.fresh());
  document = (await server.ask("/openapi.json", { key: undefined })).json;
  ajv = new Ajv2020({ strict: false })
    .addFormat(
      "date-time",
      (text) => /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
    )
    .addFormat("uri", (text) => URL.canParse(text))
    .addSchema({ $id: "api", components: document.components });
});
afterAll(() => server.close());

/** Words that lead to something, and words that lead astray. */
const words = fc.oneof(
  fc.constantFrom("pools", "1.0.0", "prod", "tags", "pause", "webhooks", "deployments", "swap"),
  fc.constantFrom(
    "-",
    "%",
    "%2F",
    "a/b",
    "a\\b",
    "\0",
    "null",
    "__proto__",
    "constructor",
    "💧",
    "‮",
    "' or 1=1 --",
    "x".repeat(300),
  ),
  fc.string({ minLength: 1, maxLength: 20, unit: "binary" }),
);

/** A value that fits a schema, or nearly, or not at all. */
function valueFor(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 3, arbitrary: fromSchema(schema, document.components.schemas) },
    { weight: 1, arbitrary: words },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "",
        "-1",
        "0",
        "1e999",
        "99999999999999999999",
        "NaN",
        "true",
        "[]",
        "2026-13-45",
      ),
    },
  );
}

function requestOf(
  path: string,
  method: string,
  operation: Operation,
): fc.Arbitrary<{ readonly address: string; readonly options: AskOptions }> {
  const { parameters = [], requestBody } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const segment = (schema: Schema): fc.Arbitrary<string> =>
    fc
      .oneof(
        { weight: 2, arbitrary: fc.constantFrom("pools", "1.0.0", "prod") },
        { weight: 1, arbitrary: valueFor(schema).map(String) },
      )
      .filter((text) => !/^\.{0,2}$/.test(text) && text.isWellFormed());
  return fc
    .record({
      path: fc.tuple(...inPath.map(({ schema }) => segment(schema))),
      query: fc.tuple(
        ...inQuery.map(({ schema }) => fc.option(valueFor(schema).map(String), { nil: undefined, freq: 2 })),
      ),
      body: bodyOf(method.toLowerCase(), requestBody),
    })
    .map(({ path: segments, query, body }) => {
      const search = new URLSearchParams();
      inQuery.forEach(({ name }, index) => {
        if (query[index] !== undefined) search.append(name, query[index]);
      });
      const filled = inPath.reduce(
        (text, { name }, index) => text.replace(`{${name}}`, encodeURIComponent(segments[index] ?? "")),
        path,
      );
      return { address: `${filled}?${search}`, options: { method: method.toUpperCase(), ...body } };
    });
}

function bodyOf(method: string, requestBody: Operation["requestBody"]): fc.Arbitrary<AskOptions> {
  if (!requestBody) return method === "get" ? fc.constant({}) : fc.constantFrom({}, {}, { body: {} });
  const [[media, { schema }] = ["", { schema: {} }]] = Object.entries(requestBody.content);
  if (media === "multipart/form-data") return formOf();
  return fc.oneof(
    { weight: 4, arbitrary: fromSchema(schema, document.components.schemas).map((body) => ({ body })) },
    { weight: 2, arbitrary: spoiled(schema).map((body) => ({ body })) },
    { weight: 1, arbitrary: fc.jsonValue().map((body) => ({ body: body === "" ? "{" : body })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<AskOptions>(
        {},
        { body: "{" },
        { body: "{}", headers: { "content-type": "text/plain" } },
        { body: '{"a":1,"a":2}' },
      ),
    },
  );
}

/** An object that fits a schema but for one field. */
function spoiled(schema: Schema): fc.Arbitrary<unknown> {
  const wrong = fc.oneof(
    fc.constantFrom<unknown>(null, -1, 1e300, {}, [], true, "\0", "x".repeat(600)),
    words,
  );
  return fc
    .tuple(fromSchema(schema, document.components.schemas), fc.nat(), wrong)
    .map(([value, at, bad]) => {
      const names = Object.keys(value as object);
      return names.length === 0 ? bad : { ...(value as object), [names[at % names.length] as string]: bad };
    });
}

function formOf(): fc.Arbitrary<AskOptions> {
  const text = fc.oneof(
    fc.constantFrom("0", "1", "", "-1", "pools/1.0.0", "pools/9", "a/b/c", "99999999999"),
    words,
  );
  const fields = fc.dictionary(
    fc.constantFrom(
      "overwrite",
      "remove_graft",
      "skip_graft_validation",
      "start_block",
      "graft_from",
      "description",
      "graph_node_shard",
      "bundle",
      "other",
    ),
    text.filter((value) => value.isWellFormed()),
    { maxKeys: 3 },
  );
  const bundle = fc.oneof(
    fc.constant(sampleBundle()),
    fc.constant(undefined),
    fc.uint8Array({ maxLength: 300 }),
    fc
      .nat({ max: 800 })
      .map((at) => sampleBundle().map((byte, index) => (index === at ? byte ^ 0xff : byte))),
    fc.nat({ max: 800 }).map((at) => sampleBundle().subarray(0, at)),
  );
  return fc.tuple(bundle, fields).map(([zip, given]) => ({ form: deployForm(zip, given) }));
}

async function judge(operation: Operation, path: string, answer: TestAnswer): Promise<void> {
  const success = Object.entries(operation.responses).find(([status]) => Number(status) === answer.status);
  if (success) {
    const reference = success[1].content?.["application/json"]?.schema.$ref;
    if (reference === undefined) return;
    const fits = ajv.getSchema(`api${reference}`);
    if (!fits) throw new Error(`no schema ${reference}`);
    if (!fits(answer.json))
      throw new Error(`the answer does not fit: ${JSON.stringify(fits.errors)} ${answer.text}`);
    return;
  }
  expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  const isProblem = ajv.getSchema("api#/components/schemas/Problem");
  expect([isProblem?.(answer.json), answer.json.status]).toEqual([true, answer.status]);
  if (answer.status >= 500) {
    expect([answer.status, answer.json.type]).toEqual([501, `${server.address}/api/errors/not-there-yet`]);
    expect(path).toMatch(/^\/(pipelines|edge|subgraphs\/webhooks)/);
  }
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

describe("every operation of the description answers as it says, whatever it is asked:", () => {
  it.each(
    allOperations.map(({ id, method, path }) => [id, method, path] as const),
  )("%s (%s %s)", async (id, method, path) => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (operation?.operationId !== id) throw new Error(`the description lacks ${id}`);
    const form = deployForm(sampleBundle());
    await server.ask("/subgraphs/pools/deployments/1.0.0", { method: "PUT", form });
    await server.ask("/subgraphs/pools/tags/prod", { method: "PUT", body: { target_version: "1.0.0" } });
    await fc.assert(
      fc.asyncProperty(requestOf(path, method, operation), async ({ address, options }) => {
        await judge(operation, path, await server.ask(address, options));
      }),
      propertyRun(25),
    );
  });
});
