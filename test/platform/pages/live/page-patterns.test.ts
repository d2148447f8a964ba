import { expect, it } from "vitest";
import { PagePatterns } from "../../../../src/platform/pages/live/page-patterns.js";

const patterns = new PagePatterns<string>();
const urls = [
  "/dashboard/:name/:version/:part",
  "/",
  "/dashboard/:name/:version/log",
  "/dashboard/:name/new",
  "/data",
];
for (const url of urls) patterns.add(url, url);

it("an address is found by the pattern that names the most of its path", () => {
  expect(patterns.find("/")).toEqual({ page: "/", params: {} });
  expect(patterns.find("/dashboard/pools/1.0.0/log")).toEqual({
    page: "/dashboard/:name/:version/log",
    params: { name: "pools", version: "1.0.0" },
  });
  expect(patterns.find("/dashboard/a%2Fb/1/more")).toEqual({
    page: "/dashboard/:name/:version/:part",
    params: { name: "a/b", version: "1", part: "more" },
  });
  expect(patterns.find("/dashboard/pools/new")?.page).toBe("/dashboard/:name/new");
});

it("an address that no page has is not found", () => {
  for (const path of [
    "",
    "/nowhere",
    "/data/",
    "/dashboard//new",
    "/dashboard/%zz/new",
    "/dashboard/a/b/c/d",
  ])
    expect([path, patterns.find(path)]).toEqual([path, undefined]);
});
