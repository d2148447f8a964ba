import { resolve } from "node:path";
import { visible } from "../../base/text/visible.js";
import { type GraphNodeOption, readEngineOption } from "../../hosting/graph-node/read-addresses.js";
import type { ClickHouseAddress } from "../../pipelines/sinks/clickhouse-server.js";
import { defaultOptions } from "../../platform/endpoints/options.js";
import { sinkServerOf } from "../../platform/hosted-sinks/sink-server.js";
import type { AccountSettings } from "../../platform/people/open-accounts.js";
import type { Quotas, RemoteDataService } from "../../platform/platform.js";
import { isInTheClear, isOfThisMachine } from "../../platform/reach.js";
import type { Gateways } from "../../runtime/files/gateway-files.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { SourcePlace } from "../../runtime/sources/create-source.js";
import { isWebAddress } from "../../web/http/address.js";
import { readNetwork, readOpening } from "../../web/outgoing/opening.js";
import { findSources } from "../reader/find-sources.js";
import { faultOfPriceTemplate } from "../reader/open-price-feed.js";
import { clickHouseIn } from "../reader/open-rows.js";
import { givenArchive } from "../terminal/given-archive.js";
import { checkRequestRate } from "../terminal/request-rate.js";
import { type GatewayArguments, givenGateways } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type AccountArguments, planAccounts } from "./account-arguments.js";
import { type DoorArguments, type PlannedDoors, planDoors } from "./door-arguments.js";
import { flinkPlaceOf, type GivenFlinkPlace } from "./flink-place-of.js";

export interface ServeArguments extends AccountArguments, DoorArguments, GatewayArguments {
  readonly data?: string | undefined;
  readonly database?: string | undefined;
  readonly rpc?: readonly string[] | undefined;
  readonly source?: readonly string[] | undefined;
  readonly requestsPerSecond?: number | undefined;
  /** Path of a file. */
  readonly ensNames?: string | undefined;
  readonly verify: VerifyMode;
  readonly proofs: boolean;
  /** A folder. */
  readonly archive?: string | undefined;
  readonly datasets: boolean;
  readonly restores: boolean;
  readonly engine?: string | undefined;
  readonly flows?: string | undefined;
  /** The address of a PostgreSQL cluster, with a login that may create databases. */
  readonly hostedSinks?: string | undefined;
  readonly hostedSinksShareCluster: boolean;
  readonly dataService?: string | undefined;
  /** The address of a ClickHouse database with blocks and transfers. */
  readonly clickhouse?: string | undefined;
  /** The address of a source of prices. */
  readonly prices?: string | undefined;
  readonly port: number;
  readonly host: string;
  readonly publicAddress?: string | undefined;
  readonly newKey: boolean;
  readonly trustProxy?: readonly string[] | undefined;
  readonly reachable?: readonly string[] | undefined;
  readonly quota?: readonly string[] | undefined;
  readonly queryShare?: number | undefined;
  /** Such as `4g`. */
  readonly memory?: string | undefined;
  /** Seconds. */
  readonly checkTime?: number | undefined;
  readonly metrics?: "open" | "key" | "off" | undefined;
  readonly graphNodeAccess?: "open" | "key" | undefined;
  /** The address of a collector of traces. */
  readonly otlpEndpoint?: string | undefined;
  /** By default, text on a terminal and JSON elsewhere. */
  readonly logFormat?: "text" | "json" | undefined;
  readonly logLevel: "debug" | "info" | "warn" | "error";
}

/** Where a server hosts databases. */
export interface HostedSinksPlace {
  readonly address: string;
  /** Whether it may be the cluster of the server's own database. */
  readonly mayShare: boolean;
}

