import { join } from "node:path";
import { expect, it } from "vitest";
import { examples } from "../../support/compiler/examples.js";
import { graphloom } from "../harness.js";
import { useDeployApi } from "./harness.js";

const realApi = useDeployApi();
const config = join(examples, "demo/subgraph.json");

it("the dashboard draws the same map as the command, and shows what every event stores and creates", async () => {
  const all = await realApi();
  const { platform, token } = all.server;
  expect((await all.run(`subgraph deploy demo/1.0.0 --from-abi ${config} --wait none`)).code).toBe(0);
  const signedIn = await fetch(`${platform}/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ key: token }),
    redirect: "manual" as const,
  });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const look = async (path: string): Promise<string> => {
    const answer = await fetch(`${platform}/dashboard/demo/1.0.0${path}`, { headers: { cookie } });
    expect(answer.status).toBe(200);
    return answer.text();
  };
  const drawn = await look("/map.svg");
  expect(drawn).toBe((await graphloom(examples, `map ${config}`)).out);
  expect(drawn).toContain("marker-end=");
  // The page contains the same boxes and description, with links and figures.
  const page = await look("/map");
  const boxes = (text: string) => [...text.matchAll(/data-node="([^"]*)"/g)].map(([, key]) => key);
  expect(boxes(drawn).length).toBeGreaterThan(5);
  expect(boxes(page)).toEqual(boxes(drawn));
  expect(page).toMatch(/<desc [^>]*>Contracts: [^<]*\nExchange[^<]* creates Market/);
  expect(page).not.toContain("does not say which event");
});
