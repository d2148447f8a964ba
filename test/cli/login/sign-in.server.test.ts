import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SQL } from "../../../src/store/database/database.js";
import { json, startDouble } from "../../support/network/double-server.js";
import type { TestPerson } from "../../support/server/people.js";
import { filesBelow } from "../process.js";
import { allow, pageIn, useMachine, usePeople } from "./people-server.js";

const people = usePeople();

const ask = async (): Promise<string | undefined> => {
  throw new Error("nothing is asked");
};
const kept = (home: string) =>
  JSON.parse(readFileSync(join(home, ".config/graphloom/credentials.json"), "utf8"));

/** What a browser does with the page that the command line shows. @returns the answers it received */
type Browser = (page: URL, callback: string) => Promise<readonly string[]>;

/** Logs in with this browser. */
async function login(machine: ReturnType<typeof useMachine>, url: string, browser: Browser) {
  let pages: Promise<readonly string[]> | undefined;
  let said = "";
  const ended = await machine.run(`login --api-url ${url}`, {
    ask,
    onErr(text) {
      said += text;
      const page = pageIn(said);
      if (page === undefined || pages) return;
      const address = new URL(page);
      pages = browser(address, address.searchParams.get("redirect_uri") ?? "");
    },
  });
  return { ...ended, pages: await pages };
}

const get = async (address: string): Promise<string> => {
  const answer = await fetch(address);
  return `${answer.status} ${await answer.text()}`;
};

/** The browser of a person who allows the login. */
const saysYes =
  (person: TestPerson): Browser =>
  async (page, callback) => {
    const code = await allow(people(), person, page.href);
    return [await get(`${callback}?${new URLSearchParams({ code, state: stateOf(page) })}`)];
  };
const stateOf = (page: URL): string => page.searchParams.get("state") ?? "";

describe("signing in with a browser", () => {
  it("stores the person's token and a project, which later commands use", async () => {
    const machine = useMachine();
    const server = await people().open();
    const first = await people().project("First");
    const second = await people().project("Second");
    const ann = await people().person("ann", { [first]: "Owner", [second]: "Viewer" });
    const { code, out, pages } = await login(machine, server.url, saysYes(ann));
    expect([code, out]).toEqual([
      0,
      `Logged in to ${server.url} as ${ann.email}. The token is stored in ${machine.home}/.config/graphloom/credentials.json, which only you can read.\n` +
        `Commands use the project First (${first}).\nTo use a different project: graphloom project list, then graphloom project use <name>.\n`,
    ]);
    expect(pages).toEqual([expect.stringMatching(/^200 .*You can close this page\./s)]);
    expect(pages?.join()).not.toMatch(/script|glc_/);
    expect((await machine.run("subgraph list")).code).toBe(0);
    expect((await machine.run("project use Second")).code).toBe(0);
    expect((await machine.run("subgraph list")).code).toBe(0);
    const { token } = kept(machine.home).logins[server.url];
    expect(token).toMatch(/^glu_/);
    const asked = server.received.filter(({ path }) => path.endsWith("/subgraphs"));
    expect(asked.map(({ headers }) => [headers.authorization, headers["graphloom-project"]])).toEqual([
      [`Bearer ${token}`, first],
      [`Bearer ${token}`, second],
    ]);
  });

  it("ignores answers that do not belong to this login, and continues waiting", async () => {
    const ann = await people().person("ann");
    const { code, err, pages } = await login(
      useMachine(),
      (await people().open()).url,
      async (page, callback) => {
        const good = await allow(people(), ann, page.href);
        const to = (query: Record<string, string>) => get(`${callback}?${new URLSearchParams(query)}`);
        const state = stateOf(page);
        return [
          await to({ code: good, state: `${state}x` }),
          await to({ code: good }),
          await get(`${callback}?state=${state}&state=${state}&code=${good}`),
          await get(`${callback}/other?code=${good}&state=${state}`),
          await to({ code: good, state }),
        ];
      },
    );
    expect(pages?.map((text) => text.slice(0, 3))).toEqual(["400", "400", "400", "404", "200"]);
    expect(err.match(/Ignored an answer that does not belong to this login/g)).toHaveLength(1);
    expect(code).toBe(0);
  });

  it("ends when the person denies access", async () => {
    const machine = useMachine();
    const { code, err } = await login(machine, (await people().open()).url, async (page, callback) => [
      await get(`${callback}?error=access_denied&state=${stateOf(page)}`),
    ]);
    expect([code, err]).toEqual([3, expect.stringContaining("Nothing was stored.\nYou denied the login.\n")]);
    expect([...filesBelow(machine.home).keys()]).toEqual([]);
  });

  it("ends at once when the user interrupts it", async () => {
    const interrupt = new AbortController();
    const { code } = await useMachine().run(`login --api-url ${(await people().open()).url}`, {
      ask,
      signal: interrupt.signal,
      onErr: (text) => void (pageIn(text) && interrupt.abort()),
    });
    expect(code).toBe(130);
  });
});

