import { DeterministicError, LeftOutError } from "../errors.js";
import type { BlockContext } from "./handler-world.js";

/** The context of a block for file handlers: no access to the chain, and only file data sources can be created. */
export function fileContext<Context extends BlockContext>(
  context: Context,
): Omit<Context, "calls"> & Pick<BlockContext, "calls" | "templateOf"> {
  return {
    ...context,
    calls: {
      answer: () => refuse("ethereum.call"),
      balance: () => refuse("ethereum.getBalance"),
      hasCode: () => refuse("ethereum.hasCode"),
      asked: 0,
      readAhead: async () => undefined,
    },
    templateOf: (name) => {
      const template = context.templateOf(name);
      if (template.file) return template;
      throw new DeterministicError(
        `a file handler cannot create ${name}, because it is an on-chain data source`,
      );
    },
  };
}

function refuse(name: string): never {
  throw new LeftOutError(`a file handler cannot call \`${name}\`, because it has no access to the chain`);
}
