import fc from "fast-check";
import { zipSync } from "fflate";
import { fromSchema, type Schema } from "../../support/compiler/from-schema.js";
import { sampleBundle, sampleFiles } from "../../support/server/management-sample.js";
import { type AskOptions, deployForm } from "../../support/server/platform-server.js";

/** The parts of the OpenAPI document that requests are generated from. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> }
    >
  >;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

/** A generated request. */
export interface AskedRequest {
  readonly address: string;
  readonly options: AskOptions;
}

type Schemas = Description["components"]["schemas"];

/** Strings that name existing things, and misleading ones. */
const words = fc.oneof(
  fc.constantFrom("pools", "1.0.0", "prod", "swaps", "tags", "pause", "webhooks", "deployments", "swap"),
  fc.constantFrom("-", "%", "%2F", "a/b", "a\\b", "\0", "null", "__proto__", "constructor", "💧", "\u202e"),
  fc.constantFrom("' or 1=1 --", "x".repeat(300), "x".repeat(5_000), "\ud800"),
  fc.string({ minLength: 1, maxLength: 20, unit: "binary" }),
);
const numerals = ["", "-1", "0", "1e999", "99999999999999999999", "NaN", "true", "[]", "2026-13-45"];
/** As deeply nested as the longest body allows. */
const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

/** Requests to an operation. Some match the OpenAPI document, others nearly, or not at all. */
export function requestOf(
  path: string,
  method: string,
  { parameters = [], requestBody }: DescribedOperation,
  schemas: Schemas,
): fc.Arbitrary<AskedRequest> {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const segment = (schema: Schema): fc.Arbitrary<string> =>
    fc
      .oneof(
        { weight: 2, arbitrary: fc.constantFrom("pools", "1.0.0", "2.0.0", "prod", "swaps") },
        { weight: 1, arbitrary: valueFor(schema, schemas).map(String) },
      )
      .filter((text) => !/^\.{0,2}$/.test(text) && text.isWellFormed());
  const values = ({ schema }: DescribedParameter): fc.Arbitrary<string[]> =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant<string[]>([]) },
      { weight: 4, arbitrary: valueFor(schema, schemas).map((value) => [String(value)]) },
      { weight: 1, arbitrary: fc.array(words, { minLength: 2, maxLength: 3 }) },
    );
  return fc
    .record({
      path: fc.tuple(...inPath.map(({ schema }) => segment(schema))),
      query: fc.tuple(...inQuery.map(values)),
      body: bodyOf(method.toLowerCase(), requestBody, schemas),
    })
    .map(({ path: segments, query, body }) => {
      const search = new URLSearchParams();
      inQuery.forEach(({ name }, index) => {
        for (const value of query[index] ?? []) search.append(name, value);
      });
      const filled = inPath.reduce(
        (text, { name }, index) => text.replace(`{${name}}`, encodeURIComponent(segments[index] ?? "")),
        path,
      );
      return { address: `${filled}?${search}`, options: { method: method.toUpperCase(), ...body } };
    });
}

/** A value that matches a schema, or nearly, or not at all. */
function valueFor(schema: Schema, schemas: Schemas): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 3, arbitrary: fromSchema(schema, schemas) },
    { weight: 1, arbitrary: words },
    { weight: 1, arbitrary: fc.constantFrom(...numerals) },
  );
}

function bodyOf(
  method: string,
  requestBody: DescribedOperation["requestBody"],
  schemas: Schemas,
): fc.Arbitrary<AskOptions> {
  if (!requestBody) return method === "get" ? fc.constant({}) : fc.constantFrom({}, {}, { body: {} });
  const [[media, { schema }] = ["", { schema: {} }]] = Object.entries(requestBody.content);
  if (media === "multipart/form-data") {
    return fc.oneof({ weight: 5, arbitrary: formOf() }, { weight: 2, arbitrary: brokenForm() });
  }
  return fc.oneof(
    { weight: 4, arbitrary: fromSchema(schema, schemas).map((body) => ({ body })) },
    { weight: 2, arbitrary: spoiled(schema, schemas).map((body) => ({ body })) },
    { weight: 1, arbitrary: fc.jsonValue().map((body) => ({ body: body === "" ? "{" : body })) },
    { weight: 2, arbitrary: brokenJson() },
  );
}

/** An object that matches a schema except for one field, either of the schema or unknown to it. */
function spoiled(schema: Schema, schemas: Schemas): fc.Arbitrary<unknown> {
  const wrong = fc.oneof(
    fc.constantFrom<unknown>(null, -1, 1e300, {}, [], true, "\0", "x".repeat(600), "x".repeat(500_000)),
    words,
  );
  return fc.tuple(fromSchema(schema, schemas), fc.nat(), wrong).map(([value, at, bad]) => {
    const names = [...Object.keys(value as object), "other"];
    return { ...(value as object), [names[at % names.length] as string]: bad };
  });
}

