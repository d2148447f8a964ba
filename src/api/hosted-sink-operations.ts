import { dataOf, type Extension, objectOf, textSchema, timeSchema } from "./extension.js";

/** A hosted sink: the secret that gives access to it. */
export interface HostedSink {
  /** The id of the secret: its name. */
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly created_at: string;
}

export interface NewHostedSink {
  readonly type: "postgres";
  /** Name of the secret. By default, the server generates one: `HOSTED_POSTGRES_<RANDOM>`. */
  readonly name?: string;
  readonly description?: string;
}

/** The operations of hosted sinks, found on graphloom's server but not in the contract. */
export type HostedSinkOperationId = "createHostedSink" | "deleteHostedSink";

/** The operations, as they also appear in the server's description. */
export const hostedSinkOperations: Readonly<Record<HostedSinkOperationId, Extension>> = {
  createHostedSink: {
    method: "POST",
    path: "/hosted-sinks",
    summary: "Creates a database for a project, and stores its credentials as a secret.",
    body: {
      ...objectOf({
        type: { type: "string", enum: ["postgres"] },
        "name?": textSchema("The name of the secret. By default, HOSTED_POSTGRES_ and random letters."),
        "description?": { type: "string", maxLength: 500 },
      }),
      additionalProperties: false,
    },
    answer: dataOf(
      objectOf({
        id: textSchema("The id of the secret: its name."),
        name: textSchema(),
        type: textSchema("The type of the secret."),
        description: { type: ["string", "null"] },
        created_at: timeSchema,
      }),
    ),
    status: 201,
  },
  deleteHostedSink: {
    method: "DELETE",
    path: "/hosted-sinks/{name}",
    summary: "Deletes a database that was created for a project, with its contents and its secret.",
  },
};