describe("signing in by hand", () => {
  /** Logs in by pasting a code after the page was shown. */
  const byHand = (url: string, machine = useMachine()) => {
    let said = "";
    return async (paste: (page: string) => Promise<string | undefined>) =>
      machine.run(`login --no-browser --api-url ${url}`, {
        onErr(text) {
          said += text;
        },
        ask: async (_, options) => {
          expect(options?.hidden).toBe(true);
          return paste(pageIn(said) ?? "");
        },
      });
  };

  it("accepts the code that the page shows", async () => {
    const { url } = await people().open();
    const ann = await people().person("ann");
    const { code, out } = await byHand(url)(async (page) => ` ${await allow(people(), ann, page)}\n`);
    expect([code, out]).toEqual([0, expect.stringContaining("graphloom project create --name <name>")]);
  });

  it("accepts an API key in place of a code", async () => {
    const { url } = await people().open();
    const machine = useMachine();
    const { code } = await byHand(url, machine)(async () => people().platform.token);
    expect([code, kept(machine.home).logins[url].kind]).toEqual([0, "key"]);
    expect((await machine.run("project create --name Mine")).err).toContain("graphloom login");
    const used = await machine.run("project use Mine");
    expect([used.code, used.err]).toEqual([2, expect.stringContaining("belongs to one project")]);
  });

  it.each<[string, (person: TestPerson, page: string) => Promise<string>]>([
    [
      "was already used",
      async (person, page) => {
        const code = await allow(people(), person, page);
        await people().database.query(SQL`update graphloom.authorization_codes set used_at = now()`);
        return code;
      },
    ],
    [
      "has expired",
      async (person, page) => {
        const code = await allow(people(), person, page);
        await people().database.query(SQL`update graphloom.authorization_codes set expires_at = now()`);
        return code;
      },
    ],
    [
      "is for another login",
      async (person, page) => {
        const other = new URL(page);
        other.searchParams.set("code_challenge", "x".repeat(43));
        return allow(people(), person, other.href);
      },
    ],
    ["was never issued", async () => "glc_nothing"],
  ])("rejects a code that %s", async (_, make) => {
    const { url } = await people().open();
    const machine = useMachine();
    const ann = await people().person("ann");
    const { code, out, err } = await byHand(url, machine)((page) => make(ann, page));
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain("Nothing was stored.\nBad request (400)\n");
    expect([...filesBelow(machine.home).keys()]).toEqual([]);
  });

  it("ends when the input ends", async () => {
    const { url } = await people().open();
    const { code, err } = await byHand(url)(async () => undefined);
    expect([code, err]).toEqual([2, expect.stringContaining("Start again: graphloom login")]);
  });
});

describe("a server without sign-in", () => {
  it.each([
    ["answers 404", { kind: "status", status: 404, text: "not found" }],
    ["requires a key", { kind: "status", status: 401, text: "{}" }],
    ["answers with a page", { kind: "text", text: "<html>welcome</html>" }],
    ["redirects to a page", { kind: "status", status: 302, headers: { location: "https://x.example" } }],
  ] as const)("receives an API key if it %s", async (_, fault) => {
    const double = await startDouble(() =>
      json({ data: [], pagination: { next_page_token: null, page_size: 1 } }),
    );
    double.rule(({ path }) => (path.endsWith("/auth") ? fault : undefined));
    const machine = useMachine();
    const ended = await machine.run(`login --api-url ${double.url}/api/v1`, {
      ask: async () => "key-5f0c1e",
    });
    await double.stop();
    expect(ended.err).toContain("does not support this way of signing in. Use an API key.");
    expect(ended.code).toBe(0);
    expect(double.requests.at(-1)?.headers.authorization).toBe("Bearer key-5f0c1e");
    expect(double.requests[0]?.headers.authorization).toBeUndefined();
  });

  it("receives no API key if it answers 500", async () => {
    const double = await startDouble(() => json({}, 500));
    const { code } = await useMachine().run(`login --api-url ${double.url}/api/v1`, { ask });
    await double.stop();
    expect(code).toBe(3);
  });
});

