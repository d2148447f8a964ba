import { describe, expect, it } from "vitest";
import { planServing, type ServeArguments } from "../../../src/cli/serve/serve-arguments.js";

const usual: ServeArguments = {
  data: "platform",
  port: 8030,
  host: "127.0.0.1",
  newKey: false,
  verify: "bloom",
  logLevel: "info",
};
const plan = (changes: Partial<ServeArguments>, env = {}) =>
  planServing({ ...usual, ...changes }, "/home/me", env);

describe("metrics are open to anybody", () => {
  it.each([
    ["where only this machine comes", {}, "open"],
    ["where others come: of other machines", { host: "0.0.0.0" }, "key"],
    ["where others come: by a proxy that is told of", { trustProxy: ["127.0.0.1"] }, "key"],
    ["where others come: by another address", { publicAddress: "https://graph.example.com" }, "key"],
    ["under a name of this machine", { publicAddress: "http://localhost:8030" }, "open"],
    ["where that is asked for", { host: "0.0.0.0", metrics: "open" }, "open"],
    ["nowhere, where that is asked for", { metrics: "off" }, "off"],
  ] as const)("%s", (_, changes, metrics) => expect(plan(changes).metrics).toBe(metrics));
});

describe("keys come unencrypted", () => {
  it.each([
    ["not where only this machine comes", {}, false],
    ["from all of the network", { host: "0.0.0.0" }, true],
    ["from a part of it", { host: "192.168.1.5" }, true],
    ["by an address without encryption", { publicAddress: "http://graph.example.com" }, true],
    ["not by an address with it", { host: "0.0.0.0", publicAddress: "https://graph.example.com" }, false],
    ["not by a name of this machine", { publicAddress: "http://localhost:8030" }, false],
    ["not by a proxy, as far as is known", { host: "0.0.0.0", trustProxy: ["10.0.0.1"] }, false],
  ] as const)("%s", (_, changes, expected) => expect(plan(changes).isInTheClear).toBe(expected));
});

describe("addresses and networks", () => {
  it("are kept as they are", () => {
    const { trustedProxies, reachable } = plan({
      trustProxy: ["127.0.0.1", "fd00::/8"],
      reachable: ["10.1.0.0/16"],
    });
    expect([trustedProxies, reachable]).toEqual([["127.0.0.1", "fd00::/8"], ["10.1.0.0/16"]]);
  });

  it.each([
    [{ trustProxy: ["proxy"] }, "--trust-proxy: proxy is no address and no network, such as 10.0.0.0/8"],
    [{ trustProxy: ["0.0.0.0/0"] }, "--trust-proxy would believe everybody"],
    [{ trustProxy: ["::/0"] }, "--trust-proxy would believe everybody"],
    [{ reachable: ["10.0.0.0/33"] }, "--reachable: 10.0.0.0/33 is no address and no network"],
    [{ reachable: ["\u001b[31m"] }, "--reachable: \\u001b[31m is no address"],
  ] as const)("have to be some: %j", (changes, message) => {
    expect(() => plan(changes)).toThrow(message);
  });
});

describe("the database", () => {
  it("is the environment's where no other is named, so that its password is in no list of processes", () => {
    const env = { GRAPHLOOM_DATABASE: "postgres://u:p@h/d" };
    expect(plan({}, env).database).toBe("postgres://u:p@h/d");
    expect(plan({ database: "postgres://other" }, env).database).toBe("postgres://other");
    expect(plan({}, { GRAPHLOOM_DATABASE: "" }).database).toBe("/home/me/platform/database");
  });

  it.each(["GRAPHLOOM_DATABASE", "--database"])("of %s has to be an address, which is not shown", (where) => {
    const wrong = "mysql://u:p@h/d";
    const given =
      where === "--database" ? plan.bind(null, { database: wrong }) : () => plan({}, { [where]: wrong });
    expect(given).toThrow("has to be the address of a PostgreSQL");
    expect(given).not.toThrow("mysql");
  });
});

describe("the data service", () => {
  it("is an address, shown the environment's key", () => {
    const dataService = "https://data.example/v1";
    expect(plan({ dataService }, { GRAPHLOOM_DATA_SERVICE_KEY: "k" }).dataService).toEqual({
      address: dataService,
      key: "k",
    });
    expect(plan({ dataService }).dataService).toEqual({ address: dataService });
    expect(plan({}, { GRAPHLOOM_DATA_SERVICE_KEY: "k" }).dataService).toBeUndefined();
  });

  it.each(["data.example", "ftp://data.example", "https://data.example?key=hidden"])("is not %s", (wrong) => {
    expect(() => plan({ dataService: wrong })).toThrow("--data-service has to begin with http");
  });
});

