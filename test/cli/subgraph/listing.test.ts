import { describe, expect, it } from "vitest";
import { listing, tableWidth } from "../../../src/cli/subgraph/listing.js";

const columns = [
  { title: "NAME", cell: ([name]: readonly [string, string]) => name, mayShrink: true },
  { title: "URL", cell: ([, url]: readonly [string, string]) => url, mayShrink: true },
];

describe("listing", () => {
  it("aligns columns under their headings", () => {
    const rows = [
      ["pools/1.0.0", "https://a"],
      ["b", "https://bc"],
    ] as const;
    expect(listing(columns, rows, 80)).toBe(
      "NAME         URL\npools/1.0.0  https://a\nb            https://bc\n",
    );
  });

  it("cuts the widest column that may shrink until the table fits", () => {
    const [, row] = listing(columns, [["pools/1.0.0", `https://${"x".repeat(200)}`]], 40).split("\n");
    expect(row).toBe(`pools/1.0.0  https://${"x".repeat(18)}…`);
    expect(row).toHaveLength(40);
  });

  it("does not cut a column that must not shrink", () => {
    const fixed = [{ title: "ID", cell: (id: string) => id }];
    expect(listing(fixed, ["x".repeat(100)], 80)).toContain("x".repeat(100));
  });

  it("escapes control characters, and aligns wide characters", () => {
    const [, hostile, wide] = listing(
      columns,
      [
        ["\u001b[31mred\n", "u"],
        ["日本", "u"],
      ],
      80,
    ).split("\n");
    expect(hostile).toBe("\\u001b[31mred\\n  u");
    expect(wide).toBe(`日本${" ".repeat("\\u001b[31mred\\n".length - 4)}  u`);
  });
});

it("a listing fits the terminal, and has no width limit elsewhere", () => {
  expect(tableWidth({ outColor: true, columns: 60 })).toBe(60);
  expect(tableWidth({ outColor: true })).toBe(80);
  expect(tableWidth({ outColor: false, columns: 60 })).toBe(Number.POSITIVE_INFINITY);
  const long = "x".repeat(500);
  expect(listing([{ title: "A", cell: String, mayShrink: true }], [long], tableWidth({}))).toContain(long);
});