describe("several servers and projects", () => {
  it("are stored side by side, each server with its selected project", async () => {
    const machine = useMachine();
    const [one, two] = [await people().open(), await people().open()];
    const [pools, swaps, lent] = [
      await people().project("Pools"),
      await people().project("Swaps"),
      await people().project("Lent"),
    ];
    const ann = await people().person("ann", { [pools]: "Owner", [swaps]: "Editor" });
    const bob = await people().person("bob", { [lent]: "Viewer" });
    await login(machine, one.url, saysYes(ann));
    await login(machine, two.url, saysYes(bob));
    const list = async (more = "") => (await machine.run(`project list ${more}`)).out;
    expect(await list()).toEqual(
      expect.stringMatching(new RegExp(`^PROJECT +ID +YOUR ROLE +USED\nLent +${lent} +Viewer +yes\n$`)),
    );
    expect(await list(`--api-url ${one.url}`)).toMatch(/^Pools .* yes\nSwaps .* Editor$/m);
    // Selecting a project makes its server the current one.
    expect((await machine.run(`project use ${swaps} --api-url ${one.url}`)).code).toBe(0);
    expect(await list()).toMatch(/^Pools .* Owner\nSwaps .* yes$/m);
    expect(await list(`--api-url ${two.url}`)).toContain("Lent");
    // Select a different project for one command, or for one shell.
    await machine.run("subgraph list --project Pools");
    await machine.run("subgraph list", { env: { GRAPHLOOM_PROJECT: pools } });
    await machine.run("subgraph list");
    const asked = one.received.filter(({ path }) => path.endsWith("/subgraphs"));
    expect(asked.map(({ headers }) => headers["graphloom-project"])).toEqual([pools, pools, swaps]);
    // A later login to the same server keeps the selected project.
    await login(machine, one.url, saysYes(ann));
    expect(kept(machine.home).logins[one.url].project).toEqual({ id: swaps, name: "Swaps" });
    const strange = await machine.run("project use Lent");
    expect([strange.code, strange.err]).toEqual([
      2,
      expect.stringContaining(`You are not in a project "Lent". Your projects: "Pools" (${pools})`),
    ]);
  });

  it("with the same name are distinguished by their ids", async () => {
    const machine = useMachine();
    const { url } = await people().open();
    const twins = [await people().project("Twin"), await people().project("Twin")];
    const ann = await people().person("ann", { [twins[0] ?? ""]: "Owner", [twins[1] ?? ""]: "Owner" });
    await login(machine, url, saysYes(ann));
    const { code, err } = await machine.run("project use Twin");
    expect([code, err]).toEqual([2, expect.stringContaining(`Pass an id: ${twins.join(" or ")}.`)]);
  });

  it("cannot be selected with --token alone, because only a login is stored", async () => {
    const { url } = await people().open();
    const ann = await people().person("ann", { [await people().project("Pools")]: "Owner" });
    const line = `project use Pools --api-url ${url} --token ${ann.token}`;
    const { code, err } = await useMachine().run(line);
    expect([code, err]).toEqual([2, expect.stringContaining("--project or GRAPHLOOM_PROJECT")]);
  });
});

describe("logging out", () => {
  const loggedIn = async () => {
    const machine = useMachine();
    const server = await people().open();
    const ann = await people().person("ann");
    await login(machine, server.url, saysYes(ann));
    const { token } = kept(machine.home).logins[server.url];
    const isGood = async () => (await people().platform.ask("/projects", { key: token })).status === 200;
    return { machine, server, isGood };
  };

  it("also revokes the token on the server", async () => {
    const { machine, isGood } = await loggedIn();
    expect(await isGood()).toBe(true);
    expect(await machine.run("logout")).toMatchObject({ code: 0, err: "" });
    expect(await isGood()).toBe(false);
    expect([...filesBelow(machine.home).keys()]).toEqual([]);
  });

  it("reports that the server could not revoke the token", async () => {
    const { machine, server, isGood } = await loggedIn();
    server.fail({ kind: "status", status: 503, text: "" });
    const { code, out, err } = await machine.run("logout");
    expect([code, out]).toEqual([3, expect.stringContaining("deleted its token from")]);
    expect(err).toContain("The server did not revoke the token");
    expect([...filesBelow(machine.home).keys()]).toEqual([]);
    expect(await isGood()).toBe(true);
  });

  it("succeeds when the token has already expired", async () => {
    const { machine, isGood } = await loggedIn();
    await people().database.query(SQL`delete from graphloom.sessions`);
    expect(await isGood()).toBe(false);
    expect(await machine.run("logout")).toMatchObject({ code: 0, err: "" });
  });
});
