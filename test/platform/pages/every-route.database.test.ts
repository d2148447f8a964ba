import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { counterparts, files, forPeople } from "../../../src/platform/pages/for-programs.js";
import { findVersion } from "../../../src/platform/subgraphs/versions.js";
import { onEither } from "../../support/database/databases.js";
import { startWholeServer, type WholeServer } from "../../support/server/whole-server.js";

const databases = onEither();
let server: WholeServer;

beforeAll(async () => {
  server = await startWholeServer(await databases.fresh());
});
afterAll(() => server.close());

const ask = (path: string, headers: Record<string, string>) =>
  fetch(server.address + path, { redirect: "manual", headers });
const asPerson = (path: string) => ask(path, { accept: "text/html", cookie: server.owner.cookie });
const asProgram = (path: string) =>
  ask(path, { accept: "application/json", authorization: `Bearer ${server.token}` });

/** The patterns of all pages. */
function pages(): readonly string[] {
  const found = server.routes.filter(({ method, isPage, url }) => method === "GET" && isPage && url !== "/*");
  return found.map(({ url }) => url).sort();
}

/** Pages whose content is elsewhere. */
const moved = ["/dashboard/:name/:version/entities/:entity", "/dashboard/:name/:version/query"];

/** What every page has in its frame for somebody who is signed in. */
const frame = [
  '<html lang="en">',
  '<nav aria-label="Main">',
  '<a class="name" href="/">',
  "Sign out",
  "<h1>",
];

describe("every page", () => {
  it("is HTML in the same frame for people", async () => {
    expect(pages().length).toBeGreaterThan(35);
    for (const url of pages()) {
      const answer = await asPerson(await server.filled(url));
      if (moved.includes(url)) expect([url, answer.status]).toEqual([url, 303]);
      else {
        // The page that asks for consent says what its address lacks.
        expect([url, answer.status]).toEqual([url, url === "/authorize" ? 400 : 200]);
        expect([url, answer.headers.get("content-type")]).toEqual([url, "text/html; charset=utf-8"]);
        const text = await answer.text();
        expect([url, frame.filter((part) => !text.includes(part))]).toEqual([url, []]);
      }
    }
  });

  it("is JSON for programs, or is known to be for people only", async () => {
    // Pages to sign in with another service are there only if one is set.
    const known = [...Object.keys(counterparts), ...Object.keys(files), ...forPeople];
    expect(known.filter((url) => !url.startsWith("/sign-in/oidc")).sort()).toEqual(pages());
    for (const url of pages()) {
      const answer = await asProgram(await server.filled(url));
      expect([url, answer.status]).toEqual([url, 303]);
      const target = answer.headers.get("location") ?? "";
      expect([url, target === "/api/v1/openapi.json"]).toEqual([url, forPeople.has(url)]);
      const document = await asProgram(target);
      expect([url, document.status, document.headers.get("content-type")]).toEqual([
        url,
        200,
        "application/json; charset=utf-8",
      ]);
      expect([url, JSON.parse(await document.text())]).toEqual([url, expect.any(Object)]);
    }
  });

  it("reports a missing object in the same frame, and to programs as a document", async () => {
    // Whether a link to reset a password works is said once it is used.
    const others = [...moved, "/password/:token"];
    const named = pages().filter((url) => url.includes(":") && !others.includes(url));
    for (const url of named) {
      const path = url.replaceAll(/:\w+/g, "none");
      const page = await asPerson(path);
      expect([url, page.status]).toEqual([url, 404]);
      const text = await page.text();
      expect([url, frame.filter((part) => !text.includes(part))]).toEqual([url, []]);
      // Programs are sent on before anything is looked up.
      const document = await asProgram((await asProgram(path)).headers.get("location") ?? "");
      if (document.status !== 200)
        expect([url, document.status, document.headers.get("content-type")]).toEqual([
          url,
          404,
          "application/problem+json; charset=utf-8",
        ]);
    }
  });
});

