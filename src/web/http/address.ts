/** A URL taken apart, its secrets kept separate. */
export interface Address {
  /** The URL to request: without user, password and fragment. */
  readonly href: string;
  /** The part that messages may show: protocol, host and port. */
  readonly origin: string;
  /** Value of the `authorization` header for the URL's user and password (basic authentication). */
  readonly authorization: string | undefined;
  /** User and password, percent-encoded and decoded. */
  readonly credentials: readonly string[];
  /**
   * Everything that may be a key: the credentials, the path and its longer segments, the values of the query.
   */
  readonly secrets: readonly string[];
}

/** Parses a URL; `undefined` when the text is not a URL that starts with `http://` or `https://`. */
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

/** Whether a text is a URL that begins with `http://` or `https://`. */
export function isWebAddress(text: string): boolean {
  return parseAddress(text) !== undefined;
}

/** Removes secrets from a text, since servers and network libraries repeat them. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of [...secrets].sort((a, b) => b.length - a.length))
    clean = clean.replaceAll(secret, "…");
  return clean;
}

/**
 * A URL for people: dots replace user, password and the values of the query; any other text is returned unchanged.
 */
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
    // A malformed escape stands for itself.
    return text;
  }
}
