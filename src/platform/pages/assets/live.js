// Keeps a page up to date while it is visible: shows what changed, by the server's events. All pages of a browser share one
// connection (live-worker.js); where that cannot be, each page has its own. Says since when the page is cut off, and why. A
// hidden page reads nothing. Without this script the page stays as it was opened.
import { morphContent } from "./morph.js";
import { localize } from "./times.js";

/**
 * Milliseconds until the next attempt to connect: after the server has ended the answer, after a failure, and on a page
 * that no longer exists.
 */
const soon = 250;
const interval = 2_000;
const seldom = 10_000;
/** Milliseconds without a sign of life from the server after which it counts as gone. */
const patience = 12_000;
/** Milliseconds between two signs of life to the worker. */
const sign = 4_000;

const away = "The server does not answer. This page keeps trying.";

const main = document.querySelector("main[data-live]");
const banner = document.createElement("section");
banner.className = "notice bad";
banner.setAttribute("aria-label", "Connection");
banner.hidden = true;
/** What screen readers read out: a new state, and that the page is cut off. */
const region = document.createElement("p");
region.className = "heard";
region.setAttribute("role", "status");
main.before(banner, region);
/** The markup of the page as it was sent last. The server sends how the next one follows from it. */
let text = "";
let connected = new Date();
let reading;

/** Asks for the events of this page alone. */
function ask(signal) {
  return fetch(location.href, {
    headers: { accept: "text/event-stream, text/html", "graphloom-renewal": main.dataset.live },
    signal,
  });
}

function hasEvents({ headers }) {
  return headers.get("content-type")?.startsWith("text/event-stream");
}

/** Reads events until the connection ends. @returns milliseconds to wait before the next attempt */
async function follow({ attempt: gone }) {
  let watch = setTimeout(() => gone.abort(), patience);
  const heard = () => {
    connected = new Date();
    clearTimeout(watch);
    watch = setTimeout(() => gone.abort(), patience);
  };
  try {
    const answer = await ask(gone.signal);
    if (!hasEvents(answer)) return refused(answer);
    show();
    let rest = "";
    const chunks = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await chunks.read();
      if (done) return soon;
      heard();
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        // A dot ends at U+2028, which JSON may have.
        const [, data] = /^data: ([^\n]*)/m.exec(event) ?? [];
        if (data !== undefined) take(JSON.parse(data));
      }
    }
  } finally {
    clearTimeout(watch);
  }
}

/** The same by the worker, which reads the events of all pages. */
async function followShared({ attempt: gone }) {
  const { port } = new SharedWorker("/assets/live-worker.js", "graphloom live pages 1");
  const tell = (message) => port.postMessage(message);
  const signs = setInterval(() => tell({ kind: "here" }), sign);
  let watch = setTimeout(() => gone.abort(), patience);
  try {
    const end = new Promise((resolve, reject) => {
      gone.signal.addEventListener("abort", () => reject(gone.signal.reason));
      port.onmessage = ({ data: { kind, update } }) => {
        if (kind === "end") return resolve();
        if (kind === "lost") return void lose(away);
        clearTimeout(watch);
        watch = setTimeout(() => gone.abort(), patience);
        if (kind === "heard") show();
        else take(update);
      };
    });
    tell({ kind: "open", address: location.pathname + location.search, tag: main.dataset.live });
    await end;
  } finally {
    clearTimeout(watch);
    clearInterval(signs);
    tell({ kind: "close" });
    port.close();
  }
  const answer = await ask(gone.signal);
  if (!hasEvents(answer)) return refused(answer);
  // The server was only busy. Its events come from the worker.
  await answer.body.cancel();
  return interval;
}

/** Shows what the server has sent. */
function take({ tag, tab, icon, news, content }) {
  text = content.map((part) => (typeof part === "string" ? part : text.slice(part[0], part[1]))).join("");
  const fresh = document.createElement("template");
  fresh.innerHTML = text;
  main.dataset.live = tag;
  document.title = `${tab} · graphloom`;
  document.querySelector("link[rel=icon]").href = icon;
  if (news && news !== main.dataset.news) region.textContent = news;
  main.dataset.news = news;
  localize(fresh.content);
  morphContent(main, fresh.content);
}

/** The server has answered with a page instead, which says why. */
async function refused(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const { pathname, href } = new URL(answer.url);
  if (answer.redirected && pathname === "/sign-in")
    return lose("You are no longer signed in.", [link("Sign in", href)], seldom);
  if (answer.redirected) return lose("This page has moved.", [link("Go to its new address", href)], seldom);
  if (answer.status === 404) return lose("What this page showed no longer exists.", linksOf(page), seldom);
  if (answer.status === 429) return lose("Too many pages are open at once. Close some of them.", [], seldom);
  return lose(`The server answered with an error (${answer.status}).`);
}

/** The page is up to date. */
function show() {
  connected = new Date();
  if (banner.hidden) return;
  main.classList.remove("stale");
  banner.hidden = true;
  banner.replaceChildren();
  region.textContent = "Connected again.";
}

/** The page is out of date. */
function lose(why, links = [], wait = interval) {
  main.classList.add("stale");
  const time = connected.toLocaleTimeString("en-GB");
  const content = [`Disconnected since ${time}. ${why}`, ...links.flatMap((each) => [" ", each])];
  const sentence = content.map((each) => each.textContent ?? each).join("");
  banner.hidden = false;
  if (banner.textContent !== sentence) {
    banner.replaceChildren(...content);
    region.textContent = sentence;
  }
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

/** Connects again and again while the page is visible. */
async function watch(own) {
  while (reading === own) {
    const wait = await (globalThis.SharedWorker ? followShared : follow)(own).catch(() =>
      reading === own ? lose(away) : 0,
    );
    own.attempt = new AbortController();
    await new Promise((done) => setTimeout(done, wait));
  }
}

function start() {
  if (reading || document.hidden) return;
  reading = { attempt: new AbortController() };
  void watch(reading);
}

function stop() {
  const { attempt } = reading ?? {};
  reading = undefined;
  attempt?.abort();
}

document.addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
addEventListener("pagehide", stop);
addEventListener("pageshow", start);
addEventListener("offline", () => reading?.attempt.abort());
start();
