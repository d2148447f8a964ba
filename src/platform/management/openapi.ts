import { apiDocument, operationOf } from "../../api/api-document.js";
import { apiBase, roleOf } from "./operations.js";

const problem = {
  type: "object",
  description: "Why the API refuses (RFC 9457).",
  properties: {
    type: {
      type: "string",
      format: "uri",
      description: "Which problem it is; leads to a page that explains it.",
    },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "What is wrong, and what to do." },
    instance: { type: "string", description: "The path that was asked for." },
    errors: {
      type: "array",
      description: "The fields that are wrong, with the status 400.",
      items: {
        type: "object",
        properties: { field: { type: "string" }, message: { type: "string" } },
        required: ["message"],
      },
    },
  },
  required: ["type", "title", "status", "detail", "instance"],
};

/** The description of the API as a server gives it: with its own address, what each operation needs, and refusals. */
export function openApiOf(address: string): object {
  const refusal = {
    description: "The API refuses.",
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  };
  const paths = Object.entries(apiDocument.paths).map(([path, methods]) => {
    const described = Object.entries(methods).map(([method, object]) => {
      const role = roleOf(operationOf(object.operationId));
      const operation = {
        ...object,
        tags: [path.split("/")[1]],
        description:
          role === "anyone" ? "Needs no key." : `Needs a key with the role ${role}, or a higher one.`,
        ...(role === "anyone" && { security: [] }),
        responses: { ...object.responses, default: refusal },
      };
      return [method, operation];
    });
    return [path, Object.fromEntries(described)];
  });
  return {
    ...apiDocument,
    servers: [{ url: `${address}${apiBase}` }],
    paths: Object.fromEntries(paths),
    components: {
      ...apiDocument.components,
      schemas: { ...apiDocument.components.schemas, Problem: problem },
    },
  };
}
