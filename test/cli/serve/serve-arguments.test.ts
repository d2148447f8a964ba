import { describe, expect, it } from "vitest";
import { planServing, type ServeArguments } from "../../../src/cli/serve/serve-arguments.js";

const usual: ServeArguments = {
  data: "platform",
  port: 8030,
  host: "127.0.0.1",
  newKey: false,
  datasets: false,
  restores: false,
  hostedSinksShareCluster: false,
  verify: "bloom",
  proofs: true,
  logLevel: "info",
};
const plan = (changes: Partial<ServeArguments>, env = {}) =>
  planServing({ ...usual, ...changes }, "/home/me", env);

describe("access to the metrics", () => {
  it.each([
    ["open when only this machine reaches the server", {}, "open"],
    ["by key when other machines reach the server", { host: "0.0.0.0" }, "key"],
    ["by key behind a trusted proxy", { trustProxy: ["127.0.0.1"] }, "key"],
    ["by key with a public address", { publicAddress: "https://graph.example.com" }, "key"],
    ["open when the public address is this machine's", { publicAddress: "http://localhost:8030" }, "open"],
    ["open when --metrics open is given", { host: "0.0.0.0", metrics: "open" }, "open"],
    ["off when --metrics off is given", { metrics: "off" }, "off"],
  ] as const)("the metrics are %s", (_, changes, metrics) => expect(plan(changes).metrics).toBe(metrics));
});

describe("unencrypted keys", () => {
  it.each([
    ["do not leave a server that only this machine reaches", {}, false],
    ["cross a network that can reach all addresses", { host: "0.0.0.0" }, true],
    ["cross a network that can reach one address", { host: "192.168.1.5" }, true],
    ["cross the network to an http address", { publicAddress: "http://graph.example.com" }, true],
    [
      "do not cross the network to an https address",
      { host: "0.0.0.0", publicAddress: "https://graph.example.com" },
      false,
    ],
    ["do not cross the network to a name of this machine", { publicAddress: "http://localhost:8030" }, false],
    [
      "do not reach a trusted proxy, as far as is known",
      { host: "0.0.0.0", trustProxy: ["10.0.0.1"] },
      false,
    ],
  ] as const)("unencrypted keys %s", (_, changes, expected) =>
    expect(plan(changes).isInTheClear).toBe(expected));
});

describe("addresses and networks", () => {
  it("a source is for a network that has a node", () => {
    const given = { rpc: ["mainnet=http://node"], source: ["portal=https://portal.example"] };
    expect(plan(given).histories).toEqual(
      new Map([["mainnet", { kind: "portal", url: "https://portal.example" }]]),
    );
    expect(() => plan({ source: ["base=portal"] })).toThrow('--source: unknown chain "base".');
  });

  it("addresses and networks are kept unchanged", () => {
    const { trustedProxies, reachable } = plan({
      trustProxy: ["127.0.0.1", "fd00::/8"],
      reachable: ["10.1.0.0/16", "[::1]:5432", "db.internal:5432"],
    });
    expect([trustedProxies, reachable]).toEqual([
      ["127.0.0.1", "fd00::/8"],
      ["10.1.0.0/16", "[::1]:5432", "db.internal:5432"],
    ]);
  });

  it.each([
    [
      { trustProxy: ["proxy"] },
      "--trust-proxy: proxy is neither an IP address nor a network (for example 10.0.0.0/8)",
    ],
    [{ trustProxy: ["0.0.0.0/0"] }, "--trust-proxy would trust every client"],
    [{ trustProxy: ["::/0"] }, "--trust-proxy would trust every client"],
    [{ trustProxy: ["127.0.0.1:80"] }, "--trust-proxy: 127.0.0.1:80 is neither an IP address nor a network"],
    [{ reachable: ["db.internal"] }, "--reachable: db.internal is a name, which needs a port"],
    [{ reachable: ["10.0.0.1:0"] }, "--reachable: 10.0.0.1:0 has no port from 1 to 65535"],
    [{ reachable: ["10.0.0.0/33"] }, "--reachable: 10.0.0.0/33 is neither an IP address nor a network"],
    [{ reachable: ["\u001b[31m"] }, "--reachable: \\u001b[31m is neither an IP address"],
  ] as const)("rejects %j, which is not an address or a network", (changes, message) => {
    expect(() => plan(changes)).toThrow(message);
  });
});

