import type { FastifyInstance } from "fastify";
import { dumpMedia, dumpOperations, type SentDumpPosition } from "../../api/dump-operations.js";
import { reportFailure } from "../../base/failures.js";
import { repeat } from "../../base/text/repeat.js";
import { inBackground } from "../../base/turns/guarded.js";
import type { DumpPosition } from "../../dumps/dump-parts.js";
import { dropAbandoned } from "../../dumps/restores.js";
import { DatabaseError } from "../../store/database/database.js";
import { type DumpLimits, usualDumpLimits } from "../dumps/dump-limits.js";
import { DumpSender } from "../dumps/send-dump.js";
import { addExtension } from "../http/add-extension.js";
import { goneOf } from "../http/limits/gone-of.js";
import { acceptEmptyJson } from "../http/limits/json-bodies.js";
import { callerOf } from "../http/roles.js";
import type { ServerPart } from "../server-part.js";

/** The largest vid of all. */
const mostVid = 2n ** 63n - 1n;
/** Milliseconds between two looks for abandoned restores. */
const cleansEvery = 6 * 3_600_000;

/** The server part that sends dumps, and drops abandoned restores. @param limits that differ from the usual ones */
export function dumpsPart(limits: Partial<DumpLimits> = {}): ServerPart {
  return (platform) => {
    const sender = new DumpSender(platform, { ...usualDumpLimits, ...limits });
    const closing = new AbortController();
    const clean = async (): Promise<void> => {
      try {
        await dropAbandoned(platform.database);
      } catch (error) {
        // The database is away, or closed. The next look finds them, too.
        if (!(error instanceof DatabaseError)) throw error;
      }
    };
    inBackground(clean(), reportFailure);
    inBackground(repeat(cleansEvery, platform.world, closing.signal, clean, reportFailure), reportFailure);
    return {
      routes: (app) => {
        acceptEmptyJson(app);
        app.addHook("preClose", async () => {
          closing.abort();
          sender.close();
        });
        sendDumps(app, sender);
      },
    };
  };
}

function sendDumps(app: FastifyInstance, sender: DumpSender): void {
  addExtension(
    app,
    dumpOperations.dumpSubgraph,
    { role: "Viewer" },
    async ({ path, body, request, reply }) => {
      const { name = "", version = "" } = path;
      const fail = (error: unknown): void => request.log.error(error, "a dump has ended early");
      const gone = goneOf(request);
      const stream = await sender.send(callerOf(request), { name, version }, positionOf(body), gone, fail);
      void reply.type(dumpMedia).header("x-accel-buffering", "no").header("connection", "close");
      return stream;
    },
  );
}

function positionOf({ deployment, head, tables }: SentDumpPosition): DumpPosition {
  const known = tables.map(({ name, max_vid: vid, as_of: asOf }) => {
    const maxVid = BigInt(vid);
    return [name, { maxVid: maxVid > mostVid ? mostVid : maxVid, asOf }] as const;
  });
  return { deployment, head, tables: new Map(known) };
}
