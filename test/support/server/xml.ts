/** An element of a document. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (XmlElement | string)[];
}

const token = /<(\/?)([A-Za-z][\w.:-]*)((?:\s+[A-Za-z_][\w.:-]*="[^"<]*")*)\s*(\/?)>|([^<]+)|(<)/g;
const reference = /&(?:(amp|lt|gt|quot|apos)|#(\d+));|&/g;
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** The characters that XML 1.0 allows in a document. */
const allowed = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

/** Parses a document of elements and texts as strictly as the standard. @throws Error that names the fault */
export function parseXml(text: string): XmlElement {
  if (!allowed.test(text)) throw new Error("a character that XML does not allow");
  const root = { name: "", attributes: new Map<string, string>(), children: [] as (XmlElement | string)[] };
  const open = [root];
  for (const [, closes, name, attributes = "", isEmpty, content, stray] of text.matchAll(token)) {
    const parent = open.at(-1) ?? root;
    if (stray !== undefined) throw new Error("a < that begins no element");
    if (content !== undefined) parent.children.push(resolved(content));
    else if (closes) {
      if (parent.name !== name) throw new Error(`</${name}> ends <${parent.name}>`);
      open.pop();
    } else {
      const element = { name: name ?? "", attributes: attributesOf(attributes), children: [] };
      parent.children.push(element);
      if (!isEmpty) open.push(element);
    }
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name}> does not end`);
  const elements = root.children.filter((child) => typeof child !== "string");
  const texts = root.children.filter((child) => typeof child === "string");
  const [only] = elements;
  if (!only || elements.length > 1 || texts.join("").trim() !== "") throw new Error("not one element");
  return only;
}

function attributesOf(text: string): Map<string, string> {
  const found = [...text.matchAll(/([\w.:-]+)="([^"]*)"/g)];
  const attributes = new Map(found.map(([, name = "", value = ""]) => [name, resolved(value)]));
  if (attributes.size < found.length) throw new Error("an attribute comes twice");
  return attributes;
}

function resolved(text: string): string {
  return text.replaceAll(reference, (whole, name?: string, number?: string) => {
    if (whole === "&") throw new Error("a & that begins no reference");
    return name === undefined ? String.fromCodePoint(Number(number)) : (named[name] ?? "");
  });
}

/** All elements of a name, in order. */
export function elementsOf(element: XmlElement, name: string): readonly XmlElement[] {
  const own = element.name === name ? [element] : [];
  return [
    ...own,
    ...element.children.flatMap((child) => (typeof child === "string" ? [] : elementsOf(child, name))),
  ];
}

/** The text of an element and its descendants. */
export function textOf(element: XmlElement): string {
  return element.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("");
}
