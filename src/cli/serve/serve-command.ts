import { command } from "../terminal/command.js";
import { ipfsOption, numberOption, textOption, textsOption, verifyOption } from "../terminal/options.js";

/** `serve` */
export const serveCommand = command({
  name: "serve",
  describe: "Host subgraphs on this machine: the management API, indexing, queries and webhooks",
  options: {
    data: { ...textOption, describe: "folder to keep everything in; it is made when it is not there" },
    database: {
      ...textOption,
      describe:
        "keep it in a PostgreSQL instead: postgres://user:password@host/name [default: the environment's GRAPHLOOM_DATABASE]",
    },
    rpc: {
      ...textsOption,
      describe:
        "node of a network, <network>=<url>; may be repeated [default: the environment's GRAPHLOOM_RPC_<NETWORK>]",
    },
    ipfs: ipfsOption,
    "ens-names": {
      ...textOption,
      describe:
        "table of names of ENS to import, for handlers that look some up: a file of lines hash,name. What was imported before stays",
    },
    verify: verifyOption,
    engine: {
      ...textOption,
      describe:
        "have a graph-node index what no --rpc is given for, without webhooks: graph-node=<admin>,<status>,<query>,<ipfs>[,<postgres>] [default: the environment's GRAPHLOOM_ENGINE]",
    },
    "data-service": {
      ...textOption,
      describe:
        "address of a data service, which endpoints with the product data stand in front of; it is shown the key in the environment's GRAPHLOOM_DATA_SERVICE_KEY",
    },
    port: { ...numberOption, default: 8030, describe: "port to listen at; 0 for any that is free" },
    host: {
      ...textOption,
      default: "127.0.0.1",
      describe: "address to listen at; 0.0.0.0 for all of the machine's",
    },
    "public-address": {
      ...textOption,
      describe: "what clients reach it by, when that is another: https://graph.example.com",
    },
    "trust-proxy": {
      ...textsOption,
      describe:
        "address or network of a proxy before it, 127.0.0.1 or 10.0.0.0/8; may be repeated. Limits and the log go by the client it names (X-Forwarded-For), not by the proxy",
    },
    "new-key": { type: "boolean", default: false, describe: "make another key for the owner, and show it" },
    "sign-up": {
      choices: ["invited", "open"],
      requiresArg: true,
      describe:
        "who may have an account: those who are invited, or whoever the provider of --oidc-issuer knows [default: invited]",
    },
    "oidc-issuer": {
      ...textOption,
      describe:
        "provider of OpenID Connect that people can sign in with, https://…; its client's secret is taken from GRAPHLOOM_OIDC_CLIENT_SECRET, and people come back to <address>/sign-in/oidc/callback",
    },
    "oidc-client-id": { ...textOption, describe: "what the provider knows this server as" },
    smtp: {
      ...textOption,
      describe:
        "send invitations by mail: smtp://mail.example.com:587?from=graphloom@example.com, or smtps://…; one with a password is better given as GRAPHLOOM_SMTP. Without it, links are shown to who invites",
    },
    reachable: {
      ...textsOption,
      describe:
        "private address or network that webhooks may be sent to, 10.1.0.0/16; may be repeated. Without it: any, when only this machine reaches the server, otherwise none",
    },
    "query-share": {
      ...numberOption,
      describe:
        "percent of the time that queries of one client may keep the server at work: of an address at public endpoints, of a key at private ones. Whoever asks for more gets 429 until it is earned again; 0 for no limit [default: the environment's GRAPHLOOM_QUERY_SHARE, or 25]",
    },
    metrics: {
      choices: ["open", "key", "off"],
      requiresArg: true,
      describe:
        "who reads /metrics, for Prometheus: anybody, as far as no deployment is named; who has a key (a Viewer's will do, for the deployments of its project; the environment's GRAPHLOOM_METRICS_KEY for all); nobody [default: open when only this machine reaches the server, otherwise key]",
    },
    "log-format": {
      choices: ["text", "json"],
      requiresArg: true,
      describe: "how to log: words, or a JSON object a line [default: text at a terminal, otherwise json]",
    },
    "log-level": {
      choices: ["debug", "info", "warn", "error"],
      default: "info",
      requiresArg: true,
      describe: "the least that is logged",
    },
  },
  groups: {
    "What it keeps:": ["data", "database"],
    "What it reads:": ["rpc", "ipfs", "ens-names", "verify", "engine", "data-service"],
    "How it is reached:": ["port", "host", "public-address", "trust-proxy", "new-key"],
    "Who uses it:": ["sign-up", "oidc-issuer", "oidc-client-id", "smtp", "query-share"],
    "What leaves it:": ["reachable", "metrics", "log-format", "log-level"],
  },
  examples: [
    ["$0 serve --data platform --rpc mainnet=https://…", "everything in the folder platform"],
    ["$0 serve --data platform --database postgres://…", "in a PostgreSQL; the folder keeps the secret key"],
    [
      "$0 serve --data platform --engine graph-node=http://node:8020,http://node:8030/graphql,http://node:8000,http://ipfs:5001",
      "on a graph-node",
    ],
    [
      "$0 serve --data platform --public-address https://graph.example.com --trust-proxy 127.0.0.1",
      "behind a proxy on this machine, which has the certificate",
    ],
  ],
  epilogue:
    "The first time, a token is shown and kept for the command line of the same user, so that graphloom subgraph … " +
    "works against the server. Ctrl-C or SIGTERM ends it in order; twice, at once. examples/server has a container, a " +
    "systemd unit and how to back up.",
  load: async () => {
    const { planServing } = await import("./serve-arguments.js");
    return async (args, terminal) => {
      const plan = planServing(args, terminal.cwd, terminal.env ?? {});
      // The platform is large: a mistake is told before it is loaded.
      const { serveSubgraphs } = await import("./serve-subgraphs.js");
      return serveSubgraphs(plan, args, terminal);
    };
  },
});