/** The checked arguments. */
export interface ServePlan {
  /** Absolute. */
  readonly data?: string;
  /** The address of a server's database, or the path of a folder. */
  readonly database: string;
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  /** Services with history, by network. */
  readonly histories: ReadonlyMap<string, SourcePlace>;
  /** Requests per second to the nodes of a network; `undefined` for no limit. */
  readonly requestsPerSecond: number | undefined;
  readonly gateways: Gateways;
  /** How the server proves that logs are complete. */
  readonly verify: VerifyMode;
  /** Whether new deployments keep proofs of indexing. */
  readonly proofs: boolean;
  /** The folder of the archive, absolute. */
  readonly archive?: string;
  /** A graph-node that indexes the networks for which this server has no nodes. */
  readonly graphNode?: GraphNodeOption;
  /** Where Flink runs the queries of pipelines that ask for it. */
  readonly flink?: GivenFlinkPlace;
  /** Where databases of projects are. */
  readonly hostedSinks?: HostedSinksPlace;
  /** `here` if this server answers itself. */
  readonly dataService?: RemoteDataService | "here";
  /** Where the server's own data service finds blocks and transfers, if not in the server's database. */
  readonly clickHouse?: ClickHouseAddress;
  /** The address of a source of prices for the server's own data service. */
  readonly prices?: string;
  /** Without a slash at the end. */
  readonly publicAddress?: string;
  readonly trustedProxies: readonly string[];
  readonly reachable: readonly string[];
  /** Limits of projects, where they differ from the defaults. */
  readonly quotas: Partial<Quotas>;
  /** Share of the server's time for the queries of one client; `null` sets no limit. */
  readonly workShare: number | null;
  /** Bytes of memory that the server and its processes may use; `undefined` for the machine's memory. */
  readonly memory: number | undefined;
  /** Milliseconds that a check of a definition may take; `undefined` for the default. */
  readonly checkTime: number | undefined;
  readonly metrics: "open" | "key" | "off";
  /** Where traces go: an address, or `environment` if the variables of OpenTelemetry say it. */
  readonly traces?: { readonly endpoint: string } | "environment";
  /** The ports for tools that were written for graph-node. */
  readonly doors?: PlannedDoors;
  /** Whether keys reach the server unencrypted over a network. */
  readonly isInTheClear: boolean;
  readonly accounts: AccountSettings;
}

/** Bytes below which a server has no room to work. */
const leastMemory = 256 * 2 ** 20;

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws UsageError for arguments that contradict each other. Addresses may hold keys, so no message shows one */
export function planServing(args: ServeArguments, cwd: string, environment: Environment): ServePlan {
  const { data, port, host } = args;
  const engine = args.engine ?? (environment.GRAPHLOOM_ENGINE || undefined);
  const database = args.database ?? (environment.GRAPHLOOM_DATABASE || undefined);
  if (data === undefined && database === undefined) {
    throw new UsageError("Specify where to store everything: --data <folder>, for example --data platform");
  }
  if (data === "") throw new UsageError("--data requires a folder.");
  if (database !== undefined && !/^postgres(ql)?:\/\//i.test(database)) {
    throw new UsageError(
      "--database must be the address of a PostgreSQL database: postgres://… To use a folder, pass --data.",
    );
  }
  checkRequestRate(args.requestsPerSecond);
  if (args.archive === "") throw new UsageError("--archive requires a folder.");
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError("--port must be a whole number from 0 to 65535.");
  }
  if (args.ensNames === "") throw new UsageError("--ens-names requires a file.");
  const gateways = givenGateways(args);
  const graphNode = engine === undefined ? undefined : readEngineOption(engine);
  if (engine !== undefined && !graphNode) {
    throw new UsageError(
      "--engine must list the addresses of a graph-node: graph-node=<admin>,<status>,<query>,<ipfs>[,<postgres>]",
    );
  }
  const trustedProxies = readEach("--trust-proxy", readNetwork, args.trustProxy);
  if (trustedProxies.some((network) => /\/0+$/.test(network))) {
    throw new UsageError(
      "--trust-proxy would trust every client. Pass the address of the proxy, such as 127.0.0.1.",
    );
  }
  const publicAddress = args.publicAddress === undefined ? undefined : baseOf(args.publicAddress);
  const reached = { host, trustedProxies, ...(publicAddress !== undefined && { publicAddress }) };
  const archive = givenArchive(args.archive, { env: environment, cwd });
  const doors = planDoors(args, { ...reached, port }, args.graphNodeAccess);
  const flows = args.flows ?? (environment.GRAPHLOOM_FLOWS || undefined);
  const clickHouse = clickHouseOf(args, environment);
  const hostedSinks = hostedSinksOf(args, environment);
  const nodes = nodesOf(args.rpc, environment);
  const traces = tracesOf(args.otlpEndpoint, environment);
  const folder = data === undefined ? undefined : resolve(cwd, data);
  return {
    ...(folder !== undefined && { data: folder }),
    database: database ?? resolve(folder ?? cwd, "database"),
    nodes,
    histories: findSources(args.source ?? [], [...nodes.keys()], environment),
    requestsPerSecond: args.requestsPerSecond,
    gateways,
    verify: args.verify,
    proofs: args.proofs,
    ...(archive !== undefined && { archive }),
    ...(graphNode && { graphNode }),
    ...(flows !== undefined && { flink: flinkPlaceOf(flows, environment) }),
    ...(hostedSinks && { hostedSinks }),
    ...(args.dataService !== undefined && { dataService: dataServiceOf(args.dataService, environment) }),
    ...(clickHouse && { clickHouse }),
    ...(args.prices !== undefined && { prices: pricesOf(args.prices, args) }),
    ...(publicAddress !== undefined && { publicAddress }),
    trustedProxies,
    reachable: readEach("--reachable", readOpening, args.reachable),
    accounts: planAccounts(args, environment),
    isInTheClear: isInTheClear(reached),
    quotas: quotasOf(args.quota, environment),
    workShare: workShareOf(args.queryShare, environment),
    memory: memoryOf(args.memory, environment),
    checkTime: checkTimeOf(args.checkTime, environment),
    ...(doors && { doors }),
    ...(traces && { traces }),
    metrics: args.metrics ?? (isOfThisMachine(reached) ? "open" : "key"),
  };
}

