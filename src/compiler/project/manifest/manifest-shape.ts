/** The form that a value of a manifest must have. */
export type Shape =
  | { readonly kind: "string" | "number" | "boolean" | "file" | "any" }
  | { readonly kind: "list"; readonly of: Shape }
  | { readonly kind: "map"; readonly keys: Readonly<Record<string, Member>> }
  /** A text or a number. */
  | { readonly kind: "prune" }
  | { readonly kind: "filter" };

export interface Member {
  readonly shape: Shape;
  readonly required: boolean;
}

const must = (shape: Shape): Member => ({ shape, required: true });
const may = (shape: Shape): Member => ({ shape, required: false });
const list = (of: Shape): Shape => ({ kind: "list", of });
const map = (keys: Readonly<Record<string, Member>>): Shape => ({ kind: "map", keys });

const string: Shape = { kind: "string" };
const number: Shape = { kind: "number" };
const boolean: Shape = { kind: "boolean" };
const file: Shape = { kind: "file" };
const any: Shape = { kind: "any" };

const abis = list(map({ name: must(string), file: must(file) }));

const mappingBase = {
  kind: may(string),
  apiVersion: must(string),
  language: must(string),
  file: must(file),
  entities: must(list(string)),
};

const contractMapping = map({
  ...mappingBase,
  abis: must(abis),
  blockHandlers: may(list(map({ handler: must(string), filter: may({ kind: "filter" }) }))),
  callHandlers: may(list(map({ function: must(string), handler: must(string) }))),
  eventHandlers: may(
    list(
      map({
        event: must(string),
        topic0: may(string),
        topic1: may(list(string)),
        topic2: may(list(string)),
        topic3: may(list(string)),
        handler: must(string),
        receipt: may(boolean),
        calls: may(any),
      }),
    ),
  ),
});

const contractSource = map({
  kind: must(string),
  name: must(string),
  network: may(string),
  context: may(any),
  source: must(
    map({ address: may(string), abi: must(string), startBlock: may(number), endBlock: may(number) }),
  ),
  mapping: must(contractMapping),
});

const contractTemplate = map({
  kind: must(string),
  name: must(string),
  network: may(string),
  source: must(map({ abi: must(string) })),
  mapping: must(contractMapping),
});

const subgraphSource = map({
  kind: must(string),
  name: must(string),
  network: may(string),
  context: may(any),
  source: must(map({ address: must(string), startBlock: may(number) })),
  mapping: must(
    map({
      ...mappingBase,
      abis: may(abis),
      handlers: may(list(map({ handler: must(string), entity: must(string), calls: may(any) }))),
    }),
  ),
});

const root = {
  specVersion: must(string),
  features: may(list(string)),
  schema: must(map({ file: must(file) })),
  description: may(string),
  repository: may(string),
  graft: may(map({ base: must(string), block: must(number) })),
  indexerHints: may(map({ prune: may({ kind: "prune" }) })),
};

/** The manifest of a subgraph of contracts. */
export const contractManifest = map({
  ...root,
  dataSources: must(list(contractSource)),
  templates: may(list(contractTemplate)),
});

/** The manifest of a subgraph whose sources are other subgraphs. */
export const composedManifest = map({ ...root, dataSources: must(list(subgraphSource)) });

/** What codegen and build read from a manifest with file templates. graph-cli checks nothing else in it. */
export const fileManifest = ((): Shape => {
  const mapping = map({
    file: must(file),
    apiVersion: may(string),
    abis: must(abis),
    eventHandlers: may(list(map({ event: must(string), handler: must(string) }))),
    callHandlers: may(list(map({ function: must(string), handler: must(string) }))),
    blockHandlers: may(list(map({ handler: must(string) }))),
  });
  const source = map({ kind: must(string), name: must(string), mapping: must(mapping) });
  return map({
    schema: must(map({ file: must(file) })),
    dataSources: must(list(source)),
    templates: may(list(source)),
  });
})();

export const schemaOnly = map({ schema: must(map({ file: must(file) })) });

/** The filters of block handlers. */
export const filterKinds: readonly string[] = ["polling", "once", "call"];
