import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openOwnService } from "../../../../src/cli/serve/open-own-service.js";
import { readManual } from "../../../../src/machine/manual.js";
import { edgePart } from "../../../../src/platform/edge/edge-part.js";
import { endpoints } from "../../../../src/platform/endpoints/endpoints.js";
import type { Routes } from "../../../../src/platform/http/app.js";
import { errorPages } from "../../../../src/platform/management/error-pages.js";
import { explorer } from "../../../../src/platform/management/management-part.js";
import { identifyBrowser } from "../../../../src/platform/pages/sign-in/identify-browser.js";
import { queryPageTabs } from "../../../../src/platform/pages/subgraph/tabs.js";
import { createAccounts } from "../../../../src/platform/people/accounts.js";
import { addApiKey } from "../../../../src/platform/people/api-keys.js";
import { createProject } from "../../../../src/platform/people/projects.js";
import { beginSession, showProject } from "../../../../src/platform/people/sign-in/sessions.js";
import { Nodes } from "../../../../src/rpc/nodes.js";
import type { Database } from "../../../../src/store/database/database.js";
import type { TestBrowser } from "../../../support/server/browser.js";
import { realWorld } from "../../../support/worlds.js";
import { countedNodes, fillProject, invitationToken, pictureNodes } from "./fill-project.js";
import { filledVersion, pictureTime, startPictured } from "./pictured-server.js";
import { openThemed, pathsFrom, type Theme, themes } from "./take-picture.js";

/** Pages that no link leads to, or that look different with other content. */
const besides = [
  "/dashboard/market/0.4.0",
  "/dashboard/uniswap-v3/1.3.0",
  "/dashboard/uniswap-v3/1.2.0",
  "/dashboard/uniswap-v3/prod",
  "/nothing",
  "/dashboard/nothing/1.0.0",
  "/docs/deploy",
  "/new-secret?type=jdbc",
  "/api/errors",
  "/api/errors/not-found",
  "/api/v1/nothing",
  "/api/v1/docs",
  "/edge/data/docs",
  "/api/public/project_2/subgraphs/uniswap-v3/1.2.0/gn",
  "/?q=no-such-subgraph",
];
const ofNobody = [
  "/sign-in",
  "/docs",
  "/password",
  "/password/token",
  `/invitations/${invitationToken}`,
  "/nothing",
];
const ofNewProject = [
  "/",
  "/pipelines",
  "/data",
  "/nodes",
  "/endpoints",
  "/secrets",
  "/members",
  "/keys",
  "/audit",
  "/account",
  "/projects",
];

/** The sizes of the pictures: of both themes in the first one. */
const wide = { width: 1280, height: 800 };
const narrower = [
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const;

const edge: Routes = async (app, platform) => {
  const { routes, close } = edgePart(platform);
  app.addHook("onClose", async () => close?.());
  for (const add of [routes ?? []].flat()) await add(app, platform);
};

/** Starts the pictured pages with everything that a server can have. */
export async function startAll(database: Database) {
  const dataService = openOwnService(
    database,
    new Uint8Array(32),
    new Nodes(new Map(), realWorld),
    new AbortController().signal,
  );
  const pages = await startPictured(database, {
    runsPipelines: true,
    dataService,
    manual: readManual(),
    // A server that sends mail lets people reset their passwords.
    accounts: createAccounts({ now: () => pictureTime }, { mail: { send: async () => undefined } }),
    nodes: pictureNodes,
    nodeCounts: countedNodes(pictureTime),
    routes: [
      endpoints({ ofBrowser: identifyBrowser({}), tabsOf: queryPageTabs }),
      errorPages,
      explorer,
      edge,
    ],
  });
  await fillProject(database, filledVersion, pictureTime);
  await createProject(database, { id: "project_3", name: "New" });
  await addApiKey(database, {
    id: "new",
    project: "project_3",
    name: "Owner of a new project",
    role: "Owner",
    key: "gl_new",
  });
  return pages;
}

/**
 * Takes pictures of all pages, light and dark, and of smaller screens, into a folder.
 * @param among a part of the addresses of the pages to take
 */
export async function takeAll(
  { address, platform }: Awaited<ReturnType<typeof startPictured>>,
  signIn: (key: string) => Promise<string>,
  browser: TestBrowser,
  { folder, among }: { readonly folder: string; readonly among: string },
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const ann = await beginSession(platform.database, "ann@example.com", "browser");
  await showProject(platform.database, ann.id, "project_2");
  const cookie = `graphloom_session=${ann.token}`;
  const linked = await pathsFrom(address, cookie);
  for (const [name, session, paths] of [
    ["example", cookie, [...linked, ...besides]],
    ["new", await signIn("new"), ofNewProject],
    ["nobody", "none=none", ofNobody],
  ] as const) {
    const looks = await Promise.all(
      themes.map((theme) => openThemed(browser, theme, { address, cookie: session, viewport: wide })),
    );
    for (const path of paths.filter((each) => each.includes(among))) {
      const file = join(folder, `${name}${path.replaceAll(/[^\w.-]+/g, "-")}`);
      for (const [index, page] of looks.entries())
        await takeOne(page, address + path, `${file}.${themes[index] ?? ("light" satisfies Theme)}.png`);
      const [light] = looks;
      for (const size of light ? narrower : []) {
        await light?.setViewportSize(size);
        await light?.screenshot({ path: `${file}.${size.width}.png`, fullPage: size.width > 390 });
        await light?.setViewportSize(wide);
      }
    }
    await Promise.all(looks.map((page) => page.context().close()));
  }
}

async function takeOne(page: Page, address: string, path: string): Promise<void> {
  await page.goto(address);
  // Explorers and query pages fill themselves in.
  if (/\/gn$|\/docs$/.test(address)) await page.waitForTimeout(1_500);
  await page.screenshot({ path, fullPage: true });
}