describe("the database", () => {
  it("takes the database from the environment by default, which hides its password from the process list", () => {
    const env = { GRAPHLOOM_DATABASE: "postgres://u:p@h/d" };
    expect(plan({}, env).database).toBe("postgres://u:p@h/d");
    expect(plan({ database: "postgres://other" }, env).database).toBe("postgres://other");
    expect(plan({}, { GRAPHLOOM_DATABASE: "" }).database).toBe("/home/me/platform/database");
  });

  it.each([
    "GRAPHLOOM_DATABASE",
    "--database",
  ])("rejects a %s that is not a PostgreSQL address, without showing it", (where) => {
    const wrong = "mysql://u:p@h/d";
    const given =
      where === "--database" ? plan.bind(null, { database: wrong }) : () => plan({}, { [where]: wrong });
    expect(given).toThrow("must be the address of a PostgreSQL database");
    expect(given).not.toThrow("mysql");
  });
});

describe("the data service", () => {
  it("the data service takes its key from the environment", () => {
    const dataService = "https://data.example/v1";
    expect(plan({ dataService }, { GRAPHLOOM_DATA_SERVICE_KEY: "k" }).dataService).toEqual({
      address: dataService,
      key: "k",
    });
    expect(plan({ dataService }).dataService).toEqual({ address: dataService });
    expect(plan({ dataService: "here" }).dataService).toBe("here");
    expect(plan({}, { GRAPHLOOM_DATA_SERVICE_KEY: "k" }).dataService).toBeUndefined();
  });

  it.each([
    "data.example",
    "ftp://data.example",
    "https://data.example?key=hidden",
  ])("the data service cannot be %s", (wrong) => {
    expect(() => plan({ dataService: wrong })).toThrow("--data-service must start with http");
  });

  it("takes a source of prices only for this server's own data service", () => {
    const prices = "https://prices.example/{chain}?tokens={tokens}";
    expect(plan({ dataService: "here", prices }).prices).toBe(prices);
    expect(plan({ dataService: "here" }).prices).toBeUndefined();
    for (const dataService of [undefined, "https://data.example/v1"])
      expect(() => plan({ dataService, prices })).toThrow("--prices requires --data-service here.");
    expect(() => plan({ dataService: "here", prices: "https://prices.example" })).toThrow(
      "--prices must contain {tokens}",
    );
  });
});

describe("the rows of the data service", () => {
  it("are in ClickHouse only if the service is this server's own", () => {
    const clickhouse = "https://user:secret@host:8443/chains";
    const clickHouse = { url: "https://host:8443", username: "user", password: "secret", database: "chains" };
    expect(plan({ dataService: "here", clickhouse }).clickHouse).toMatchObject(clickHouse);
    const environment = { GRAPHLOOM_CLICKHOUSE: clickhouse };
    expect(plan({ dataService: "here" }, environment).clickHouse).toMatchObject(clickHouse);
    expect(plan({}, environment).clickHouse).toBeUndefined();
    for (const dataService of [undefined, "https://data.example/v1"])
      expect(() => plan({ dataService, clickhouse })).toThrow("--clickhouse requires --data-service here.");
    expect(() => plan({ dataService: "here", clickhouse: "chains" })).toThrow("--clickhouse must be");
  });
});

describe("the place of flows", () => {
  it("is Flink's gateway and the brokers of Kafka, also from the environment", () => {
    const flows = "flink=http://flink:8083,kafka=a:9092,b:9092";
    const flink = { gateway: "http://flink:8083", kafka: '{"bootstrapServers":"a:9092,b:9092"}' };
    expect(plan({ flows }).flink).toEqual(flink);
    expect(plan({}, { GRAPHLOOM_FLOWS: flows }).flink).toEqual(flink);
    expect(plan({}).flink).toBeUndefined();
  });

  it("takes the Kafka login from a secret in the environment", () => {
    const secret = '{"bootstrapServers":"a:9092","securityProtocol":"SASL_SSL"}';
    const flows = "kafka=EVENTS,flink=http://flink:8083";
    expect(plan({ flows }, { GRAPHLOOM_SECRET_EVENTS: secret }).flink?.kafka).toBe(secret);
    expect(() => plan({ flows })).toThrow("Set GRAPHLOOM_SECRET_EVENTS");
  });

  it("takes a file with a login for each project, and the secret that they log in with", () => {
    const flows = "flink=http://flink:8083,kafka=EVENTS,logins=logins,kafka.json";
    const secretOf = (protocol: string) => ({
      GRAPHLOOM_SECRET_EVENTS: `{"bootstrapServers":"a:9092","securityProtocol":"${protocol}"}`,
    });
    const environment = secretOf("SASL_SSL");
    expect(plan({ flows }, environment).flink).toEqual({
      gateway: "http://flink:8083",
      kafka: environment.GRAPHLOOM_SECRET_EVENTS,
      logins: "logins,kafka.json",
    });
    for (const protocol of ["SSL", "hidden"])
      expect(() => plan({ flows }, secretOf(protocol))).toThrow(/^--flows: .*securityProtocol(?!.*hidden)/);
  });

  it.each([
    "flink=http://flink:8083,kafka=a:9092,logins=file",
    "flink=http://flink:8083,kafka=a:9092,logins=",
    "flink=http://flink:8083",
    "kafka=a:9092",
    "flink=ftp://hidden,kafka=a:9092",
    "flink=http://u:hidden@flink?x=1,kafka=a:9092",
    "flink=http://u:hidden@flink,kafka=a:port",
  ])("is refused without repeating an address: %s", (flows) => {
    expect(() => plan({ flows })).toThrow(/^--flows(?!.*hidden)/);
  });
});