/** Bodies that are not JSON, have a different media type, or are too large. */
function brokenJson(): fc.Arbitrary<AskOptions> {
  const json = "application/json";
  return fc.constantFrom<AskOptions>(
    {},
    { body: "{" },
    { body: "\0" },
    { body: '{"a":1,"a":2}' },
    { body: '{"__proto__":{"a":1}}' },
    { body: `{"other":${deep}}` },
    { body: `{"other":"${"x".repeat(1_100_000)}"}` },
    { body: "{}", headers: { "content-type": "text/plain" } },
    { body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
    { body: "{}", headers: { "content-type": ";;;" } },
    { body: "{}", headers: { "content-type": `${json}; charset=utf-7` } },
    { body: "{}", headers: { "content-type": json, "content-encoding": "gzip" } },
    { form: deployForm(sampleBundle()) },
  );
}

function formOf(): fc.Arbitrary<AskOptions> {
  const text = fc.oneof(
    fc.constantFrom("0", "1", "", "-1", "pools/1.0.0", "pools/9", "a/b/c", "99999999999"),
    words,
  );
  const names = ["overwrite", "remove_graft", "skip_graft_validation", "start_block", "graft_from"];
  const others = ["description", "graph_node_shard", "bundle", "other", "__proto__", "toString"];
  const fields = fc.dictionary(
    fc.constantFrom(...names, ...others),
    text.filter((value) => value.isWellFormed()),
    { maxKeys: 3 },
  );
  const zips = fc.oneof(
    fc.constant(sampleBundle()),
    fc.constant(undefined),
    fc.uint8Array({ maxLength: 300 }),
    fc
      .nat({ max: 800 })
      .map((at) => sampleBundle().map((byte, index) => (index === at ? byte ^ 0xff : byte))),
    fc.nat({ max: 800 }).map((at) => sampleBundle().subarray(0, at)),
    spoiledFile().map((file) => zipSync({ ...sampleFiles(), ...file })),
  );
  return fc.tuple(zips, fields).map(([zip, given]) => ({ form: deployForm(zip, given) }));
}

/** A file of a build with invalid content. */
function spoiledFile(): fc.Arbitrary<Readonly<Record<string, Uint8Array>>> {
  const manifest = Buffer.from(sampleFiles()["subgraph.yaml"] ?? []).toString();
  const lines = manifest.trimEnd().split("\n");
  const value = fc.constantFrom("5", "[null]", "&a [*a]", "{}", "null", "-1", "1e99", '"\\0"', "Qm", deep);
  const spoiledManifest = fc
    .tuple(fc.nat({ max: lines.length - 1 }), value)
    .map(([at, text]) => lines.map((line, index) => (index === at ? line.replace(/:.*/, `: ${text}`) : line)))
    .map((changed) => changed.join("\n"));
  const schema = fc.constantFrom(
    "",
    "type {{{{",
    "type A @entity",
    "union A = B",
    `type A @entity { id: ID!, x: ${deep} }`,
    "\0",
  );
  return fc.oneof(
    spoiledManifest.map((text) => ({ "subgraph.yaml": Buffer.from(text) })),
    schema.map((text) => ({ "schema.graphql": Buffer.from(text) })),
    fc.constantFrom("{", "[5]", "").map((text) => ({ "Pool/Pool.json": Buffer.from(text) })),
    fc.constantFrom("/etc/x", "../x", "a\\b", "__proto__").map((path) => ({ [path]: Buffer.from("x") })),
  );
}

/** Forms that end early, are not forms, or have a different media type. */
function brokenForm(): fc.Arbitrary<AskOptions> {
  const disposition = 'Content-Disposition: form-data; name="bundle"; filename="b.zip"';
  const whole = `--x\r\n${disposition}\r\nContent-Type: application/zip\r\n\r\nPK\r\n--x--\r\n`;
  const cut = fc.nat({ max: whole.length }).map((at) => whole.slice(0, at));
  const type = fc.constantFrom(
    "multipart/form-data; boundary=x",
    "multipart/form-data",
    "multipart/form-data; boundary=y",
    `multipart/form-data; boundary=${"x".repeat(300)}`,
    "multipart/mixed; boundary=x",
    "application/zip",
    "application/json",
  );
  return fc.tuple(cut, type).map(([body, media]) => ({ body, headers: { "content-type": media } }));
}
