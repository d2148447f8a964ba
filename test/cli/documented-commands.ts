/** An option as document 002 of the specification describes it. */
export interface DocumentedOption {
  readonly type: "string" | "number" | "boolean" | "array";
  /** One letter, or another name. */
  readonly alias?: string;
  readonly choices?: readonly string[];
  /** `some` if the document does not give the value. */
  readonly default?: string | number | boolean | { readonly some: true };
  readonly isRequired?: true;
  readonly isDeprecated?: true;
}

/** A command as the document describes it. */
export interface DocumentedCommand {
  /** `<nameAndVersion>`; empty without arguments. */
  readonly arguments: string;
  readonly options: Readonly<Record<string, DocumentedOption>>;
}

const text = { type: "string" } as const;
const needed = { type: "string", isRequired: true } as const;
const off = { type: "boolean", default: false } as const;
const force = { type: "boolean", alias: "f", default: false } as const;
const endpoint = { type: "string", choices: ["enabled", "disabled"] } as const;
const tag = { type: "string", alias: "t", isRequired: true } as const;
const roles = { type: "string", choices: ["Owner", "Admin", "Editor", "Viewer"], isRequired: true } as const;

const contract = { type: "string", default: "" } as const;
const ethereum = { type: "string", default: "ethereum" } as const;

const sizes = ["s", "m", "l", "xl", "xxl", "mem.l", "mem.xl", "mem.xxl"] as const;
const statuses = ["ACTIVE", "INACTIVE", "PAUSED"] as const;
const formats = { type: "string", alias: "outputFormat", choices: ["json", "table", "yaml"] } as const;
const fromSnapshot = { type: "string", default: "new" } as const;
const version = { type: "string", alias: "v" } as const;
const oldText = { type: "string", isDeprecated: true } as const;
const oldFlag = { type: "boolean", isDeprecated: true } as const;
const oldSize = { type: "string", alias: "resourceSize", choices: sizes, isDeprecated: true } as const;

const of = (words: string, options: Readonly<Record<string, DocumentedOption>> = {}): DocumentedCommand => ({
  arguments: words,
  options,
});

/** The options of every command. */
export const documentedGlobals: Readonly<Record<string, DocumentedOption>> = {
  token: { type: "string", default: "" },
  color: { type: "boolean", default: true },
};

