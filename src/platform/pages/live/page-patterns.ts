/** A page that was found by its address. */
export interface FoundPage<T> {
  readonly page: T;
  /** The parameters in the path. */
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern<T> {
  readonly segments: readonly string[];
  readonly page: T;
}

/** Finds pages by addresses, as the server's router does: a segment that a pattern names outweighs a parameter. */
export class PagePatterns<T> {
  readonly #patterns: Pattern<T>[] = [];

  /** @param url `/dashboard/:name/:version` */
  add(url: string, page: T): void {
    this.#patterns.push({ segments: url.split("/"), page });
    this.#patterns.sort((a, b) => compare(a.segments, b.segments));
  }

  /** @param path as the browser sends it, without a query */
  find(path: string): FoundPage<T> | undefined {
    const segments = path.split("/");
    for (const pattern of this.#patterns) {
      const params = match(pattern.segments, segments);
      if (params) return { page: pattern.page, params };
    }
    return undefined;
  }
}

/** Puts names before parameters, among patterns of the same length. */
function compare(a: readonly string[], b: readonly string[]): number {
  if (a.length !== b.length) return a.length - b.length;
  for (const [index, segment] of a.entries()) {
    const order = Number(segment.startsWith(":")) - Number(b[index]?.startsWith(":") ?? false);
    if (order !== 0) return order;
  }
  return 0;
}

function match(
  pattern: readonly string[],
  path: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== path.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const given = decoded(path[index] ?? "");
    if (given === undefined) return undefined;
    if (segment.startsWith(":") && given !== "") params[segment.slice(1)] = given;
    else if (segment !== given) return undefined;
  }
  return params;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not an address that the server answers.
    return undefined;
  }
}
