import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { expect } from "vitest";
import { openApiDocument } from "../../../src/data/openapi/openapi-document.js";
import type { DataService } from "../../../src/data/service/data-service.js";
import { propertyRun, propertySeed } from "../property/property-run.js";
import { dataKey } from "./asked.js";

/** A parameter, as the OpenAPI document describes it. */
interface DocumentParameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly example?: string | number;
  readonly schema: {
    readonly type: "integer" | "number" | "boolean" | "string";
    readonly format?: string;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly enum?: readonly string[];
    readonly pattern?: string;
  };
}

/** An operation of the OpenAPI document. */
export interface DocumentOperation {
  readonly path: string;
  readonly tags: readonly string[];
  readonly parameters: readonly DocumentParameter[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly "x-conflicts"?: readonly (readonly [string, string])[];
  readonly "x-requires"?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Values of parameters, by name. */
export type Given = readonly (readonly [name: string, value: string])[];

interface Document {
  readonly paths: Readonly<Record<string, { readonly get: Omit<DocumentOperation, "path"> }>>;
}

/** All operations of the document. */
export function documentOperations(): readonly DocumentOperation[] {
  const { paths } = openApiDocument("") as unknown as Document;
  return Object.entries(paths).map(([path, { get }]) => ({ path, ...get }));
}

/** Sends requests, and holds each answer against the document. */
export class ContractClient {
  readonly #service: DataService;
  /** Values of parameters that have something behind them, by name. They are tried besides random ones. */
  readonly known: Readonly<Record<string, string>>;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(service: DataService, known: Readonly<Record<string, string>> = {}) {
    this.#service = service;
    this.known = known;
    (addFormats as unknown as { readonly default: (ajv: Ajv2020) => void }).default(this.#ajv);
    this.#ajv.addSchema({ $id: "document", ...openApiDocument("") });
  }

  /** @returns the status of the answer, which the document knows, as it does the body, and the body */
  async send(
    operation: DocumentOperation,
    given: Given,
  ): Promise<{ readonly status: number; readonly body: unknown; readonly url: string }> {
    const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
    const path = inPath.reduce((text, { name, example }) => {
      const [, value = String(example)] = given.find(([one]) => one === name) ?? [];
      return text.replace(`{${name}}`, encodeURIComponent(value));
    }, operation.path);
    const query = given.filter(([name]) => inPath.every((parameter) => parameter.name !== name));
    const url = `${path}?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`;
    const {
      status,
      headers,
      body: text,
    } = await this.#service.answer({
      method: "GET",
      url,
      header: (name) => (name === "x-api-key" ? dataKey : undefined),
    });
    const body: unknown = JSON.parse(text);
    expect(Object.keys(operation.responses), `${status} for ${url}`).toContain(String(status));
    const check = this.#check(operation.path, status);
    const isFit = check(body);
    expect(isFit, `${url}: ${JSON.stringify(check.errors?.slice(0, 3))}`).toBe(true);
    if (status === 503) {
      expect(headers["retry-after"], url).toMatch(/^\d+$/);
      expect((body as Refused).error.chains, url).not.toEqual([]);
    }
    return { status, body, url };
  }

  #check(path: string, status: number): ValidateFunction {
    const pointer = [
      "paths",
      path,
      "get",
      "responses",
      String(status),
      "content",
      "application/json",
      "schema",
    ]
      .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
      .join("/");
    const known = this.#checks.get(pointer);
    if (known) return known;
    const made = this.#ajv.compile({ $ref: `document#/${pointer}` });
    this.#checks.set(pointer, made);
    return made;
  }
}

/** The body of a refusal. */
interface Refused {
  readonly error: { readonly code: string; readonly chains?: readonly string[] };
}

/** Values that the schema of a parameter allows. The values of cursors come from answers, and are not among them. */
function goodValues(
  { known }: ContractClient,
  { name, example, schema }: DocumentParameter,
  count: number,
): readonly string[] {
  if (example !== undefined) return [String(example)];
  // A pattern also allows months that there are not.
  const allowed = name.endsWith("_time") ? fc.oneof(times, seconds) : allowedBy(schema);
  const random = fc.sample(allowed, { seed: propertySeed, numRuns: count });
  return known[name] === undefined ? random : [known[name], ...random];
}

const times = fc
  .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());
const seconds = fc.integer({ min: 0, max: 4_000_000_000 }).map(String);

function allowedBy({
  type,
  format,
  minimum,
  maximum,
  enum: texts,
  pattern,
}: DocumentParameter["schema"]): fc.Arbitrary<string> {
  if (texts) return fc.constantFrom(...texts);
  if (type === "boolean") return fc.constantFrom("true", "false");
  if (type === "integer") {
    const bits = format === "int32" ? 31n : 63n;
    const [min, max] = [BigInt(minimum ?? -(2n ** bits)), BigInt(maximum ?? 2n ** bits - 1n)];
    const small = { min: min > 0n ? min : 0n, max: max < 40n ? max : 40n };
    return fc.oneof(fc.bigInt({ min, max }), fc.bigInt(small), fc.constantFrom(min, max)).map(String);
  }
  if (type === "number")
    return fc.double({ min: minimum ?? -1e15, max: maximum ?? 1e15, noNaN: true }).map(String);
  if (format === "date-time") return times;
  return pattern === undefined
    ? fc.stringMatching(/^[a-zA-Z\d_]{1,20}$/)
    : fc.stringMatching(new RegExp(pattern), { size: "small" });
}

