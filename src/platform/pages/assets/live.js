// Reloads the page every two seconds while it is visible, and updates what changed. When that fails, the page says so.
// Without this script the page still works, but stays as it was opened.
import { morphContent } from "./morph.js";
import { localize } from "./times.js";

/** Milliseconds between reloads, until a reload times out, and between reloads of a page that no longer exists. */
const interval = 2_000;
const patience = 10_000;
const seldom = 10_000;

const main = document.querySelector("main[data-live]");
const banner = aside("notice bad");
const news = aside("heard");
let tag;
let connected = new Date();

/** A line above the page that screen readers read out when it changes. */
function aside(kind) {
  const line = document.createElement("p");
  line.className = kind;
  line.setAttribute("role", "status");
  line.hidden = kind !== "heard";
  main.before(line);
  return line;
}

/** @returns milliseconds until the next reload */
async function renew() {
  const answer = await fetch(location.href, {
    headers: { accept: "text/html", "graphloom-renewal": "1", ...(tag && { "if-none-match": tag }) },
    signal: AbortSignal.timeout(patience),
  });
  if (answer.status === 304) return show();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const { pathname, href } = new URL(answer.url);
  if (answer.redirected && pathname === "/sign-in")
    return lose("You are no longer signed in.", [link("Sign in", href)], seldom);
  if (answer.redirected) return lose("This page has moved.", [link("Go to its new address", href)], seldom);
  if (answer.status === 404) return lose("What this page showed no longer exists.", linksOf(page), seldom);
  const fresh = page.querySelector("main");
  if (!answer.ok || !fresh) return lose(`The server answered with an error (${answer.status}).`);
  tag = answer.headers.get("etag");
  document.title = page.title;
  if (fresh.dataset.news && fresh.dataset.news !== main.dataset.news) news.textContent = fresh.dataset.news;
  main.dataset.news = fresh.dataset.news ?? "";
  localize(fresh);
  morphContent(main, fresh);
  return show();
}

/** The page is up to date. */
function show() {
  connected = new Date();
  if (!banner.hidden) {
    main.classList.remove("stale");
    banner.hidden = true;
    banner.replaceChildren();
  }
  return interval;
}

/** The page is out of date. */
function lose(why, links = [], wait = interval) {
  main.classList.add("stale");
  const time = connected.toLocaleTimeString("en-GB");
  const content = [`Last updated at ${time}. ${why}`, ...links.flatMap((each) => [" ", each])];
  const text = content.map((each) => each.textContent ?? each).join("");
  banner.hidden = false;
  // Screen readers do not repeat an unchanged message.
  if (banner.textContent !== text) banner.replaceChildren(...content);
  return wait;
}

/** The links that an error page suggests instead of the missing page. */
function linksOf(page) {
  return [...page.querySelectorAll("[data-instead] a")].map((each) => link(each.textContent, each.href));
}

function link(text, address) {
  const element = document.createElement("a");
  element.href = address;
  element.textContent = text;
  return element;
}

async function watch() {
  let wait = interval;
  if (!document.hidden) {
    wait = await renew().catch(() => lose("The server does not answer. This page keeps trying."));
  }
  setTimeout(watch, wait);
}
setTimeout(watch, interval);
