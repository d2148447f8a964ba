import { present } from "../../base/invariant.js";
import { dropNotice, findNotice, putNotice } from "../people/sign-in/session-notices.js";
import type { Platform } from "../platform.js";
import { seal, unseal } from "../sealing/sealed.js";
import { LivePages } from "./live/live-pages.js";
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
 * The results of forms that are shown once, such as a new API key. The form redirects to a page, which shows the result,
 * so a reload repeats nothing. The result is never part of an address, and is stored encrypted.
 */
export interface Notices<Value> {
  /** Stores a notice for the visitor's session. @throws DatabaseError */
  put(visit: Pick<AnyVisit, "visitor">, value: Value): Promise<void>;
  /** Returns the stored notice, if any, and deletes it. @throws DatabaseError, SealBroken */
  take(visit: Pick<AnyVisit, "visitor" | "request">): Promise<Value | undefined>;
}

/** The notices of one page. @param page its address */
export function createNotices<Value>({ database, secretKey, world }: Platform, page: string): Notices<Value> {
  return {
    async put({ visitor }, value) {
      const id = present(visitor?.sessionId, "a visitor who sends a form is signed in");
      const notice: Notice<Value> = { page, value, ends: world.now() + lifetime };
      await putNotice(database, id, seal(secretKey, JSON.stringify(notice), sealPlace(id)));
    },
    async take({ visitor, request }) {
      const id = visitor?.sessionId;
      // Only a page that the user opens shows the notice, not a self-renewing one, which may be the previous page.
      if (id === undefined || request.method !== "GET" || LivePages.isAsked(request)) return undefined;
      return database.transaction(async (sql) => {
        const sealed = await findNotice(sql, id);
        if (!sealed) return undefined;
        const notice = JSON.parse(unseal(secretKey, sealed, sealPlace(id))) as Notice<Value>;
        if (notice.page !== page) return undefined;
        await dropNotice(sql, id);
        return notice.ends > world.now() ? notice.value : undefined;
      });
    },
  };
}

function sealPlace(session: string): string {
  return `the notice of ${session}`;
}
