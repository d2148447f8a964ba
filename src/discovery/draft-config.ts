import type { ProposedRead } from "./propose-reads.js";

/** A contract of a configuration to be written. */
export interface DraftContract {
  /** Key of its ABI. */
  readonly abi: string;
  /** Path of its ABI as seen from the configuration, with `./` or `../` at its beginning. */
  readonly abiPath: string;
  readonly address: string;
  readonly chain: string;
  readonly startBlock: number;
  readonly reads: readonly ProposedRead[];
}

/** A configuration to be written. */
export interface ConfigDraft {
  /** Where an editor finds the schema of the format. */
  readonly schema: string;
  /** `<name>/<version>` */
  readonly name: string;
  /** Whether calls of functions are indexed, too. */
  readonly callHandlers: boolean;
  readonly contract: DraftContract;
}

/** Prints a configuration: JSON with a line break at its end. */
export function draftConfig({ schema, name, callHandlers, contract }: ConfigDraft): string {
  const { abi, abiPath } = contract;
  const config = {
    $schema: schema,
    version: "1",
    name,
    abis: { [abi]: { path: abiPath } },
    ...(callHandlers && { enableCallHandlers: true }),
    instances: [draftInstance(contract)],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** The entry of a contract among the instances. */
export function draftInstance({ abi, address, startBlock, chain, reads }: DraftContract): object {
  return {
    ...{ abi, address, startBlock, chain },
    ...(reads.length > 0 && { enrich: { handlers: handlersOf(reads) } }),
  };
}

/** Of each event all its reads; what they give are fields of the event's own entity, null where a call reverts. */
function handlersOf(reads: readonly ProposedRead[]): Readonly<Record<string, object>> {
  const events = [...new Set(reads.map(({ event }) => event))];
  return Object.fromEntries(
    events.map((event) => {
      const own = reads.filter((read) => read.event === event);
      const calls = own.map(({ function: name, parameter }) => [
        name,
        { name, params: `event.params.${parameter}` },
      ]);
      const fields = own.map(({ function: name, type }) => [`${name} ${type}`, `calls.${name}`]);
      const entity = own[0]?.entity ?? "";
      return [
        event,
        { calls: Object.fromEntries(calls), entities: { [entity]: Object.fromEntries(fields) } },
      ];
    }),
  );
}
