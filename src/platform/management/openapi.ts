import { apiDocument, operationOf } from "../../api/api-document.js";
import type { Schema } from "../../api/extension.js";
import { isRecord } from "../../base/text/json-value.js";
import { apiBase } from "../http/add-route.js";
import type { Admission, GuardedRoute } from "../http/roles.js";
import { deployedExtension, deployFormExtension, retriedExtension } from "./deploy-extension.js";
import { describeExtension } from "./describe-extension.js";
import { roleOf } from "./operations.js";

const problem = {
  type: "object",
  description: "Why the API refused the request (RFC 9457).",
  properties: {
    type: {
      type: "string",
      format: "uri",
      description: "The type of the problem: the address of a page that explains it.",
    },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "What is wrong and what to do." },
    instance: { type: "string", description: "The path of the request." },
    errors: {
      type: "array",
      description: "The fields that are wrong. Present with status 400.",
      items: {
        type: "object",
        properties: { field: { type: "string" }, message: { type: "string" } },
        required: ["message"],
      },
    },
  },
  required: ["type", "title", "status", "detail", "instance"],
};

/**
 * The OpenAPI document of a server: the contract with the server's address, the role that each operation requires, the
 * errors, and the server's extensions.
 * @param routes all routes of the server
 */
export function openApiOf(address: string, routes: readonly GuardedRoute[]): object {
  const refusal = {
    description: "The API refused the request.",
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  };
  const paths = Object.entries(apiDocument.paths).map(([path, methods]) => {
    const described = Object.entries(methods).map(([method, object]) => {
      const operation = {
        ...object,
        tags: [path.split("/")[1]],
        ...needs(roleOf(operationOf(object.operationId))),
        responses: { ...object.responses, default: refusal },
      };
      return [method, operation] as const;
    });
    return [path, Object.fromEntries(described)] as const;
  });
  const all: Record<string, Record<string, object>> = Object.fromEntries(paths);
  for (const route of routes) {
    const described = describeExtension(route);
    if (!described) continue;
    const { path, method, operation } = described;
    const responses = { ...operation.responses, default: refusal };
    all[path] = { ...all[path], [method]: { ...operation, ...needs(route.role), responses } };
  }
  return {
    ...apiDocument,
    servers: [{ url: `${address}${apiBase}` }],
    paths: all,
    components: {
      ...apiDocument.components,
      schemas: {
        ...apiDocument.components.schemas,
        ...extended(apiDocument.components.schemas),
        Problem: problem,
      },
    },
  };
}

/** Schemas of the contract with the extension fields of this server. */
function extended(schemas: Readonly<Record<string, unknown>>): object {
  return {
    DeployForm: withProperties(schemas.DeployForm, deployFormExtension),
    Subgraph: withProperties(schemas.Subgraph, deployedExtension),
    Deployment: withProperties(schemas.Deployment, retriedExtension),
  };
}

function withProperties(schema: unknown, more: Readonly<Record<string, Schema>>): unknown {
  return isRecord(schema) ? { ...schema, properties: { ...Object(schema.properties), ...more } } : schema;
}

/** The sentence that states the required role. */
function needs(role: Admission): { readonly description: string; readonly security?: readonly [] } {
  if (role === "anyone") return { description: "Requires no key.", security: [] };
  if (role === "signed-in") return { description: "Requires an API key or a user's token." };
  return { description: `Requires a key with the role ${role} or a higher one.` };
}
