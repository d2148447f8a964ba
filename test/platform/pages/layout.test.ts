import { describe, expect, it } from "vitest";
import { iconWith } from "../../../src/platform/pages/icon.js";
import { documentOf } from "../../../src/platform/pages/layout.js";
import type { Visitor } from "../../../src/platform/pages/sign-in/session.js";

const visitor: Visitor = {
  sessionId: "session_1",
  caller: { kind: "key", id: "key_1", name: "ann", role: "Owner", project: "project_1" },
  projects: [{ id: "project_1", name: "Pools & more", role: "Owner" }],
};

/** The texts of the links and menus in the header that say where the visitor is, and how. */
function placeAt(path: string): readonly string[] {
  const page = documentOf({ title: "Page", body: "", visitor }, path);
  const [, links = ""] = /<header>(.*?)<\/header>/s.exec(page) ?? [];
  return [...links.matchAll(/aria-current="(\w+)">(?:<span>)?(.*?)</g)].map(
    ([, how, text]) => `${text}: ${how}`,
  );
}

describe("the frame of a page", () => {
  it("marks the place where the visitor is in the navigation", () => {
    expect(placeAt("/")).toEqual(["Subgraphs: page"]);
    expect(placeAt("/dashboard/pools/1.0.0")).toEqual(["Subgraphs: true"]);
    expect(placeAt("/pipelines/transfers/rows")).toEqual(["Pipelines: true"]);
    expect(placeAt("/new-pipeline")).toEqual(["Pipelines: true"]);
    expect(placeAt("/projects")).toEqual(["Pools &#38; more: true", "Projects: page"]);
    expect(placeAt("/members")).toEqual(["Pools &#38; more: true", "Members: page"]);
    expect(placeAt("/account")).toEqual(["Account: true", "Your account: page"]);
    expect(placeAt("/docs/serve")).toEqual(["Docs: true"]);
    expect(placeAt("/databases")).toEqual([]);
  });

  it("tells the number of failures in the tab's title and its icon", () => {
    const head = (failures: number) => documentOf({ title: "Subgraphs", body: "", failures }, "/");
    expect(head(0)).toContain("<title>Subgraphs · graphloom</title>");
    expect(head(0)).toContain('href="/assets/icon.svg" type');
    expect(head(3)).toContain("<title>(3 failed) Subgraphs · graphloom</title>");
    expect(head(3)).toContain('href="/assets/icon.svg?failed=3" type');
    expect(head(12)).toContain('href="/assets/icon.svg?failed=more" type');
  });

  it("shows only a known number on the icon", () => {
    const icon = '<svg viewBox="0 0 32 32"><path/></svg>';
    expect(iconWith(icon, "3")).toMatch(/<path\/><circle .*>3<\/text><\/svg>$/);
    expect(iconWith(icon, "more")).toContain(">9+</text>");
    for (const other of [undefined, "", "0", "<script>", "3<"]) expect(iconWith(icon, other)).toBe(icon);
  });
});
