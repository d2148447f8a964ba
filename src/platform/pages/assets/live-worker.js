// Holds one connection for all visible pages of a browser, since browsers allow few to one server. Pages tell what they show,
// and receive what changed. All pages of the browser share this script: it runs once, as long as one of them is open.

/** Milliseconds within which pages that open at once are asked for together. */
const together = 50;
/** Milliseconds until the next attempt: after the server has ended the answer, and after a failure. */
const soon = 250;
const interval = 2_000;
/** Milliseconds without a sign of life from a page after which it counts as closed, or from the server as gone. */
const patience = 12_000;
/** As many as the server takes in a request. */
const most = 24;

/** The server ends the earlier answer to the same browser. */
const browser = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
/** The visible pages by their names here: the port, the address, the tag of what it shows, and when it was last heard. */
const pages = new Map();
let named = 0;
let attempt;
let planned;

self.onconnect = ({ ports: [port] }) => {
  named += 1;
  const id = String(named);
  port.onmessage = ({ data: { kind, address, tag } }) => {
    const known = pages.get(id);
    if (kind === "open") {
      pages.set(id, { port, address, tag, heard: Date.now() });
      plan(together);
    } else if (kind === "close") close(id);
    else if (known) known.heard = Date.now();
  };
};

function close(id) {
  if (pages.delete(id)) plan(together);
}

/** Connects again after a while, for the pages that are open then. */
function plan(wait) {
  clearTimeout(planned);
  planned = setTimeout(() => {
    attempt?.abort();
    attempt = undefined;
    for (const [id, { heard }] of pages) if (Date.now() - heard > patience) pages.delete(id);
    if (pages.size > 0) void connect();
  }, wait);
}

/** Reads the events of all pages until the connection ends. */
async function connect() {
  const own = new AbortController();
  attempt = own;
  let watch = setTimeout(() => own.abort(), patience);
  const heard = () => {
    clearTimeout(watch);
    watch = setTimeout(() => own.abort(), patience);
    tellAll({ kind: "heard" });
    for (const [id, page] of pages) if (Date.now() - page.heard > patience) close(id);
  };
  let wait = interval;
  try {
    wait = await follow(own.signal, heard);
  } catch {
    // Another connection has taken over, or the server is gone.
    if (attempt === own) tellAll({ kind: "lost" });
  }
  clearTimeout(watch);
  if (attempt === own) plan(wait);
}

/** @returns milliseconds to wait before the next attempt */
async function follow(signal, heard) {
  const shown = [...pages].slice(0, most).map(([id, { address, tag }]) => ({ id, address, tag }));
  const answer = await fetch("/live", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream, text/html" },
    body: JSON.stringify({ browser, pages: shown }),
    signal,
  });
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) {
    // Each page finds out why by itself.
    for (const { id } of shown) end(id);
    return interval;
  }
  heard();
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
      const [, name, data] = /^event: (\w+)\ndata: ([^\n]*)/.exec(event) ?? [];
      if (data === undefined) continue;
      const { page: id, ...update } = JSON.parse(data);
      if (name === "end") end(id);
      else if (pages.has(id)) {
        const page = pages.get(id);
        page.tag = update.tag;
        page.port.postMessage({ kind: "update", update });
      }
    }
  }
}

/** The server sends no more of a page. */
function end(id) {
  const page = pages.get(id);
  pages.delete(id);
  page?.port.postMessage({ kind: "end" });
}

function tellAll(message) {
  for (const { port } of pages.values()) port.postMessage(message);
}