describe("the engine", () => {
  it("takes the engine from the environment by default", () => {
    const engine = "graph-node=http://a,http://b,http://c,http://d,postgres://u:hidden@e/f";
    expect(plan({}, { GRAPHLOOM_ENGINE: engine }).graphNode).toEqual(plan({ engine }).graphNode);
    expect(() => plan({}, { GRAPHLOOM_ENGINE: "graph-node=hidden" })).toThrow(
      /^--engine must list(?!.*hidden)/,
    );
  });
});

describe("people", () => {
  const secret = { GRAPHLOOM_OIDC_CLIENT_SECRET: "s" };
  const provider = { oidcIssuer: "https://login.example.com/realm", oidcClientId: "graphloom" };

  it("accounts need an invitation unless sign-up is open to everyone at a provider", () => {
    expect(plan({}).accounts).toEqual({ signUp: "invited" });
    expect(plan({ ...provider, signUp: "open" }, secret).accounts).toEqual({
      signUp: "open",
      oidc: { issuer: provider.oidcIssuer, clientId: "graphloom", clientSecret: "s" },
    });
    expect(() => plan({ signUp: "open" })).toThrow("--sign-up open requires --oidc-issuer");
  });

  it.each([
    ["no client", { oidcIssuer: provider.oidcIssuer }, "or neither"],
    ["no issuer", { oidcClientId: "graphloom" }, "or neither"],
    ["an open connection", { ...provider, oidcIssuer: "http://login.example.com" }, "https://"],
    ["no address", { ...provider, oidcIssuer: "login" }, "https://"],
  ])("rejects a provider with %s", (_, changes, message) =>
    expect(() => plan(changes, secret)).toThrow(message));

  it("requires the client secret of a provider in the environment", () =>
    expect(() => plan(provider)).toThrow("GRAPHLOOM_OIDC_CLIENT_SECRET"));

  it.each([
    ["smtp://mail.example.com?from=g@example.com", { isEncrypted: false, port: 587 }],
    ["smtps://mail.example.com?from=g@example.com", { isEncrypted: true, port: 465 }],
    [
      "smtp://me:p%40ss@mail.example.com:25?from=g@example.com",
      { login: { user: "me", pass: "p@ss" }, port: 25 },
    ],
  ])("sends mail by way of %s", (smtp, expected) => {
    const common = { host: "mail.example.com", from: "g@example.com" };
    expect(plan({ smtp }).accounts.smtp).toMatchObject({ ...common, ...expected });
    expect(plan({}, { GRAPHLOOM_SMTP: smtp }).accounts.smtp).toMatchObject(expected);
  });

  it.each([
    "mail.example.com",
    "http://mail?from=a@b.de",
    "smtp://me:hidden@mail",
    "smtp://mail?from=a b",
  ])("rejects the mail server %s without repeating it", (smtp) => {
    expect(() => plan({ smtp })).toThrow(/^--smtp must name (?!.*hidden)/);
  });
});

