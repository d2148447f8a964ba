import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onEither } from "../../support/database/databases.js";
import { axeFindings, rulesIn } from "../../support/server/axe.js";
import { browserMissing, openBrowser, type TestBrowser } from "../../support/server/browser.js";
import { startWholeServer, type WholeServer } from "../../support/server/whole-server.js";

const databases = onEither();
let server: WholeServer;

beforeAll(async () => {
  server = await startWholeServer(await databases.fresh());
});
afterAll(() => server.close());

/** A form with wrong fields. */
interface WrongForm {
  /** The page that the form is on. */
  readonly on: string;
  readonly typed: Readonly<Record<string, string>>;
  readonly status: number;
  /** What is said beside each wrong field, in the order of the form. */
  readonly said: Readonly<Record<string, string>>;
  /** The fields that hold secrets, which stay empty. */
  readonly secret?: readonly string[];
}

const webhooks = "/dashboard/:name/:version/webhooks";
const long = `${"x".repeat(501)}`;

/** Every form with something to type that makes, changes or deletes a secret, an endpoint or a webhook. */
const wrongForms: Readonly<Record<string, readonly WrongForm[]>> = {
  "/secrets": [
    {
      on: "/new-secret?type=httpauth",
      typed: {
        type: "httpauth",
        name: "a <b>",
        description: long,
        "value.secretKey": "hidden-key",
        "value.secretValue": "",
      },
      status: 400,
      said: {
        name: "The name must consist of 1 to 100 letters",
        description: "The description must have at most 500 characters.",
        "value.secretValue": "secretValue is required",
      },
      secret: ["value.secretKey", "value.secretValue"],
    },
    {
      on: "/new-secret?type=httpauth",
      typed: {
        type: "httpauth",
        name: "PLANTED",
        description: "Kept & shown",
        "value.secretKey": "hidden-key",
        "value.secretValue": "hidden-value",
      },
      status: 409,
      said: { name: "The name is taken." },
      secret: ["value.secretKey", "value.secretValue"],
    },
  ],
  "/secrets/:secret/value": [
    {
      on: "/secrets/:secret",
      typed: { "value.secretKey": "", "value.secretValue": "hidden-value" },
      status: 400,
      said: { "value.secretKey": "secretKey is required" },
      secret: ["value.secretKey", "value.secretValue"],
    },
  ],
  "/secrets/:secret/description": [
    {
      on: "/secrets/:secret",
      typed: { description: long },
      status: 400,
      said: { description: "The description must have at most 500 characters." },
    },
  ],
  "/secrets/:secret/delete": [
    {
      on: "/secrets/:secret",
      typed: { name: "PLANTS" },
      status: 400,
      said: { name: "The name must be exactly PLANTED." },
    },
  ],
  "/endpoints": [
    {
      on: "/endpoints",
      typed: {
        name: "a\u202eb",
        product: "rpc",
        budget: "edge-tier-6krpm-total-500rpm-per-ip",
        domains: "example.com\r\nno domain?\r\n<b>",
      },
      status: 400,
      said: {
        name: "The name must not contain control characters",
        domains: "domain? is not a domain, such as example.com or *.example.com. &#60;b&#62; is not a domain",
      },
    },
    {
      on: "/endpoints",
      typed: { name: "planted", product: "rpc", budget: "", domains: "example.com" },
      status: 409,
      said: { name: "The name is taken." },
    },
  ],
  "/endpoints/:endpoint/change": [
    {
      on: "/endpoints/:endpoint",
      typed: { budget: "", domains: `${"a.de ".repeat(100)}last.de` },
      status: 400,
      said: { domains: "The list has at most 100 domains" },
    },
  ],
  "/endpoints/:endpoint/delete": [
    {
      on: "/endpoints/:endpoint",
      typed: { name: "plants" },
      status: 400,
      said: { name: "The name must be exactly planted." },
    },
  ],
  [webhooks]: [
    {
      on: webhooks,
      typed: {
        name: " ",
        entity: "thing",
        url: "ftp://receiver.example/?a=1&b=2",
        retries: "11",
        interval: "30",
        timeout: "1.5",
        from_start: "on",
      },
      status: 400,
      said: {
        name: "The name must not be blank.",
        url: "The URL must be a complete URL that starts with http:// or https://.",
        retries: "The number of retries must be a whole number from 0 to 10.",
        timeout: "The timeout must be a whole number from 1 to 300.",
      },
    },
    {
      on: webhooks,
      typed: {
        name: "more",
        entity: "thing",
        url: "http://169.254.169.254/latest",
        retries: "3",
        interval: "30",
        timeout: "30",
      },
      status: 422,
      said: { url: "The URL must be an address that the server sends to." },
    },
    {
      on: webhooks,
      typed: {
        name: "hook",
        entity: "thing",
        url: "https://receiver.example",
        retries: "3",
        interval: "30",
        timeout: "30",
      },
      status: 409,
      said: { name: "The name is taken." },
    },
  ],
  [`${webhooks}/:webhook/change`]: [
    {
      on: `${webhooks}/:webhook`,
      typed: { url: "nowhere", secret: "two words", retries: "4", interval: "0", timeout: "9" },
      status: 400,
      said: {
        url: "The URL must be a complete URL",
        secret: "The secret must be 1 to 200 visible ASCII characters without spaces.",
        interval: "The time before the first retry must be a whole number from 1 to 86400.",
      },
      secret: ["secret"],
    },
    {
      on: `${webhooks}/:webhook`,
      typed: { url: "https://other.example", secret: "well", retries: "4", interval: "0", timeout: "9" },
      status: 400,
      said: { interval: "The time before the first retry must" },
      secret: ["secret"],
    },
  ],
};
const all = Object.entries(wrongForms).flatMap(([url, forms]) => forms.map((form) => [url, form] as const));