/** @throws UsageError for an address that pipelines could not use */
function hostedSinksOf(
  args: ServeArguments,
  { GRAPHLOOM_HOSTED_SINKS }: Environment,
): HostedSinksPlace | undefined {
  const address = args.hostedSinks ?? (GRAPHLOOM_HOSTED_SINKS || undefined);
  const mayShare = args.hostedSinksShareCluster;
  if (address === undefined) {
    if (mayShare) throw new UsageError("--hosted-sinks-share-cluster requires --hosted-sinks.");
    return undefined;
  }
  if (/^postgres(ql)?:\/\//i.test(address) && sinkServerOf(address)) return { address, mayShare };
  const name = args.hostedSinks === undefined ? "GRAPHLOOM_HOSTED_SINKS" : "--hosted-sinks";
  throw new UsageError(
    `${name} must be the address of a PostgreSQL database with one host: postgres://user:password@host:5432/postgres. Pipelines connect to that host too.`,
  );
}

/** The quotas of a project, by their names on the command line. */
const quotaNames = {
  deployments: "deployments",
  endpoints: "endpoints",
  webhooks: "webhooks",
  pipelines: "pipelines",
  "hosted-sinks": "hostedSinks",
  "hosted-sink-megabytes": "hostedSinkMegabytes",
  "file-megabytes": "fileMegabytes",
} as const satisfies Readonly<Record<string, keyof Quotas>>;

/**
 * The limits of projects.
 * @param given `<name>=<number>`, before the environment
 * @throws UsageError for an unknown name, or a value that is not a whole number
 */
function quotasOf(given: readonly string[] = [], environment: Environment): Partial<Quotas> {
  const texts = new Map<string, readonly [text: string, source: string]>();
  for (const name of Object.keys(quotaNames)) {
    const variable = `GRAPHLOOM_MOST_${name.replaceAll("-", "_").toUpperCase()}`;
    const text = environment[variable];
    if (text) texts.set(name, [text, variable]);
  }
  for (const word of given) {
    const [, name = "", text = ""] = /^([^=]*)=?(.*)$/s.exec(word) ?? [];
    if (!Object.hasOwn(quotaNames, name))
      throw new UsageError(
        `--quota has no limit ${visible(name)}. It has ${Object.keys(quotaNames).join(", ")}: pass <name>=<number>.`,
      );
    texts.set(name, [text, `--quota ${name}`]);
  }
  const quotas: { -readonly [name in keyof Quotas]?: number } = {};
  for (const [name, [text, source]] of texts) {
    if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${source} must be a whole number.`);
    quotas[quotaNames[name as keyof typeof quotaNames]] = Number(text);
  }
  return quotas;
}

/** @throws UsageError for a value that is not a percentage */
function workShareOf(given: number | undefined, { GRAPHLOOM_QUERY_SHARE }: Environment): number | null {
  const text = given === undefined ? GRAPHLOOM_QUERY_SHARE || undefined : String(given);
  if (text === undefined) return defaultOptions.workShare;
  if (!/^\d{1,5}$/.test(text)) {
    const name = given === undefined ? "GRAPHLOOM_QUERY_SHARE" : "--query-share";
    throw new UsageError(`${name} must be a whole percentage, such as 25; 0 sets no limit.`);
  }
  return text === "0" ? null : Number(text) / 100;
}

/** Bytes. @throws UsageError for something other than a size */
function memoryOf(given: string | undefined, { GRAPHLOOM_MEMORY }: Environment): number | undefined {
  const text = given ?? (GRAPHLOOM_MEMORY || undefined);
  if (text === undefined) return undefined;
  const [, count, unit = "g"] = /^(\d{1,7})(m|g)?b?$/i.exec(text) ?? [];
  const bytes = Number(count) * (unit.toLowerCase() === "g" ? 2 ** 30 : 2 ** 20);
  if (bytes >= leastMemory) return bytes;
  const name = given === undefined ? "GRAPHLOOM_MEMORY" : "--memory";
  throw new UsageError(`${name} must be a size of at least 256m, such as 4g or 2048m.`);
}

/** Milliseconds. @throws UsageError for anything but a whole number of seconds */
function checkTimeOf(given: number | undefined, { GRAPHLOOM_CHECK_TIME }: Environment): number | undefined {
  const text = given === undefined ? GRAPHLOOM_CHECK_TIME || undefined : String(given);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text) * 1_000;
  const name = given === undefined ? "GRAPHLOOM_CHECK_TIME" : "--check-time";
  throw new UsageError(`${name} must be a whole number of seconds from 1 to 9999, such as 30.`);
}

/**
 * Where traces go. The variables have the names of OpenTelemetry, and may be meant for all programs of a machine.
 * @throws UsageError for an invalid address, or a protocol other than OTLP/HTTP
 */
function tracesOf(given: string | undefined, environment: Environment): ServePlan["traces"] {
  if (given !== undefined) {
    if (isWebAddress(given) && !/[?#@]/.test(given)) return { endpoint: given };
    throw new UsageError(
      "--otlp-endpoint must start with http:// or https:// and have no query and no login: http://localhost:4318. Pass keys of the collector in OTEL_EXPORTER_OTLP_HEADERS.",
    );
  }
  const name = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"].find(
    (one) => environment[one],
  );
  const isOff =
    environment.OTEL_SDK_DISABLED?.toLowerCase() === "true" || environment.OTEL_TRACES_EXPORTER === "none";
  if (name === undefined || isOff) return undefined;
  const protocol = environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol && protocol !== "http/protobuf")
    throw new UsageError(
      `Traces are sent with the protocol http/protobuf only, and the environment asks for ${visible(protocol)}. Set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or OTEL_TRACES_EXPORTER=none to send none.`,
    );
  if (!isWebAddress(environment[name] ?? ""))
    throw new UsageError(`${name} must start with http:// or https://.`);
  return "environment";
}

/** @throws UsageError for an invalid address */
function dataServiceOf(text: string, environment: Environment): RemoteDataService | "here" {
  if (text === "here") return "here";
  if (!isWebAddress(text) || /[?#]/.test(text)) {
    throw new UsageError("--data-service must start with http:// or https:// and have no query, or be here.");
  }
  const key = environment.GRAPHLOOM_DATA_SERVICE_KEY || undefined;
  return { address: text, ...(key !== undefined && { key }) };
}

/** @throws UsageError for something other than an address, or without a service that would read it */
function clickHouseOf(args: ServeArguments, env: Environment): ClickHouseAddress | undefined {
  if (args.dataService === "here") return clickHouseIn(args, { env });
  if (args.clickhouse !== undefined) throw new UsageError("--clickhouse requires --data-service here.");
  return undefined;
}

/** @throws UsageError for an invalid address, or without a service that would use it */
function pricesOf(template: string, { dataService }: Pick<ServeArguments, "dataService">): string {
  if (dataService !== "here") throw new UsageError("--prices requires --data-service here.");
  const fault = faultOfPriceTemplate(template);
  if (fault !== undefined) throw new UsageError(fault);
  return template;
}

/** Checks addresses and networks. @param read throws a RangeError for an invalid one @throws UsageError */
function readEach(
  option: string,
  read: (text: string) => unknown,
  given: readonly string[] = [],
): readonly string[] {
  try {
    given.forEach(read);
    return given;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`${option}: ${visible(error.message)}`);
  }
}

/** Nodes by network; several nodes of one network stay in the order given. */
function nodesOf(
  given: readonly string[] | undefined,
  environment: Environment,
): ReadonlyMap<string, readonly string[]> {
  const nodes = new Map<string, string[]>();
  const add = (network: string, url: string, where: string): void => {
    if (!isWebAddress(url)) throw new UsageError(`${where} does not start with http:// or https://`);
    nodes.set(network, [...(nodes.get(network) ?? []), url]);
  };
  for (const text of given ?? []) {
    const [, network, url] = /^([^=:/?\s]+)=(.*)$/s.exec(text) ?? [];
    if (network === undefined || url === undefined) {
      throw new UsageError("Name the network of the node: --rpc <network>=<url>");
    }
    add(network, url, `--rpc: the address for ${network}`);
  }
  if (given !== undefined) return nodes;
  for (const [name, url] of Object.entries(environment)) {
    const [, network] = /^GRAPHLOOM_RPC_([A-Z0-9_]+)$/.exec(name) ?? [];
    if (network !== undefined && url) add(network.toLowerCase().replaceAll("_", "-"), url, name);
  }
  return nodes;
}

/** @throws UsageError for an address that no client could reach */
function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  ) {
    throw new UsageError(
      "--public-address must start with http:// or https:// and have no query or password.",
    );
  }
  return url.href.replace(/\/+$/, "");
}
