import { statusOf } from "../../api/extension.js";
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
  const { path, summary, query = {}, body, answer } = extension;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(([name, schema]) => ({ name, in: "query", schema }));
  return {
    path,
    method: method.toLowerCase(),
    operation: {
      operationId: idOf(method, path),
      summary,
      tags: [path.split("/")[1]],
      "x-graphloom-extension": true,
      ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
      ...(body && { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
      responses: {
        [statusOf(extension)]: {
          description: "The operation succeeded.",
          ...(answer && { content: { "application/json": { schema: answer } } }),
        },
      },
    },
  };
}

/** `getProjectsIdMembers` */
function idOf(method: string, path: string): string {
  const words = path.split(/\W+/).filter((word) => word !== "");
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