const isAbout = (url: string) => /secret|endpoint|webhook/.test(url);
const page = async (path: string): Promise<string> => {
  const headers = { accept: "text/html", cookie: server.owner.cookie };
  return (await fetch(server.address + path, { redirect: "manual", headers })).text();
};

/** The text of a form, by the address that it is sent to. */
function formIn(text: string, action: string): string {
  const start = text.indexOf(` action="${action}"`);
  return start < 0 ? "" : text.slice(start, text.indexOf("</form>", start));
}

/** What a field of a form contains; for a choice, the chosen one. */
function fieldIn(form: string, name: string) {
  const named = ` name="${name.replaceAll(".", "\\.")}"`;
  const tag = new RegExp(`<(input|select|textarea)(?: [^>]*)?${named}[^>]*>`).exec(form);
  if (!tag) throw new Error(`the form has no field ${name}`);
  const [text, kind] = tag;
  const inner = form.slice(tag.index + text.length).split(`</${kind}>`)[0] ?? "";
  const chosen = /<option(?: value="([^"]*)")? selected>([^<]*)/.exec(inner);
  const value =
    kind === "select"
      ? (chosen?.[1] ?? chosen?.[2] ?? "")
      : kind === "textarea"
        ? inner
        : (/ value="([^"]*)"/.exec(text)?.[1] ?? "");
  return { tag: text, value, described: / aria-describedby="([^"]*)"/.exec(text)?.[1]?.split(" ") ?? [] };
}

/** The text of the element with an id. */
function textOf(form: string, id: string): string {
  return new RegExp(`<(\\w+)[^>]* id="${id}">(.*?)</\\1>`, "s").exec(form)?.[2] ?? "";
}

const escaped = (text: string) =>
  text
    .replaceAll("\r\n", "\n")
    .replaceAll("\u202e", "\\u202e")
    .replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

async function send(url: string, typed: Readonly<Record<string, string>>) {
  const answer = await fetch(server.address + url, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: server.owner.cookie },
    body: new URLSearchParams(typed),
  });
  return { status: answer.status, text: await answer.text() };
}

