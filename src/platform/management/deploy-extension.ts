import { objectOf, type Schema, textSchema, timeSchema } from "../../api/extension.js";

const flag = (description: string): Schema => ({
  ...textSchema(description),
  pattern: "^[01]$",
  "x-graphloom-extension": true,
});

/** The fields of a deployment's form that the contract does not have. */
export const deployFormExtension = {
  public_endpoint_enabled: flag(
    "0 deploys the version without a public endpoint: it can never be queried without a key. Default: 1. An existing version is not changed.",
  ),
  private_endpoint_enabled: flag(
    "1 turns on the private endpoint, for queries with a key, from the start. Default: 0.",
  ),
} as const satisfies Readonly<Record<string, Schema>>;

/** Additional fields of a deployment that retries a failing block. */
export const retriedExtension: Readonly<Record<string, Schema>> = {
  failing_since: {
    ...timeSchema,
    description:
      "When the block of the fatal error first failed. Absent when the block is not retried or the engine does not report it.",
    "x-graphloom-extension": true,
  },
  attempts: {
    type: "integer",
    minimum: 1,
    description: "How often that block has failed. Present together with failing_since.",
    "x-graphloom-extension": true,
  },
};

/** Additional fields of the answer to a deployment. */
export const deployedExtension: Readonly<Record<string, Schema>> = {
  graft: {
    ...objectOf({ base: textSchema("The id of the deployment."), block: { type: "integer" } }),
    description:
      "Only in the answer to a deployment: the base of its graft, and the last block taken from the base.",
    "x-graphloom-extension": true,
  },
  page_url: {
    ...textSchema("Only in the answer to a deployment: the address of the version's page in the dashboard."),
    "x-graphloom-extension": true,
  },
  deletion_warnings: {
    type: "array",
    items: textSchema("One sentence."),
    description:
      "Only in the answer about one version: what deleting it does to composed subgraphs of the project that have it as a source. Absent if it does nothing to others.",
    "x-graphloom-extension": true,
  },
  warnings: {
    type: "array",
    items: textSchema("One sentence, with the place that it concerns."),
    description:
      "Only in the answer to a deployment: what in it will have no effect or will fail, and when. Absent when there are no warnings.",
    "x-graphloom-extension": true,
  },
};
