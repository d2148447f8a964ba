import { command } from "../terminal/command.js";
import {
  archiveOption,
  gatewayOptions,
  numberOption,
  proofsOption,
  textOption,
  textsOption,
  verifyOption,
} from "../terminal/usage/options.js";
import { doorOptions } from "./door-arguments.js";

export const serveCommand = command({
  name: "serve",
  describe: "Host subgraphs on this machine: the management API, indexing, queries and webhooks",
  options: {
    config: {
      ...textOption,
      describe:
        "file with options of this command in YAML, such as port: 8030; rpc, source, reachable, trust-proxy and quota take lists. Options on the command line take precedence",
    },
    data: { ...textOption, describe: "folder for all data; created if it does not exist" },
    database: {
      ...textOption,
      describe:
        "store the data in PostgreSQL instead: postgres://user:password@host/name [default: GRAPHLOOM_DATABASE]",
    },
    rpc: {
      ...textsOption,
      describe: "node of a network, <network>=<url>; may be repeated [default: GRAPHLOOM_RPC_<NETWORK>]",
    },
    source: {
      ...textsOption,
      describe:
        "service that serves final blocks faster than the nodes, <network>=portal=<url> or <network>=hypersync=<url>; without <url> for SQD's public Portal or Envio's HyperSync. Projects take turns; may be repeated [default: none]",
    },
    "requests-per-second": {
      ...numberOption,
      describe:
        "most requests per second to the nodes of each network, of all subgraphs, pipelines, datasets and edge endpoints together; indexing comes first. The balances of --data-service here do not count [default: no limit]",
    },
    ...gatewayOptions,
    "ens-names": {
      ...textOption,
      describe:
        "table of ENS names to import, for handlers that look names up: a file with lines hash,name. Names imported earlier stay",
    },
    verify: verifyOption,
    proofs: proofsOption,
    archive: archiveOption,
    datasets: {
      type: "boolean",
      default: false,
      describe:
        "let the people and API keys of all projects take Parquet files of blocks, transactions and logs, for external-data sync --server. It costs requests to the nodes",
    },
    restores: {
      type: "boolean",
      default: false,
      describe:
        "let the Owners of all projects restore dumps, with graphloom restore. Equal content is indexed once: what one of them restores is what all projects get that deploy it",
    },
    engine: {
      ...textOption,
      describe:
        "let a graph-node index the networks without --rpc; these get no webhooks: graph-node=<admin>,<status>,<query>,<ipfs>[,<postgres>] [default: GRAPHLOOM_ENGINE]",
    },
    flows: {
      ...textOption,
      describe:
        "let Flink run the queries of pipelines that ask for it, from topics in Kafka: flink=<address of the SQL gateway>,kafka=<brokers>; kafka=<NAME> takes a secret of the type kafka from GRAPHLOOM_SECRET_<NAME>, and logins=<file> gives each project a user of Kafka [default: GRAPHLOOM_FLOWS]",
    },
    "hosted-sinks": {
      ...textOption,
      describe:
        "PostgreSQL cluster for the databases of hosted-sink create, with a login that may create databases and roles: postgres://user:password@host/postgres. It must be another cluster than that of --database [default: GRAPHLOOM_HOSTED_SINKS, or no hosted sinks]",
    },
    "hosted-sinks-share-cluster": {
      type: "boolean",
      default: false,
      describe:
        "accept that --hosted-sinks is the cluster of the server's own database. A single hosted database can then stop the whole server",
    },
    "data-service": {
      ...textOption,
      describe:
        "address of the data service that answers endpoints with the product data, with the key in GRAPHLOOM_DATA_SERVICE_KEY; or here, to answer from the tables that data sync has filled in this server's database",
    },
    clickhouse: {
      ...textOption,
      describe:
        "with --data-service here: ClickHouse database with the blocks and transfers of data sync --clickhouse, https://user:password@host:8443/database [default: GRAPHLOOM_CLICKHOUSE, or the server's database]",
    },
    prices: {
      ...textOption,
      describe:
        "with --data-service here: address of a source of prices that the tables lack, with {chain} or {chain_id}, and {tokens}; none by default",
    },
    port: { ...numberOption, default: 8030, describe: "port to listen on; 0 picks a free one" },
    host: {
      ...textOption,
      default: "127.0.0.1",
      describe: "address to listen on; 0.0.0.0 for all addresses of this machine",
    },
    "public-address": {
      ...textOption,
      describe: "address that clients use, if it is a different one: https://graph.example.com",
    },
    "trust-proxy": {
      ...textsOption,
      describe:
        "address or network of a proxy in front of the server, 127.0.0.1 or 10.0.0.0/8; may be repeated. Limits and the log use the client that the proxy names in X-Forwarded-For",
    },
    "new-key": { type: "boolean", default: false, describe: "create a new key for the owner, and show it" },
    "sign-up": {
      choices: ["invited", "open"],
      requiresArg: true,
      describe:
        "who can have an account: only invited people, or everyone whom the provider of --oidc-issuer knows [default: invited]",
    },
    "oidc-issuer": {
      ...textOption,
      describe:
        "OpenID Connect provider to sign in with, https://…; the client secret is read from GRAPHLOOM_OIDC_CLIENT_SECRET, and the redirect address is <address>/sign-in/oidc/callback",
    },
    "oidc-client-id": { ...textOption, describe: "client ID of this server at the provider" },
    smtp: {
      ...textOption,
      describe:
        "send invitations by email: smtp://mail.example.com:587?from=graphloom@example.com, or smtps://…; if it has a password, set GRAPHLOOM_SMTP instead. Without it, the inviter sees the link",
    },
    reachable: {
      ...textsOption,
      describe:
        "private place that webhooks and pipelines of all projects can reach: 10.1.2.3:5432, 10.1.0.0/16:443, [fd12::1]:5432 or db.internal:5432; may be repeated. Without a port (10.1.2.3, 10.1.0.0/16), every port there is open. Without the option: any place if only this machine reaches the server, otherwise none",
    },
    "query-share": {
      ...numberOption,
      describe:
        "percent of the server's time that the queries of one client can use: per IP address at public endpoints, per key at private ones. A client that exceeds it gets 429 until its time is earned back; 0 for no limit [default: GRAPHLOOM_QUERY_SHARE, or 25]",
    },
    memory: {
      ...textOption,
      describe:
        "memory that the server and its processes may use: 4g or 2048m. Near it, the server refuses uploads, checks and previews with 503 [default: GRAPHLOOM_MEMORY, or what the machine or its container has]",
    },
    quota: {
      ...textsOption,
      describe:
        "most things that a project can have, <name>=<number>: deployments, endpoints, webhooks, pipelines, hosted-sinks, hosted-sink-megabytes or file-megabytes; may be repeated [default: GRAPHLOOM_MOST_<NAME>]",
    },
    "check-time": {
      ...numberOption,
      describe:
        "seconds that a check of a pipeline's definition can take before it is stopped [default: GRAPHLOOM_CHECK_TIME, or 30]",
    },
    metrics: {
      choices: ["open", "key", "off"],
      requiresArg: true,
      describe:
        "who can read /metrics, for Prometheus: everyone, without metrics of single deployments (open); clients with a key (key): a Viewer's for the deployments of its project, GRAPHLOOM_METRICS_KEY for all; no one (off) [default: open if only this machine reaches the server, otherwise key]",
    },
    ...doorOptions,
    "graph-node-access": {
      choices: ["open", "key"],
      requiresArg: true,
      describe:
        "who can use those ports: every program on this machine, for the first project (open), or clients with a key of a project, as graph deploy --deploy-key sends it (key) [default: open if only this machine reaches the server, otherwise key]",
    },
    "otlp-endpoint": {
      ...textOption,
      describe:
        "send traces to a collector of OpenTelemetry, over OTLP/HTTP: http://localhost:4318. Without queries, keys and addresses [default: OTEL_EXPORTER_OTLP_ENDPOINT, or none]",
    },
    "log-format": {
      choices: ["text", "json"],
      requiresArg: true,
      describe: "log format: text, or one JSON object per line [default: text on a terminal, otherwise json]",
    },
    "log-level": {
      choices: ["debug", "info", "warn", "error"],
      default: "info",
      requiresArg: true,
      describe: "lowest level to log",
    },
  },
  groups: {
    "Storage:": [
      "config",
      "data",
      "database",
      "archive",
      "hosted-sinks",
      "hosted-sinks-share-cluster",
      "restores",
    ],
    "Sources:": [
      "rpc",
      "source",
      "requests-per-second",
      "ipfs",
      "arweave",
      "ens-names",
      "verify",
      "proofs",
      "datasets",
      "engine",
      "flows",
      "data-service",
      "clickhouse",
      "prices",
    ],
    "Network:": ["port", "host", "public-address", "trust-proxy", "reachable", "new-key"],
    "graph-node's ports:": [
      "graph-node-doors",
      "graph-node-query-port",
      "graph-node-admin-port",
      "graph-node-status-port",
      "graph-node-ipfs-port",
      "graph-node-access",
    ],
    "Access:": [
      "sign-up",
      "oidc-issuer",
      "oidc-client-id",
      "smtp",
      "query-share",
      "quota",
      "check-time",
      "memory",
    ],
    "Output:": ["metrics", "otlp-endpoint", "log-format", "log-level"],
  },
  examples: [
    ["$0 serve --data platform --rpc mainnet=https://…", "everything in the folder platform"],
    ["$0 serve --config serve.yaml", "with the options in a file"],
    [
      "$0 serve --data platform --database postgres://…",
      "data in PostgreSQL; the folder holds the secret key",
    ],
    [
      "$0 serve --data platform --engine graph-node=http://node:8020,http://node:8030/graphql,http://node:8000,http://ipfs:5001",
      "with a graph-node as the indexer",
    ],
    [
      "$0 serve --data platform --rpc mainnet=https://… --graph-node-doors",
      "also for graph deploy --node http://localhost:8020 --ipfs http://localhost:5001",
    ],
    [
      "$0 serve --data platform --public-address https://graph.example.com --trust-proxy 127.0.0.1",
      "behind a proxy on this machine that holds the certificate",
    ],
  ],
  epilogue:
    "On the first start, the server shows a token and stores it for the command line of the same user, so that graphloom subgraph … " +
    "works with this server. Ctrl-C or SIGTERM shuts it down cleanly; a second one stops it at once. examples/server has a container, a " +
    "systemd unit and backup instructions.",
  loadConfigWords: async () => (await import("./config-words.js")).configWords,
  load: async () => {
    const { planServing } = await import("./serve-arguments.js");
    return async (args, terminal) => {
      const plan = planServing(args, terminal.cwd, terminal.env ?? {});
      // The platform is large, so mistakes are reported before it is loaded.
      const { serveSubgraphs } = await import("./serve-subgraphs.js");
      return serveSubgraphs(plan, args, terminal);
    };
  },
});
