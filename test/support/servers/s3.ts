import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, lackOfJava, startJava } from "./java-server.js";

/** A server of objects that speaks S3 and checks signatures. */
export interface S3Server {
  readonly url: string;
  readonly key: { readonly id: string; readonly secret: string };
  /** The folder whose folders are buckets and whose files are objects. */
  readonly folder: string;
  /** Makes an empty bucket, which only signed requests may read. */
  makeBucket(name: string): void;
  stop(): Promise<void>;
}

/** Why no S3 server is available for tests; `undefined` when one is. */
export const s3Missing: string | undefined = lackOfJava("s3proxy");

const key = { id: "loader", secret: "a secret" };

/** Starts a server whose objects are deleted when it ends. It ends with this process at the latest. */
export async function startS3(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "graphloom-s3-"));
  const buckets = join(folder, "buckets");
  mkdirSync(buckets);
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const settings = join(folder, "s3proxy.conf");
  writeFileSync(
    settings,
    `
s3proxy.endpoint=${url}
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity=${key.id}
s3proxy.credential=${key.secret}
jclouds.provider=filesystem
jclouds.filesystem.basedir=${buckets}
`,
  );
  const server = await startJava("s3proxy", "org.gaul.s3proxy.Main", ["--properties", settings], /Started/);
  return {
    url,
    key,
    folder: buckets,
    makeBucket: (name) => mkdirSync(join(buckets, name), { mode: 0o700 }),
    stop: async () => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
