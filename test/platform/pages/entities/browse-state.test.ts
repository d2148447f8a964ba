import { expect, it, test } from "vitest";
import { addressOf, isPlain, readBrowseState } from "../../../../src/platform/pages/entities/browse-state.js";

const read = (query: string) => readBrowseState(new URLSearchParams(query));

test.each([
  "?",
  "?id=0xab",
  "?field=amount&by=gt&value=5&field=note&by=contains&value=a%26b",
  "?sort=-amount",
  "?sort=amount&size=100",
  "?after=4294967397",
  "?id=a&size=25&before=12",
  "?page=last",
])("the state of a page is only in its address: %s", (address) => {
  expect(addressOf(read(address.slice(1)))).toBe(address);
});

it("the state of a page treats an invalid value in an address as missing", () => {
  expect(read("size=1000000&after=1%3Bdrop&before=-1&page=7&sort=")).toEqual({
    search: "",
    filters: [],
    size: 50,
  });
  expect(read("field=&by=is&value=1").filters).toEqual([]);
  expect(read("field=a").filters).toEqual([{ field: "a", by: "", value: "" }]);
  expect(read(`after=${"9".repeat(19)}`).from).toBeUndefined();
});

it("the state of a page limits the number of filters and the length of texts", () => {
  const { filters, search } = read(`${"field=a&by=is&value=1&".repeat(50)}id=${"x".repeat(5_000)}`);
  expect([filters.length, search.length]).toEqual([10, 1_000]);
});

it("the state of a page calls only the first page of all rows, newest first, plain", () => {
  expect(isPlain(read("size=100"))).toBe(true);
  for (const other of ["id=a", "sort=a", "after=1", "page=last", "field=a&by=is&value=1"])
    expect([other, isPlain(read(other))]).toEqual([other, false]);
});