/** Forms that delete something, or stop something that others rely on, and what each of them names. */
const breaking: Readonly<Record<string, string>> = {
  "/dashboard/:name/:version/delete": "pools/1.0.0",
  "/dashboard/:name/:version/untag": "next",
  "/dashboard/:name/:version/webhooks/:webhook/delete": "hook",
  "/pipelines/:name/delete": "moved",
  "/pipelines/:name/parked/drop": "id=1",
  "/pipelines/:name/repair": "stored",
  "/pipelines/:name/snapshots/:id/restore": "Go back to 20",
  "/secrets/:secret/delete": "PLANTED",
  "/secrets/:secret/value": "PLANTED",
  "/endpoints/:endpoint/pause": "planted",
  "/endpoints/:endpoint/change": "planted",
  "/endpoints/:endpoint/delete": "planted",
  "/keys/:id/revoke": "made by graphloom serve",
  "/account/sessions/:id/end": "command line",
  "/account/sign-out": "everywhere",
  "/projects/leave": "default",
  "/members/remove": "member@example.com",
};
/** Forms whose answer asks, if what they were sent breaks something. Tests of their own show it. */
const asking = ["endpoints", "tags", "rewind"].map((form) => `/dashboard/:name/:version/${form}`);
/** Forms that make something, or that another form undoes. */
const harmless = [
  ...["description", "pause", "resume", "webhooks"].map((form) => `/dashboard/:name/:version/${form}`),
  ...["pause", "resume", "change", "again", "failed-again"].map(
    (form) => `/dashboard/:name/:version/webhooks/:webhook/${form}`,
  ),
  ...["parked/retry", "snapshots", "verify", "tasks/:id/cancel"].map((form) => `/pipelines/:name/${form}`),
  // What a new definition does to sinks is shown before it is saved, and what a replay sends before it is sent.
  ...["pause", "start", "stop", "restart", "cancel", "edit", "replay"].map(
    (form) => `/pipelines/:name/${form}`,
  ),
  "/new-pipeline",
  "/secrets",
  "/secrets/:secret/description",
  "/endpoints",
  "/endpoints/:endpoint/key",
  "/endpoints/:endpoint/resume",
  "/keys",
  "/account",
  "/account/password",
  "/projects",
  "/projects/name",
  "/projects/:id/show",
  "/members/invite",
  "/members/role",
  "/sign-in",
  "/sign-out",
  "/authorize",
  "/invitations/:token/join",
  "/invitations/:token/account",
  "/password",
  "/password/:token",
];

it("every route asks for confirmation before a destructive action, and names the object", async () => {
  const patterns = server.routes.flatMap(({ method, isPage, url }) =>
    method === "POST" && isPage ? [url] : [],
  );
  expect([...Object.keys(breaking), ...asking, ...harmless].sort()).toEqual(patterns.sort());
  const paths = [...(await Promise.all(pages().map((url) => server.filled(url)))), ...server.more];
  const texts = await Promise.all(paths.map(async (path) => (await asPerson(path)).text()));
  for (const [url, name] of Object.entries(breaking)) {
    const action = new RegExp(`<form[^>]* action="${url.replaceAll(/:\w+/g, '[^/"]+')}"`, "g");
    const forms = texts.flatMap((text) =>
      [...text.matchAll(action)].map(({ index }) => text.slice(0, index)),
    );
    expect([url, forms.length > 0]).toEqual([url, true]);
    const summaries = forms.map((before) => {
      const confirm = before.slice(before.lastIndexOf('<details class="confirm"'));
      // The form is not within it if it has ended.
      if (confirm.includes("</details>")) return "no question";
      return /<summary(?:[^>]* aria-label="([^"]*)")?[^>]*>([^<]*)/.exec(confirm)?.slice(1).join(" ") ?? "";
    });
    const named = summaries.filter((summary) => summary.includes(name));
    expect([url, named.length > 0, summaries.filter((each) => each === "no question")]).toEqual([
      url,
      true,
      [],
    ]);
  }
});

describe("the form of a subgraph's endpoints", () => {
  const own = "/dashboard/pools/1.0.0";
  const send = (fields: Record<string, string>) =>
    fetch(`${server.address}${own}/endpoints`, {
      method: "POST",
      redirect: "manual",
      headers: { cookie: server.owner.cookie },
      body: new URLSearchParams(fields),
    });
  const isOn = async () => {
    const named = { project: server.project, name: "pools", version: "1.0.0" };
    const found = await findVersion(server.database, named);
    return [found?.hasPublicEndpoint, found?.hasPrivateEndpoint];
  };

  it("asks before it switches off an endpoint, and names it", async () => {
    expect((await send({ public: "on", private: "on" })).status).toBe(303);
    const question = await send({ private: "on" });
    const text = await question.text();
    expect([question.status, await isOn()]).toEqual([200, [true, true]]);
    expect(text).toContain("<h1>Switch off the public endpoint of pools/1.0.0?</h1>");
    expect(text).toContain("/api/public/");
    const fields = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
    const sure = Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value]));
    // It was agreed to switch off one, and not the other.
    expect((await send({ ...sure, private: "" })).status).toBe(303);
    expect((await send({ off: "public" })).status).toBe(200);
    expect(await isOn()).toEqual([false, true]);
    expect((await send({ public: "on", private: "on" })).status).toBe(303);
    expect(await isOn()).toEqual([true, true]);
  });
});
