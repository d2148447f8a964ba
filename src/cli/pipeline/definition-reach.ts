import { secretVariable } from "../../pipelines/definition/secret-variable.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** What a definition of a pipeline may use on this machine. */
export interface DefinitionReach {
  readonly variables: (name: string) => string | undefined;
  /** A secret whose form is checked, if it may be known. Checking a definition needs none. */
  readonly knownSecret: (name: string) => string | undefined;
  /** @throws UsageError if the definition may use no secrets */
  readonly secret: (name: string) => string | undefined;
  /** Whether it may reach private addresses. */
  readonly allowsPrivate: boolean;
}

/**
 * What a definition may use. A person's may use all: the definition and the machine are their own. A confined terminal is
 * an agent's. Text from outside may have told it what to write, and such a definition could send a secret to any address.
 */
export function definitionReach({ within, trustsDefinitions, env = {} }: Terminal): DefinitionReach {
  if (within === undefined || trustsDefinitions) {
    const secret = (name: string): string | undefined => env[secretVariable(name)];
    return { variables: (name) => env[name], knownSecret: secret, secret, allowsPrivate: true };
  }
  return {
    variables: () => undefined,
    knownSecret: () => undefined,
    secret(name) {
      throw new UsageError(
        `The definition uses the secret ${name}. Definitions of agents get no secrets.`,
        "The user can allow it: start graphloom mcp with --trust-definitions.",
      );
    },
    allowsPrivate: false,
  };
}
