/** An address of the web, its secrets kept apart. */
export interface Address {
  /** What is asked for: without user, password and fragment. */
  readonly href: string;
  /** What messages may show of it: protocol, host and port. */
  readonly origin: string;
  /** Basic authorization, from the user and password in the address. */
  readonly authorization: string | undefined;
  /** User and password, as they are written and as they are meant. */
  readonly credentials: readonly string[];
  /** Whatever may be a key: those, the path, the longer parts of it, values of the query. */
  readonly secrets: readonly string[];
}

/** Takes an address apart; `undefined` when it does not start with `http://` or `https://` or is no URL at all. */
export function parseAddress(text: string): Address | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return undefined;
  const target = new URL(url);
  target.username = "";
  target.password = "";
  target.hash = "";
  return {
    href: target.href,
    origin: `${url.protocol}//${url.host}`,
    authorization: url.username || url.password ? basicAuthorization(url) : undefined,
    credentials: variants([url.password, ...(url.username.length > 3 ? [url.username] : [])]),
    secrets: variants(secretsOf(text, url)),
  };
}

/** Whether a text is an address of the web: a URL that begins with `http://` or `https://`. */
export function isWebAddress(text: string): boolean {
  return parseAddress(text) !== undefined;
}

/** A text without secrets, which servers and network libraries like to repeat. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of [...secrets].sort((a, b) => b.length - a.length))
    clean = clean.replaceAll(secret, "…");
  return clean;
}

/** An address for people: in place of user, password and the values of the query stand dots; any other text as it is. */
export function shownAddress(text: string): string {
  if (!parseAddress(text)) return text;
  const url = new URL(text);
  const user = url.username || url.password ? "…@" : "";
  const names = [...url.searchParams.keys()].map((name) => `${name}=…`).join("&");
  return `${url.protocol}//${user}${url.host}${url.pathname}${names === "" ? "" : `?${names}`}${url.hash === "" ? "" : "#…"}`;
}

function secretsOf(text: string, url: URL): string[] {
  const path = url.pathname.split("/").filter((part) => part.length > 7);
  const named = url.username.length > 3 ? [url.username] : [];
  const plain = url.href === `${url.origin}/`;
  const whole = plain ? [] : [text, url.href, url.pathname + url.search];
  return [...whole, url.password, ...named, ...path, ...url.searchParams.values()];
}

function variants(secrets: readonly string[]): string[] {
  const all = new Set(secrets.flatMap((secret) => [secret, decode(secret)]));
  return [...all].filter((secret) => secret.length > 1);
}

function basicAuthorization(url: URL): string {
  const bytes = new TextEncoder().encode(`${decode(url.username)}:${decode(url.password)}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone per cent sign stands for itself.
    return text;
  }
}
