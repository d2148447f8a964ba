import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { serveCommand } from "../../src/cli/serve/serve-command.js";
import { graphloom } from "../cli/harness.js";
import { testFolder } from "../support/folder.js";

const chart = fileURLToPath(new URL("../../examples/server/helm/", import.meta.url));
const read = (name: string): string => readFileSync(`${chart}${name}`, "utf8");
const values = parse(read("values.yaml"));
const templates = readdirSync(`${chart}templates`).map((name) => read(`templates/${name}`));
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const hasHelm = spawnSync("helm", ["version"]).status === 0;

/** The paths of all values: `image.tag`. Maps that users fill are values themselves. */
function pathsIn(value: unknown, before = ""): readonly string[] {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  const open = ["options", "resources"];
  if (!isMap || open.includes(before) || Object.keys(value).length === 0) return [before];
  return Object.entries(value).flatMap(([key, inner]) =>
    pathsIn(inner, before === "" ? key : `${before}.${key}`),
  );
}

describe("the Helm chart", () => {
  it("has the version of the package, and names the image that the Dockerfile makes", () => {
    const { version: own, appVersion } = parse(read("Chart.yaml"));
    expect([own, appVersion]).toEqual([version, version]);
    const dockerfile = readFileSync(`${chart}../Dockerfile`, "utf8");
    const server = read("templates/server.yaml");
    // What the chart assumes about the image: its user, port, folder and arguments.
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(server).toContain("runAsUser: 1000");
    expect(dockerfile).toMatch(/^EXPOSE 8030$/m);
    expect(server).toContain("containerPort: 8030");
    expect(dockerfile).toMatch(
      /^ENTRYPOINT \["graphloom", "serve", "--data", "\/data", "--host", "0.0.0.0"\]$/m,
    );
    expect(server).toContain("mountPath: /data }");
  });

  it("reads each of its values, and no others", () => {
    const used = new Set(
      templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path)),
    );
    expect([...used].sort()).toEqual([...new Set(pathsIn(values))].sort());
  });

  it("names only options and variables that serve has", async () => {
    const [, options = ""] = /^options:\n([\s\S]*?)\n\n/m.exec(read("values.yaml")) ?? [];
    const given = [...options.matchAll(/^ {2}(?:# )?([\w-]+):/gm)].map(([, name = ""]) => name);
    expect(given.length).toBeGreaterThan(2);
    expect(given.filter((name) => !Object.hasOwn(serveCommand.shape.options, name))).toEqual([]);
    const manual = readdirSync(new URL("../../docs/", import.meta.url))
      .filter((name) => name.endsWith(".md"))
      .map((name) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8"))
      .join("");
    const all = [read("values.yaml"), ...templates].join("\n");
    const variables = new Set(all.match(/\bGRAPHLOOM_[A-Z_]*[A-Z]\b|\bOTEL_[A-Z_]+/g));
    expect(variables.size).toBeGreaterThan(3);
    expect([...variables].filter((name) => !manual.includes(name))).toEqual([]);
  });
});

describe.runIf(hasHelm)("the Helm chart, rendered by helm", () => {
  const helm = (...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync("helm", words, { encoding: "utf8" });
    return { status, out: stdout, err: stderr };
  };
  /** The objects for some values, by kind and name. */
  const rendered = (given: object = {}): ReadonlyMap<string, Rendered> => {
    const file = `${testFolder()}/values.json`;
    writeFileSync(file, JSON.stringify(given));
    const { status, out, err } = helm("template", "one", chart, "--values", file);
    expect([status, err]).toEqual([0, ""]);
    const documents = parseAllDocuments(out).flatMap((document) => {
      expect(document.errors).toEqual([]);
      return document.toJSON() ? [document.toJSON() as Rendered] : [];
    });
    return new Map(documents.map((one) => [`${one.kind} ${one.metadata.name}`, one]));
  };

  it("helm finds nothing to complain about", () => {
    expect(helm("lint", "--strict", chart)).toMatchObject({ status: 0 });
  });

  it("the usual values give one server that runs without rights on a file system that is read only", () => {
    const objects = rendered();
    expect([...objects.keys()].sort()).toEqual([
      "ConfigMap one-graphloom",
      "Service one-graphloom",
      "Service one-graphloom-pods",
      "StatefulSet one-graphloom",
    ]);
    const { spec } = objects.get("StatefulSet one-graphloom") as Rendered;
    const pod = spec.template.spec;
    const [server] = pod.containers;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true },
    });
    expect(server).toMatchObject({
      image: `graphloom:${version}`,
      args: ["--config", "/etc/graphloom/serve.yaml"],
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      },
      livenessProbe: { httpGet: { path: "/health", port: "http" } },
      readinessProbe: { httpGet: { path: "/ready", port: "http" } },
    });
    // What it writes is on volumes that exist.
    const volumes = [...pod.volumes, ...spec.volumeClaimTemplates.map((one) => one.metadata)].map(
      ({ name }) => name,
    );
    expect(server?.volumeMounts.map(({ name }) => name).sort()).toEqual([...volumes].sort());
    expect(server).not.toHaveProperty("envFrom");
  });

  it("serve takes the file of options that the chart writes", async () => {
    const options = {
      rpc: { mainnet: ["https://a.example", "https://b.example"] },
      quota: { pipelines: 5, "file-megabytes": 2_000_000 },
      "public-address": "https://graph.example.com",
      "trust-proxy": "10.0.0.0/8",
      "otlp-endpoint": "http://collector:4318",
      datasets: true,
    };
    const { data = {} } = rendered({ options }).get("ConfigMap one-graphloom") as Rendered;
    const folder = testFolder({ "serve.yaml": data["serve.yaml"] ?? "" });
    // Refused for the port alone, and so after everything else was read.
    const { code, err } = await graphloom(folder, "serve --data d --config serve.yaml --port 70000");
    expect([code, err.split("\n")[0]]).toEqual([2, "--port must be a whole number from 0 to 65535."]);
  });

  it("all that can be switched on belongs to the server's pods, and keys are in the secret only", () => {
    const secrets = {
      GRAPHLOOM_DATABASE: "postgres://u:k1@db/g",
      GRAPHLOOM_SECRET_KEY: "k2",
      GRAPHLOOM_METRICS_KEY: "k3",
    };
    const objects = rendered({
      replicas: 2,
      secrets,
      ingress: { enabled: true, className: "nginx", tlsSecret: "tls" },
      serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
      networkPolicy: { enabled: true, from: [{ podSelector: {} }] },
    });
    const { spec } = objects.get("StatefulSet one-graphloom") as Rendered;
    const labels = Object.entries(spec.template.metadata.labels);
    for (const kind of ["PodDisruptionBudget", "NetworkPolicy"]) {
      const { selector, podSelector } = (objects.get(`${kind} one-graphloom`) as Rendered).spec;
      const { matchLabels } = (selector ?? podSelector) as { matchLabels: Record<string, string> };
      expect(labels).toEqual(expect.arrayContaining(Object.entries(matchLabels)));
    }
    const service = objects.get("Service one-graphloom") as Rendered;
    const monitor = objects.get("ServiceMonitor one-graphloom") as Rendered;
    const wanted = monitor.spec.selector as { matchLabels: Record<string, string> };
    expect(Object.entries(service.metadata.labels)).toEqual(
      expect.arrayContaining(Object.entries(wanted.matchLabels)),
    );
    // The other service has the same pods, which would be counted twice.
    const { labels: others } = (objects.get("Service one-graphloom-pods") as Rendered).metadata;
    expect(Object.entries(others)).not.toEqual(expect.arrayContaining(Object.entries(wanted.matchLabels)));
    expect((objects.get("Ingress one-graphloom") as Rendered).spec).toMatchObject({
      ingressClassName: "nginx",
    });
    for (const [name, object] of objects)
      for (const key of Object.values(secrets))
        expect(JSON.stringify(object).includes(key), `${name} ${key}`).toBe(name.startsWith("Secret "));
  });

  it.each([
    [{ options: { port: 80 } }, "options.port is set by the chart"],
    [{ replicas: 2 }, "Several servers need secrets.GRAPHLOOM_DATABASE"],
    [{ existingSecret: "a", secrets: { A: "b" } }, "Set existingSecret or secrets, not both"],
    [{ serviceMonitor: { enabled: true } }, "serviceMonitor needs GRAPHLOOM_METRICS_KEY"],
  ])("%j is refused with the reason", (given, why) => {
    const file = `${testFolder()}/values.json`;
    writeFileSync(file, JSON.stringify(given));
    const { status, err } = helm("template", "one", chart, "--values", file);
    expect([status, err]).toEqual([1, expect.stringContaining(why)]);
  });
});

it.skipIf(hasHelm)("this machine cannot render the Helm chart, as helm is not installed", () => undefined);

/** An object for Kubernetes, as far as these tests read it. */
interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly selector?: unknown;
    readonly podSelector?: unknown;
    readonly volumeClaimTemplates: readonly Pick<Rendered, "metadata">[];
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly volumes: readonly { readonly name: string }[];
        readonly containers: readonly { readonly volumeMounts: readonly { readonly name: string }[] }[];
      };
    };
  };
}