/** All commands. */
export const documentedCommands: Readonly<Record<string, DocumentedCommand>> = {
  login: of("", { browser: { type: "boolean", default: true } }),
  logout: of(""),

  "subgraph deploy": of("<nameAndVersion>", {
    path: text,
    description: text,
    "from-ipfs-hash": text,
    "ipfs-gateway": { type: "string", default: { some: true } },
    "from-abi": text,
    "from-url": text,
    "remove-graft": off,
    "start-block": { type: "number" },
    "graft-from": text,
    "enable-call-handlers": off,
    tag: text,
  }),
  "subgraph list": of("[nameAndVersion]", {
    filter: { type: "string", choices: ["tags", "deployments"] },
    summary: off,
  }),
  "subgraph delete": of("<nameAndVersion>", { force }),
  "subgraph tag create": of("<nameAndVersion>", { tag }),
  "subgraph tag delete": of("<nameAndVersion>", { tag, force }),
  "subgraph webhook create": of("<nameAndVersion>", {
    name: needed,
    url: needed,
    entity: needed,
    secret: text,
  }),
  "subgraph webhook delete": of("[webhook-name]", { name: { type: "string", isDeprecated: true }, force }),
  "subgraph webhook list": of(""),
  "subgraph webhook list-entities": of("<nameAndVersion>"),
  "subgraph log": of("<nameAndVersion>", {
    since: { type: "string", default: "1m" },
    format: { type: "string", choices: ["pretty", "json", "text"], default: "text" },
    filter: { type: "string", choices: ["error", "warn", "info", "debug"], default: "info" },
    levels: text,
    interval: { type: "number", default: 5 },
  }),
  "subgraph pause": of("<nameAndVersion>"),
  "subgraph start": of("<nameAndVersion>"),
  "subgraph update": of("<nameAndVersion>", {
    "public-endpoint": endpoint,
    "private-endpoint": endpoint,
    description: text,
  }),
  "subgraph init": of("[nameAndVersion]", {
    "target-path": text,
    force: off,
    "from-config": text,
    abi: text,
    contract: text,
    "contract-events": text,
    "contract-calls": text,
    network: text,
    "contract-name": text,
    "start-block": text,
    description: text,
    "call-handlers": { type: "boolean" },
    build: { type: "boolean" },
    deploy: { type: "boolean" },
  }),

  "project list": of(""),
  "project create": of("", { name: needed }),
  "project update": of("", { name: needed }),
  "project leave": of("", { projectId: needed }),
  "project users list": of(""),
  "project users invite": of("", {
    emails: { type: "array", isRequired: true },
    role: { ...roles, default: "Viewer" },
  }),
  "project users remove": of("", { email: needed }),
  "project users update": of("", { email: needed, role: roles }),

  "pipeline get": of("<nameOrConfigPath>", {
    output: { ...formats, default: "yaml" },
    definition: off,
    version,
  }),
  "pipeline export": of("[name]", { all: off }),
  "pipeline apply": of("<config-path>", {
    "from-snapshot": fromSnapshot,
    "save-progress": oldFlag,
    "skip-transform-validation": off,
    "skip-validation": oldFlag,
    "use-latest-snapshot": oldFlag,
    status: { type: "string", choices: statuses },
    force: off,
  }),
  "pipeline get-definition": of("<name>", {
    output: { type: "string", alias: "outputFormat", choices: ["json", "yaml"], default: "yaml" },
  }),
  "pipeline create": of("<name>", {
    output: { ...formats, default: "yaml" },
    "resource-size": { ...oldSize, default: "s" },
    "skip-transform-validation": off,
    description: oldText,
    definition: oldText,
    "definition-path": oldText,
    status: { type: "string", choices: ["ACTIVE", "INACTIVE"], default: "ACTIVE", isDeprecated: true },
    "use-dedicated-ip": { type: "boolean", default: false, isRequired: true },
  }),
  "pipeline update": of("<name>", {
    output: formats,
    "resource-size": { type: "string", alias: "resourceSize", choices: sizes },
    status: { type: "string", choices: statuses },
    "save-progress": { type: "boolean" },
    "skip-transform-validation": { type: "boolean" },
    "use-latest-snapshot": { type: "boolean" },
    definition: text,
    "definition-path": text,
    description: text,
  }),
  "pipeline delete": of("<nameOrConfigPath>", { force }),
  "pipeline list": of("", {
    output: { ...formats, default: "table" },
    outputVerbosity: {
      type: "string",
      choices: ["summary", "usablewithapplycmd", "all"],
      default: "summary",
    },
    "include-runtime-details": off,
  }),
  "pipeline monitor": of("<nameOrConfigPath>", {
    "update-request": { type: "boolean" },
    "max-refreshes": { type: "number", alias: "maxRefreshes" },
    version,
  }),
  "pipeline pause": of("<nameOrConfigPath>"),
  "pipeline start": of("<nameOrConfigPath>", {
    "use-latest-snapshot": oldFlag,
    "from-snapshot": fromSnapshot,
  }),
  "pipeline stop": of("<nameOrConfigPath>"),
  "pipeline info": of("<nameOrConfigPath>", { version }),
  "pipeline resize": of("<nameOrConfigPath> <resourceSize>"),
  "pipeline validate": of("[config-path]", { definition: oldText, "definition-path": oldText }),
  "pipeline snapshots list": of("<nameOrConfigPath>", { version }),
  "pipeline snapshots create": of("<nameOrConfigPath>"),
  "pipeline cancel-update": of("<nameOrConfigPath>"),
  "pipeline restart": of("<nameOrConfigPath>", { "from-snapshot": needed, "disable-monitoring": off }),

  "stream apply": of("<config-path>"),
  "stream delete": of("<name>"),
  "stream pause": of("<name>"),
  "stream list": of(""),
  "stream logs": of("<name>"),
  "stream validate": of("<config-path>"),
  "stream get": of("<name>"),
  "stream state": of("<name>"),
  "stream inspect": of("<name>", {
    "topology-node-keys": { type: "string", alias: "n" },
    "buffer-size": { type: "number", alias: "b", default: 10_000 },
    print: { type: "boolean", alias: "p", default: false },
  }),

  "dataset get": of("<name>", {
    outputFormat: { type: "string", choices: ["json", "yaml"], default: "yaml" },
    version: { type: "string", alias: "v" },
  }),
  "dataset list": of("", {
    output: { type: "string", alias: "outputFormat", choices: ["json", "table", "yaml"], default: "table" },
    group: text,
  }),

  "secret create": of("", { name: text, value: text, description: text }),
  "secret list": of(""),
  "secret reveal": of("<name>"),
  "secret update": of("<name>", { value: text, description: text }),
  "secret delete": of("<name>", { force }),

  "hosted-sink create": of("", {
    type: { type: "string", choices: ["postgres"], isRequired: true },
    name: text,
    description: text,
  }),

  "external-data sync decoded-logs": of("", { "contract-address": contract, network: ethereum }),
  "external-data sync raw-blocks": of("", { network: ethereum }),
  "external-data sync raw-logs": of("", { "contract-address": contract, network: ethereum }),
  "external-data sync raw-transactions": of("", { network: ethereum }),

  "telemetry status": of(""),
  "telemetry enable": of(""),
  "telemetry disable": of(""),
};
