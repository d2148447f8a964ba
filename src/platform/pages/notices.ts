import { present } from "../../base/invariant.js";
import { dropNotice, findNotice, putNotice } from "../people/session-notices.js";
import type { Platform } from "../platform.js";
import { seal, unseal } from "../sealing/sealed.js";
import type { AnyVisit } from "./page-scope.js";

/** Milliseconds after which an unseen notice expires. */
const lifetime = 10 * 60_000;

interface Notice<Value> {
  readonly page: string;
  readonly value: Value;
  /** Milliseconds. */
  readonly ends: number;
}

/**
 * What a form has made that is shown once, such as a key. The form leads to a page, which shows it: reading that page
 * again makes nothing again. It is in no address, and encrypted where it waits.
 */
export interface Notices<Value> {
  /** Keeps something for the session of who looks. @throws DatabaseError */
  put(visit: Pick<AnyVisit, "visitor">, value: Value): Promise<void>;
  /** What was kept, once; nothing when there is nothing. @throws DatabaseError, SealBroken */
  take(visit: Pick<AnyVisit, "visitor" | "request">): Promise<Value | undefined>;
}

/** What one page shows once. @param page its address */
export function createNotices<Value>({ database, secretKey, world }: Platform, page: string): Notices<Value> {
  return {
    async put({ visitor }, value) {
      const id = present(visitor?.sessionId, "a visitor who sends a form is signed in");
      const notice: Notice<Value> = { page, value, ends: world.now() + lifetime };
      await putNotice(database, id, seal(secretKey, JSON.stringify(notice), placeOf(id)));
    },
    async take({ visitor, request }) {
      const id = visitor?.sessionId;
      // Only a browser that sends GET shows the notice.
      if (id === undefined || request.method !== "GET") return undefined;
      return database.transaction(async (sql) => {
        const sealed = await findNotice(sql, id);
        if (!sealed) return undefined;
        const notice = JSON.parse(unseal(secretKey, sealed, placeOf(id))) as Notice<Value>;
        if (notice.page !== page) return undefined;
        await dropNotice(sql, id);
        return notice.ends > world.now() ? notice.value : undefined;
      });
    },
  };
}

function placeOf(session: string): string {
  return `the notice of ${session}`;
}
