import { type Extension, statusOf } from "../../api/extension.js";
import type { GuardedRoute } from "../http/roles.js";

/** An operation of the OpenAPI document that the contract does not have. */
export interface DescribedExtension {
  /** `/projects/{id}` */
  readonly path: string;
  /** `get` */
  readonly method: string;
  readonly operation: Readonly<Record<string, unknown>> & {
    readonly responses: Readonly<Record<string, object>>;
  };
}

/** Describes a route that the contract does not have, marked as an extension; undefined for all others. */
export function describeExtension({ method, extension }: GuardedRoute): DescribedExtension | undefined {
  if (!extension || method === "HEAD") return undefined;
  const { path, summary, query = {}, required = [], body, upload } = extension;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(([name, schema]) => ({
    name,
    in: "query",
    ...(required.includes(name) && { required: true }),
    schema,
  }));
  return {
    path,
    method: method.toLowerCase(),
    operation: {
      operationId: idOf(method, path),
      summary,
      tags: [path.split("/")[1]],
      "x-graphloom-extension": true,
      ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
      ...(upload && {
        requestBody: {
          required: true,
          content: { [upload.media]: { schema: { type: "string", format: "binary" } } },
        },
      }),
      ...(body && { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
      responses: {
        [statusOf(extension)]: {
          description: "The operation succeeded.",
          ...contentOf(extension),
        },
      },
    },
  };
}

/** The content of a successful response: JSON, a file with headers, or nothing. */
function contentOf({ answer, file }: Extension): object {
  if (answer) return { content: { "application/json": { schema: answer } } };
  if (!file) return {};
  const headers = Object.entries(file.headers).map(([name, schema]) => [name, { schema }] as const);
  return {
    headers: Object.fromEntries(headers),
    content: { [file.media]: { schema: { type: "string", format: "binary" } } },
  };
}

/** `getProjectsIdMembers` */
function idOf(method: string, path: string): string {
  const words = path.split(/\W+/).filter((word) => word !== "");
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
