import fc from "fast-check";
import { Document, type Pair, Scalar, visit } from "yaml";

/** A document to print: strings in objects and lists. */
type Model = string | readonly Model[] | { readonly [key: string]: Model };

/** A text and a matching file name. */
export interface Written {
  readonly path: string;
  readonly text: string;
}

/** Strings with all characters that have a meaning in one of the formats. */
export const trickyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom("a", "event.params.to", "x y", "1", "true", "é", "😀", "'", '"', "\\", "`"),
      fc.constantFrom(
        " ",
        "  ",
        ": ",
        " #",
        "#",
        "- ",
        ",",
        "[",
        "]",
        "{",
        "}",
        "&",
        "*",
        "!",
        "|",
        ">",
        "%",
        "@",
      ),
      fc.constantFrom(
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "\u2028",
        "\ufeff",
        "\u0085",
        "\u0000",
        "\ud83d",
        "---",
        "<<",
        "null",
        "~",
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));

const { model } = fc.letrec<{ model: Model; object: Model }>((tie) => ({
  model: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    trickyText,
    fc.array(tie("model"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(trickyText, tie("model"), { maxKeys: 4 }),
}));

/** Documents in every format, with comments and every style of quotes. */
export const written: fc.Arbitrary<Written> = fc
  .tuple(
    fc.dictionary(trickyText, model, { minKeys: 1, maxKeys: 4 }),
    fc.infiniteStream(fc.nat(1000)),
    fc.boolean(),
  )
  .chain(([root, dice, isWindows]) =>
    fc.constantFrom("c.json", "c.json5", "c.yaml").map((path) => {
      const next = (sides: number): number => (dice.next().value as number) % sides;
      const text = path === "c.yaml" ? printYaml(root, next) : printJson(root, path === "c.json5", next);
      return { path, text: isWindows ? text.replaceAll("\n", "\r\n") : text };
    }),
  );

type Dice = (sides: number) => number;

function printJson(value: Model, isJson5: boolean, next: Dice, indent = "\n"): string {
  const inner = `${indent}  `;
  const blank = (): string => ["", " ", inner, " /* c */ ", ` // "c"${inner}`][next(5)] as string;
  if (typeof value === "string") return quoted(value, isJson5 && next(2) === 0, next);
  const items = Array.isArray(value)
    ? value.map((item: Model) => printJson(item, isJson5, next, inner))
    : Object.entries(value).map(
        ([key, item]) =>
          `${keyText(key, isJson5, next)}${blank()}:${blank()}${printJson(item as Model, isJson5, next, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const comma = items.length > 0 && next(2) === 0 ? "," : "";
  return `${open}${items.map((item) => `${blank()}${item}${blank()}`).join(",")}${comma}${blank()}${close}`;
}

function keyText(key: string, isJson5: boolean, next: Dice): string {
  if (isJson5 && /^[a-z]+$/.test(key) && next(2) === 0) return key;
  return quoted(key, isJson5 && next(2) === 0, next);
}

function quoted(value: string, isSingle: boolean, next: Dice): string {
  const escaped = JSON.stringify(value).slice(1, -1);
  const inside = isSingle ? escaped.replaceAll('\\"', '"').replaceAll("'", "\\'") : escaped;
  const some = inside.replace(/a/g, (letter) => (next(3) === 0 ? "\\u0061" : letter));
  return isSingle ? `'${some}'` : `"${some}"`;
}

const styles = [
  Scalar.PLAIN,
  Scalar.QUOTE_SINGLE,
  Scalar.QUOTE_DOUBLE,
  Scalar.BLOCK_LITERAL,
  Scalar.BLOCK_FOLDED,
] as const;

/** Printed by the library, which falls back on a different style if the requested one cannot express a string. */
function printYaml(value: Model, next: Dice): string {
  const document = new Document(value);
  visit(document, {
    Scalar(_, node) {
      node.type = styles[next(5)] as (typeof styles)[number];
      if (next(3) === 0) node.comment = " c: 'x'";
    },
    Collection(_, node) {
      node.flow = next(4) === 0;
      if (next(4) === 0) node.commentBefore = " before";
    },
    Pair(_, { key }: Pair) {
      if (key instanceof Scalar && next(3) === 0) key.commentBefore = " pair";
    },
  });
  return document.toString({ lineWidth: [0, 20, 80][next(3)] as number, indent: 1 + next(4) });
}
