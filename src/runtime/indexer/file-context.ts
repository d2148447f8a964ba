import { DeterministicError, LeftOutError } from "../errors.js";
import type { BlockContext } from "./handler-world.js";

/** What a block offers to the handlers of files: nothing of the chain, and no data sources but of files. */
export function fileContext<Context extends BlockContext>(
  context: Context,
): Omit<Context, "calls"> & Pick<BlockContext, "calls" | "templateOf"> {
  return {
    ...context,
    calls: {
      answer: () => refuse("ethereum.call"),
      balance: () => refuse("ethereum.getBalance"),
      hasCode: () => refuse("ethereum.hasCode"),
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