describe("a form of secrets, endpoints or webhooks that is refused", () => {
  it("is in the list above, if it has something to type", async () => {
    const routes = server.routes.filter(({ isPage }) => isPage);
    const gets = routes.filter(({ method }) => method === "GET").map(({ url }) => server.filled(url));
    const texts = await Promise.all([...(await Promise.all(gets)), "/new-secret?type=httpauth"].map(page));
    const typed: string[] = [];
    for (const { url } of routes.filter(({ method, url }) => method === "POST" && isAbout(url))) {
      const action = await server.filled(url);
      const forms = texts.map((text) => formIn(text, action)).filter((form) => form !== "");
      // One that no page shows would pass unseen. A delivery is sent again only once it is over.
      if (!/\/(?:again|failed-again|resume)$/.test(url)) expect([url, forms.length > 0]).toEqual([url, true]);
      const typable = /<textarea|<input(?![^>]*type="(?:hidden|checkbox|radio)")/;
      if (forms.some((form) => typable.test(form))) typed.push(url);
    }
    expect(typed.length).toBeGreaterThan(8);
    expect(typed.sort()).toEqual(Object.keys(wrongForms).sort());
  });

  it.each(all)("%s shows the user's input again, with the mistake beside each field", async (url, wrong) => {
    const { typed, said, secret = [] } = wrong;
    const action = await server.filled(url);
    const { status, text } = await send(action, typed);
    expect(status).toBe(wrong.status);
    for (const part of ['role="alert"', '<nav aria-label="Breadcrumb">', "Sign out"])
      expect(text).toContain(part);
    const form = formIn(text, action);
    for (const [name, value] of Object.entries(typed)) {
      const field = fieldIn(form, name);
      if (name === "from_start") expect(field.tag).toContain(" checked");
      else expect([name, field.value]).toEqual([name, secret.includes(name) ? "" : escaped(value)]);
    }
    const faults = [...form.matchAll(/ id="fault-([^"]*)"/g)].map(([, name]) => name);
    expect(faults).toEqual(Object.keys(said));
    for (const [name, sentence] of Object.entries(said)) {
      const { tag, described } = fieldIn(form, name);
      expect(tag).toContain('aria-invalid="true"');
      expect(described).toContain(`fault-${name}`);
      expect(textOf(form, `fault-${name}`)).toContain(sentence);
    }
    const focused = [...text.matchAll(/<(?:input|select|textarea|button)[^>]* autofocus/g)];
    expect(focused.map(([tag]) => / name="([^"]*)"/.exec(tag)?.[1])).toEqual([Object.keys(said)[0]]);
    for (const name of secret) {
      const value = typed[name] ?? "";
      if (value === "") continue;
      expect(text).not.toContain(value === "well" ? '"well"' : value);
      expect(fieldIn(form, name).described).toContain("type-again");
      expect(textOf(form, "type-again")).toContain(" again</strong>");
    }
  });

  it("says which type of secret does not exist, and offers the others", async () => {
    const { status, text } = await send("/secrets", { type: "none", name: "A" });
    expect(status).toBe(400);
    expect(text).toContain("value.type must be one of");
    expect(text).toContain('<a href="/new-secret?type=httpauth">');
  });

  it("is an error page when the object does not exist", async () => {
    for (const [url] of all.filter(([url]) => /:(?:secret|endpoint|webhook)/.test(url))) {
      const path = url.replaceAll(/:\w+/g, "none");
      expect([path, (await send(path, { name: "x" })).status]).toEqual([path, 404]);
    }
  });
});

describe.skipIf(browserMissing !== undefined)("in a real browser, a refused form", () => {
  let browser: TestBrowser;
  let shown: Page;
  beforeAll(async () => {
    browser = await openBrowser();
    const context = await browser.newContext();
    // The focus needs no script.
    await context.route("**/assets/*.js", (route) => route.abort());
    const [name = "", value = ""] = server.owner.cookie.split("=");
    await context.addCookies([{ name, value, url: server.address }]);
    shown = await context.newPage();
  });
  afterAll(() => browser?.close());

  it.each(all)("%s has its focus on the first wrong field, and no accessibility errors", async (url, {
    on,
    typed,
    said,
  }) => {
    await shown.goto(server.address + (await server.filled(on)));
    const action = await server.filled(url);
    // What the browser itself would refuse is sent all the same, and what is folded away is, too.
    await shown.evaluate(`{
      const form = document.querySelector(${JSON.stringify(`form[action="${action}"]`)});
      for (const [name, value] of Object.entries(${JSON.stringify(typed)})) {
        const field = form.elements.namedItem(name);
        if (field.type === "number") field.type = "text";
        if (field.type === "checkbox") field.checked = true;
        else field.value = value;
      }
      form.noValidate = true;
      form.submit();
    }`);
    await shown.locator("main [role=alert]").waitFor();
    const [first = ""] = Object.keys(said);
    // The browser moves the focus a moment after it shows the page.
    await expect.poll(() => shown.evaluate("document.activeElement.name")).toBe(first);
    for (const colorScheme of ["light", "dark"] as const) {
      await shown.emulateMedia({ colorScheme });
      expect(await axeFindings(shown, rulesIn(colorScheme))).toEqual([]);
    }
  });
});

if (browserMissing !== undefined) it.skip(browserMissing, () => undefined);
