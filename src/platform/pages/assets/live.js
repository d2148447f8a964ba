// Reads the page again every two seconds while somebody looks at it, and changes what is new. When that does not work,
// the page says so. Without this script the page works all the same, as it was when it was opened.
import { morphContent } from "./morph.js";

/** Milliseconds between two looks, after which a look is given up, and until the next when nobody is signed in. */
const interval = 2_000;
const patience = 10_000;
const seldom = 10_000;

const main = document.querySelector("main[data-live]");
const banner = aside("notice bad");
const news = aside("heard");
let tag;
let connected = new Date();

/** A line above the page that is read out when it changes. */
function aside(kind) {
  const line = document.createElement("p");
  line.className = kind;
  line.setAttribute("role", "status");
  line.hidden = kind !== "heard";
  main.before(line);
  return line;
}

/** @returns milliseconds until the next look */
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
  morphContent(main, fresh);
  return show();
}

/** The page is what the server says now. */
function show() {
  connected = new Date();
  if (!banner.hidden) {
    main.classList.remove("stale");
    banner.hidden = true;
    banner.replaceChildren();
  }
  return interval;
}

/** The page is as it was some time ago. */
function lose(why, links = [], wait = interval) {
  main.classList.add("stale");
  const time = connected.toLocaleTimeString("en-GB");
  const content = [`Last updated at ${time}. ${why}`, ...links.flatMap((each) => [" ", each])];
  const text = content.map((each) => each.textContent ?? each).join("");
  banner.hidden = false;
  // What is the same is not read out again.
  if (banner.textContent !== text) banner.replaceChildren(...content);
  return wait;
}

/** Where a page that says what is not there leads to instead. */
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
