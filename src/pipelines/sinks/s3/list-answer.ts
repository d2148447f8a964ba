/** A page of the objects of a bucket. */
export interface ObjectPage {
  readonly keys: readonly string[];
  /** What the next page is asked for with; `undefined` on the last page. */
  readonly next: string | undefined;
}

/**
 * Reads the answer to a ListObjectsV2 request whose keys are encoded as in URLs.
 * @returns `undefined` for anything else
 */
export function readObjectPage(xml: string): ObjectPage | undefined {
  if (!/<ListBucketResult[\s>]/.test(xml)) return undefined;
  const keys: string[] = [];
  for (const [, encoded = ""] of xml.matchAll(/<Contents>(?:(?!<\/Contents>)[\s\S])*?<Key>([^<]*)<\/Key>/g)) {
    const key = decoded(unescaped(encoded));
    if (key === undefined) return undefined;
    keys.push(key);
  }
  const isTruncated = textOf(xml, "IsTruncated") === "true";
  const token = textOf(xml, "NextContinuationToken");
  if (isTruncated && token === undefined) return undefined;
  return { keys, next: isTruncated && token !== undefined ? unescaped(token) : undefined };
}

/** The code and the message of an error, if the answer has them. */
export function readS3Error(xml: string): { readonly code?: string; readonly message?: string } {
  const [code, message] = [textOf(xml, "Code"), textOf(xml, "Message")];
  return {
    ...(code !== undefined && { code: unescaped(code) }),
    ...(message !== undefined && { message: unescaped(message) }),
  };
}

/** The text of the first element of a name that has no others in it, as it is written. */
export function textOf(xml: string, element: string): string | undefined {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** A text of XML without its escapes. */
export function unescaped(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, digits, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = digits === undefined ? Number.parseInt(hex, 16) : Number(digits);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** A key that is encoded as in URLs; `undefined` if it is not. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