describe("the share of time for the queries of one client", () => {
  it.each([
    ["a quarter by default", {}, {}, 0.25],
    ["taken from the environment", {}, { GRAPHLOOM_QUERY_SHARE: "50" }, 0.5],
    [
      "taken from the option before the environment",
      { queryShare: 10 },
      { GRAPHLOOM_QUERY_SHARE: "50" },
      0.1,
    ],
    ["allowed to exceed one connection", { queryShare: 400 }, {}, 4],
    ["unlimited when it is 0", { queryShare: 0 }, {}, null],
  ] as const)("the share of time is %s", (_, changes, env, share) =>
    expect(plan(changes, env).workShare).toBe(share));

  it.each([
    [{ queryShare: -1 }, {}, "--query-share"],
    [{ queryShare: 2.5 }, {}, "--query-share"],
    [{ queryShare: Number.NaN }, {}, "--query-share"],
    [{}, { GRAPHLOOM_QUERY_SHARE: "half" }, "GRAPHLOOM_QUERY_SHARE"],
  ] as const)("rejects a share that is not a percentage: %j %j", (changes, env, name) => {
    expect(() => plan(changes, env)).toThrow(`${name} must be a whole percentage`);
  });
});

describe("the archive", () => {
  it.each([
    ["that of the option", { archive: "kept" }, {}, "/home/me/kept"],
    ["that of the environment", {}, { GRAPHLOOM_ARCHIVE: "/srv/archive" }, "/srv/archive"],
    ["that of the option first", { archive: "kept" }, { GRAPHLOOM_ARCHIVE: "x" }, "/home/me/kept"],
    ["none by default", {}, { GRAPHLOOM_ARCHIVE: "" }, undefined],
  ] as const)("the folder is %s", (_, changes, environment, folder) =>
    expect(plan(changes, environment).archive).toBe(folder));

  it("needs a name", () => expect(() => plan({ archive: "" })).toThrow("--archive requires a folder."));
});

it.each([
  ["4g", 4 * 2 ** 30],
  ["2048m", 2 ** 31],
  ["3", 3 * 2 ** 30],
  ["1GB", 2 ** 30],
])("--memory %s is a number of bytes", (memory, bytes) => {
  expect(plan({ memory }).memory).toBe(bytes);
  expect(plan({}, { GRAPHLOOM_MEMORY: memory }).memory).toBe(bytes);
});

it("--requests-per-second is a rate, and there is no limit by default", () => {
  expect(plan({ requestsPerSecond: 0.5 }).requestsPerSecond).toBe(0.5);
  expect(plan({}).requestsPerSecond).toBeUndefined();
  for (const requestsPerSecond of [0, -1, 1_001, Number.NaN])
    expect(() => plan({ requestsPerSecond })).toThrow("--requests-per-second must be a number");
});

it("--check-time is in seconds, and both have defaults", () => {
  expect(plan({ checkTime: 5 }).checkTime).toBe(5_000);
  expect(plan({}, { GRAPHLOOM_CHECK_TIME: "7" }).checkTime).toBe(7_000);
  expect([plan({}).memory, plan({}).checkTime]).toEqual([undefined, undefined]);
});

it.each(["", "100m", "4t", "-1g", "1.5g", "many"])("--memory %j is refused", (memory) => {
  expect(() => plan({ memory })).toThrow("--memory must be a size of at least 256m");
});

it.each([0, -1, 1.5, 10_000])("--check-time %d is refused", (checkTime) => {
  expect(() => plan({ checkTime })).toThrow("--check-time must be a whole number of seconds");
});

describe("the place of hosted sinks", () => {
  const address = "postgres://keeper:secret@sinks:5433/postgres";

  it("is an address that may share the server's cluster only if the operator allows it", () => {
    expect(plan({}).hostedSinks).toBeUndefined();
    expect(plan({ hostedSinks: address }).hostedSinks).toEqual({ address, mayShare: false });
    expect(plan({}, { GRAPHLOOM_HOSTED_SINKS: address }).hostedSinks).toEqual({ address, mayShare: false });
    expect(plan({ hostedSinks: address, hostedSinksShareCluster: true }).hostedSinks).toEqual({
      address,
      mayShare: true,
    });
  });

  it.each([
    "sinks",
    "",
    "http://sinks",
    "postgres:///postgres?host=/run/postgresql",
    "postgres://a,b/postgres",
    "postgres://keeper:secret@sinks/postgres?host=/run",
  ])("is refused if pipelines could not connect to it: %s", (given) => {
    expect(() => plan({ hostedSinks: given })).toThrow("--hosted-sinks must be the address of");
    if (given !== "")
      expect(() => plan({}, { GRAPHLOOM_HOSTED_SINKS: given })).toThrow("GRAPHLOOM_HOSTED_SINKS must be");
  });

  it("is required by the flag that lets it share the server's cluster", () => {
    expect(() => plan({ hostedSinksShareCluster: true })).toThrow("requires --hosted-sinks");
  });
});

