import { objectOf, type Schema, textOf, timeSchema } from "../../api/extension.js";

const flag = (description: string): Schema => ({
  ...textOf(description),
  pattern: "^[01]$",
  "x-graphloom-extension": true,
});

/** The fields of a deployment's form that the contract does not have. */
export const deployFormExtension = {
  public_endpoint_enabled: flag(
    "0 deploys it closed: nobody can query it without a key, at no moment. 1 by default. A version that is there already stays as it is.",
  ),
  private_endpoint_enabled: flag("1 has it queried with a key from the start. 0 by default."),
} as const satisfies Readonly<Record<string, Schema>>;

/** What is said besides of a deployment with a block that fails and is tried again. */
export const retriedExtension: Readonly<Record<string, Schema>> = {
  failing_since: {
    ...timeSchema,
    description:
      "Since when the block of the fatal error fails. Left out when it is not tried again, or the engine does not tell.",
    "x-graphloom-extension": true,
  },
  attempts: {
    type: "integer",
    minimum: 1,
    description: "How often that block has failed. There together with failing_since.",
    "x-graphloom-extension": true,
  },
};

/** What the answer to a deployment says besides. */
export const deployedExtension: Readonly<Record<string, Schema>> = {
  graft: {
    ...objectOf({ base: textOf("Id of the deployment."), block: { type: "integer" } }),
    description:
      "Of an answer to a deployment: what it was grafted onto, and the last block that was taken over.",
    "x-graphloom-extension": true,
  },
  warnings: {
    type: "array",
    items: textOf("A sentence with its place."),
    description:
      "Of an answer to a deployment: what will come to nothing in it, or to a failure, and when. Left out when there is nothing to say.",
    "x-graphloom-extension": true,
  },
};