describe("the engine", () => {
  it("is the environment's where no other is named", () => {
    const engine = "graph-node=http://a,http://b,http://c,http://d,postgres://u:hidden@e/f";
    expect(plan({}, { GRAPHLOOM_ENGINE: engine }).graphNode).toEqual(plan({ engine }).graphNode);
    expect(() => plan({}, { GRAPHLOOM_ENGINE: "graph-node=hidden" })).toThrow(
      /^--engine has to name(?!.*hidden)/,
    );
  });
});

describe("people", () => {
  const secret = { GRAPHLOOM_OIDC_CLIENT_SECRET: "s" };
  const provider = { oidcIssuer: "https://login.example.com/realm", oidcClientId: "graphloom" };

  it("are invited, unless whoever a provider knows may come", () => {
    expect(plan({}).accounts).toEqual({ signUp: "invited" });
    expect(plan({ ...provider, signUp: "open" }, secret).accounts).toEqual({
      signUp: "open",
      oidc: { issuer: provider.oidcIssuer, clientId: "graphloom", clientSecret: "s" },
    });
    expect(() => plan({ signUp: "open" })).toThrow("--sign-up open needs --oidc-issuer");
  });

  it.each([
    ["no client", { oidcIssuer: provider.oidcIssuer }, "belong together"],
    ["no issuer", { oidcClientId: "graphloom" }, "belong together"],
    ["an open connection", { ...provider, oidcIssuer: "http://login.example.com" }, "https://"],
    ["no address", { ...provider, oidcIssuer: "login" }, "https://"],
  ])("do not sign in at a provider with %s", (_, changes, message) =>
    expect(() => plan(changes, secret)).toThrow(message));

  it("sign in at a provider whose secret the environment has", () =>
    expect(() => plan(provider)).toThrow("GRAPHLOOM_OIDC_CLIENT_SECRET"));

  it.each([
    ["smtp://mail.example.com?from=g@example.com", { isEncrypted: false, port: 587 }],
    ["smtps://mail.example.com?from=g@example.com", { isEncrypted: true, port: 465 }],
    [
      "smtp://me:p%40ss@mail.example.com:25?from=g@example.com",
      { login: { user: "me", pass: "p@ss" }, port: 25 },
    ],
  ])("are written to over %s", (smtp, expected) => {
    const common = { host: "mail.example.com", from: "g@example.com" };
    expect(plan({ smtp }).accounts.smtp).toMatchObject({ ...common, ...expected });
    expect(plan({}, { GRAPHLOOM_SMTP: smtp }).accounts.smtp).toMatchObject(expected);
  });

  it.each([
    "mail.example.com",
    "http://mail?from=a@b.de",
    "smtp://me:hidden@mail",
    "smtp://mail?from=a b",
  ])("are not written to over %s, which is not repeated", (smtp) => {
    expect(() => plan({ smtp })).toThrow(/^--smtp has to say (?!.*hidden)/);
  });
});

describe("the share of the time that one client's queries may take", () => {
  it.each([
    ["a quarter", {}, {}, 0.25],
    ["the environment's", {}, { GRAPHLOOM_QUERY_SHARE: "50" }, 0.5],
    ["the option's before that", { queryShare: 10 }, { GRAPHLOOM_QUERY_SHARE: "50" }, 0.1],
    ["more than one connection's", { queryShare: 400 }, {}, 4],
    ["all, where it is 0", { queryShare: 0 }, {}, null],
  ] as const)("is %s", (_, changes, env, share) => expect(plan(changes, env).workShare).toBe(share));

  it.each([
    [{ queryShare: -1 }, {}, "--query-share"],
    [{ queryShare: 2.5 }, {}, "--query-share"],
    [{ queryShare: Number.NaN }, {}, "--query-share"],
    [{}, { GRAPHLOOM_QUERY_SHARE: "half" }, "GRAPHLOOM_QUERY_SHARE"],
  ] as const)("has to be a percentage: %j %j", (changes, env, name) => {
    expect(() => plan(changes, env)).toThrow(`${name} has to be a whole number of percent`);
  });
});