/** Values that the schema of a parameter does not allow. */
function badValues({ schema }: DocumentParameter): readonly string[] {
  const { type, format, minimum, maximum, enum: texts, pattern } = schema;
  if (type === "boolean") return ["", "yes", "1", "TRUE"];
  if (type === "number")
    return ["", "much", "NaN", "Infinity", "1,5", ...(minimum === undefined ? [] : [String(minimum - 1)])];
  if (type === "integer") {
    const bits = format === "int32" ? 31n : 63n;
    const [min, max] = [BigInt(minimum ?? -(2n ** bits)), BigInt(maximum ?? 2n ** bits - 1n)];
    return ["", "1.5", "1e3", "0x1", "one", "+1", " 1", String(min - 1n), String(max + 1n)];
  }
  if (texts)
    return [
      "",
      ...texts.flatMap((text) => [`${text}x`, swapCase(text)]).filter((text) => !texts.includes(text)),
    ];
  if (format === "date-time")
    return [
      "",
      "yesterday",
      "2026-01-01",
      "2026-13-01T00:00:00Z",
      "2026-02-30T00:00:00Z",
      "2026-01-01T00:00:00",
    ];
  if (pattern === undefined) return [""];
  const allowed = new RegExp(pattern);
  const random = fc.sample(fc.string({ minLength: 1, maxLength: 80 }), { seed: propertySeed, numRuns: 4 });
  return ["", ",", ...random].filter((text) => !allowed.test(text));
}

function swapCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
}

const isCursor = ({ name }: DocumentParameter): boolean => name === "cursor" || name === "page_token";

/** What every request needs, with values that are allowed. */
function neededBy(client: ContractClient, { parameters }: DocumentOperation): Given {
  return parameters
    .filter(({ required, in: place }) => required && place === "query")
    .map((parameter) => [parameter.name, goodValues(client, parameter, 1)[0] ?? ""] as const);
}

/** Requests that break the schema of one parameter each: all are refused with 400. */
export async function expectBadRefused(client: ContractClient, operation: DocumentOperation): Promise<void> {
  const needed = neededBy(client, operation);
  const refused = async (given: Given): Promise<void> => {
    const { status, url } = await client.send(operation, given);
    expect(status, url).toBe(400);
  };
  for (const parameter of operation.parameters) {
    const { name } = parameter;
    const others = needed.filter(([one]) => one !== name);
    if (parameter.in === "path") {
      await refused([...needed, [name, "nowhere"]]);
      continue;
    }
    for (const value of badValues(parameter)) await refused([...others, [name, value]]);
    const [good = "1"] = goodValues(client, parameter, 1);
    await refused([...others, [name, good], [name, good]]);
    if (parameter.required) await refused(others);
    if (isCursor(parameter)) await refused([...others, [name, good]]);
  }
}

/**
 * Requests whose parameters all are as the schemas say: each alone, and in random combinations. They are answered with 200, or
 * with 422 if the document says that they conflict.
 * @param wants the code with which requests are refused that lack what schemas cannot say
 */
export async function expectGoodAnswered(
  client: ContractClient,
  operation: DocumentOperation,
  wants?: string,
): Promise<void> {
  const needed = neededBy(client, operation);
  const answered = async (given: Given): Promise<void> => {
    const { status, url, body } = await client.send(operation, given);
    const wanted = conflictIn(operation, new Map(given)) ? 422 : 200;
    if (wants !== undefined && wanted === 200 && status === 400)
      expect((body as Refused).error.code, url).toBe(wants);
    else expect(status, `${url}: ${JSON.stringify(body)}`).toBe(wanted);
  };
  const free = operation.parameters.filter((parameter) => parameter.in === "query" && !isCursor(parameter));
  for (const parameter of free)
    for (const value of goodValues(client, parameter, 4))
      await answered([...needed.filter(([name]) => name !== parameter.name), [parameter.name, value]]);
  const { numRuns } = propertyRun(30);
  const combinations = fc.tuple(
    ...free.map((parameter) => {
      const value = fc.constantFrom(...goodValues(client, parameter, 8));
      return parameter.required ? value : fc.option(value, { nil: undefined, freq: 2 });
    }),
  );
  for (const values of fc.sample(combinations, { seed: propertySeed, numRuns }))
    await answered(
      free.flatMap(({ name }, index) => {
        const value = values[index];
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
}

function conflictIn(operation: DocumentOperation, given: ReadonlyMap<string, string>): boolean {
  const { "x-conflicts": conflicts = [], "x-requires": requires = {} } = operation;
  return (
    conflicts.some((names) => names.every((name) => given.has(name))) ||
    Object.entries(requires).some(
      ([name, patterns]) =>
        given.has(name) &&
        Object.entries(patterns).some(
          ([other, pattern]) => !new RegExp(pattern).test(given.get(other) ?? ""),
        ),
    )
  );
}

/** Pages that follow each other by the cursor of an operation, until the last one; the cursors of others are refused. */
export async function expectPages(
  client: ContractClient,
  operation: DocumentOperation,
  first: Given,
): Promise<number> {
  const cursor = operation.parameters.find(isCursor);
  if (!cursor) return 0;
  let pages = 1;
  let { body } = await client.send(operation, first);
  for (let next = nextIn(body); next !== null && pages < 100; next = nextIn(body), pages++) {
    const answer = await client.send(operation, [...first, [cursor.name, next]]);
    expect(answer.status, answer.url).toBe(200);
    body = answer.body;
  }
  expect(nextIn(body)).toBeNull();
  return pages;
}

function nextIn(body: unknown): string | null {
  const { next_cursor: cursor, pagination } = body as {
    readonly next_cursor?: string | null;
    readonly pagination?: { readonly next_page_token: string | null };
  };
  return pagination ? pagination.next_page_token : (cursor ?? null);
}
