import type { ProposedRead } from "./propose-reads.js";

/** A contract in a configuration to be written. */
export interface DraftContract {
  /** Key of its ABI. */
  readonly abi: string;
  /** Path of its ABI relative to the configuration, beginning with `./` or `../`. */
  readonly abiPath: string;
  readonly address: string;
  readonly chain: string;
  readonly startBlock: number;
  readonly reads: readonly ProposedRead[];
}

/** A configuration to be written. */
export interface ConfigDraft {
  /** Where editors find the JSON Schema of the format. */
  readonly schema: string;
  /** `<name>/<version>` */
  readonly name: string;
  /** Whether to index function calls, too. */
  readonly callHandlers: boolean;
  readonly contract: DraftContract;
}

/** Prints a configuration: JSON with a trailing line break. */
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

/** The entry for a contract among the instances. */
export function draftInstance({ abi, address, startBlock, chain, reads }: DraftContract): object {
  return {
    abi,
    address,
    startBlock,
    chain,
    ...(reads.length > 0 && { enrich: { handlers: handlersOf(reads) } }),
  };
}

/**
 * The handlers: for each event, all its reads. Their results become fields of the event's entity, null if a
 * call reverts.
 */
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
