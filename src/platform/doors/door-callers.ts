import type { FastifyRequest } from "fastify";
import { noteUseOf } from "../http/roles.js";
import { bearerOf, type Caller, callerFor, identify } from "../people/access.js";
import { listProjects } from "../people/projects.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { clientOf } from "../rate-limiter.js";
import type { Owner } from "./door-files.js";
import type { DoorSettings } from "./settings.js";

/** Identifies the senders of requests from tools, which know at most a deploy key. */
export class DoorCallers {
  readonly #platform: Pick<Platform, "database" | "world">;
  readonly #access: DoorSettings["access"];

  constructor(platform: Pick<Platform, "database" | "world">, access: DoorSettings["access"]) {
    this.#platform = platform;
    this.#access = access;
  }

  /** Whether requests without a key act for the first project. */
  get isOpen(): boolean {
    return this.#access === "open";
  }

  /**
   * The caller by the key of the request. Where no key is needed, unknown keys are ignored: tools send the keys that
   * they have stored for other servers.
   * @throws Problem `unauthorized` for a key that is not valid, `forbidden`; DatabaseError
   */
  async byKey(request: FastifyRequest): Promise<Caller | undefined> {
    const sent = bearerOf(request);
    if (sent === undefined || (this.isOpen && !/^gl[a-z]?_/.test(sent))) return undefined;
    const { database, world } = this.#platform;
    const identity = await identify(database, request);
    const caller = callerFor(identity, request);
    await noteUseOf(database, identity, world.now());
    return { ...caller, address: request.ip };
  }

  /** The caller by the key, or the owner of the first project where no key is needed. @throws Problem as `byKey`; DatabaseError */
  async require(request: FastifyRequest): Promise<Caller> {
    const caller = (await this.byKey(request)) ?? (await this.#owner(request));
    if (caller) return caller;
    throw new Problem(
      "unauthorized",
      "Send an API key of the project: pass it as --deploy-key, or to graph create as --access-token.",
    );
  }

  /**
   * The owners whose files a request may read.
   * @throws Problem as `require` does; DatabaseError
   */
  async readers(request: FastifyRequest): Promise<readonly Owner[]> {
    const caller = await this.byKey(request);
    if (caller) return [{ project: caller.project }];
    const owner = await this.#owner(request);
    if (owner) return [{ project: owner.project }, this.client(request)];
    throw new Problem(
      "unauthorized",
      `Send an API key of the project: pass --headers '{"authorization":"Bearer <key>"}'.`,
    );
  }

  /**
   * The owner of an upload. Tools send their key to the admin port only.
   * @throws Problem as `byKey` does; DatabaseError
   */
  async uploader(request: FastifyRequest): Promise<Owner> {
    const caller = await this.byKey(request);
    return caller ? { project: caller.project } : this.client(request);
  }

  /** The client of a request without a key. A machine may reach its own server by several addresses. */
  client({ ip }: FastifyRequest): Owner {
    const client = clientOf(ip);
    return { client: /^(?:127\.|0:0:0:0$)/.test(client) ? "local" : client };
  }

  async #owner({ ip }: FastifyRequest): Promise<Caller | undefined> {
    if (!this.isOpen) return undefined;
    const [project] = await listProjects(this.#platform.database);
    return (
      project && {
        kind: "user",
        id: "graph-node-doors",
        name: "graph-node doors",
        project: project.id,
        role: "Owner",
        address: ip,
      }
    );
  }
}