describe("the ports of a graph-node", () => {
  const usualPorts = { queries: 8000, admin: 8020, status: 8030, ipfs: 5001 };

  it.each([
    ["none by default", {}, undefined],
    ["its own ones", { graphNodeDoors: true }, { ports: usualPorts, access: "open" }],
    [
      "other ones, of which several may be free ones",
      { graphNodeDoors: true, graphNodeQueryPort: 0, graphNodeIpfsPort: 0, graphNodeAdminPort: 1 },
      { ports: { ...usualPorts, queries: 0, ipfs: 0, admin: 1 }, access: "open" },
    ],
    [
      "for keys when other machines reach the server",
      { graphNodeDoors: true, host: "0.0.0.0" },
      { ports: usualPorts, access: "key" },
    ],
    [
      "for keys behind a proxy",
      { graphNodeDoors: true, publicAddress: "https://graph.example.com" },
      { ports: usualPorts, access: "key" },
    ],
    [
      "for keys if asked",
      { graphNodeDoors: true, graphNodeAccess: "key" },
      { ports: usualPorts, access: "key" },
    ],
  ] as const)("are %s", (_, changes, doors) => expect(plan(changes).doors).toEqual(doors));

  it.each([
    ["of no port", { graphNodeIpfsPort: 65_536 }, "must be whole numbers from 0 to 65535"],
    ["of one port twice", { graphNodeIpfsPort: 8000 }, "must differ from each other and from --port"],
    ["of the server's port for another one", { port: 8020 }, "must differ from each other and from --port"],
    ["open to other machines", { host: "0.0.0.0", graphNodeAccess: "open" }, "requires a server that only"],
  ] as const)("are refused %s", (_, changes, message) =>
    expect(() => plan({ graphNodeDoors: true, ...changes })).toThrow(message));

  it("are rejected while the ports are off", () => {
    for (const changes of [{ graphNodeQueryPort: 1 }, { graphNodeAccess: "key" }] as const)
      expect(() => plan(changes)).toThrow("require --graph-node-doors");
  });
});

describe("quotas", () => {
  it("come from options, and otherwise from the environment", () => {
    const env = { GRAPHLOOM_MOST_PIPELINES: "7", GRAPHLOOM_MOST_HOSTED_SINK_MEGABYTES: "8" };
    expect(plan({ quota: ["pipelines=9", "file-megabytes=10"] }, env).quotas).toEqual({
      pipelines: 9,
      hostedSinkMegabytes: 8,
      fileMegabytes: 10,
    });
    expect(plan({}).quotas).toEqual({});
  });

  it.each([
    [["pipeline=1"], {}, "--quota has no limit pipeline. It has deployments, endpoints, "],
    [["pipelines"], {}, "--quota pipelines must be a whole number."],
    [["pipelines=1=2"], {}, "--quota pipelines must be a whole number."],
    [["pipelines=-1"], {}, "--quota pipelines must be a whole number."],
    [[], { GRAPHLOOM_MOST_WEBHOOKS: "many" }, "GRAPHLOOM_MOST_WEBHOOKS must be a whole number."],
  ])("are refused: %j %j", (quota, env, message) => {
    expect(() => plan({ quota }, env)).toThrow(message);
  });
});

describe("traces", () => {
  const endpoint = "http://localhost:4318";
  it.each([
    ["go nowhere by default", {}, {}, undefined],
    ["go to the option's address", { otlpEndpoint: endpoint }, { OTEL_SDK_DISABLED: "true" }, { endpoint }],
    ["go where the environment says", {}, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, "environment"],
    ["have a variable of their own", {}, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }, "environment"],
    [
      "are off with the SDK",
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: "TRUE" },
      undefined,
    ],
    [
      "are off without an exporter",
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "none" },
      undefined,
    ],
  ] as const)("traces %s", (_, changes, env, expected) =>
    expect(plan(changes, env).traces).toEqual(expected));

  it("traces over another protocol are refused, as nothing would arrive", () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
    expect(() => plan({}, env)).toThrow("the environment asks for grpc");
    expect(plan({}, { ...env, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf" }).traces).toBe(
      "environment",
    );
  });

  it("an address of the environment that is none is refused", () =>
    expect(() => plan({}, { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" })).toThrow(
      "OTEL_EXPORTER_OTLP_ENDPOINT must start with http:// or https://.",
    ));
});
