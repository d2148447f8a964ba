import { secretTypeOf } from "../../../api/secret-types.js";
import { doerOf } from "../../http/doer-of.js";
import { html } from "../../http/html.js";
import { mayActAs } from "../../people/api-keys.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { readNewSecret, readSecretChange } from "../../secrets/asked-secret.js";
import { createSecret, removeSecret, showSecret, updateSecret } from "../../secrets/manage-secrets.js";
import { listSecrets, usesOfSecrets } from "../../secrets/secrets.js";
import type { PageScope } from "../page-scope.js";
import { withFields } from "../with-fields.js";
import { longestDescription, valueIn } from "./secret-fields.js";
import {
  newSecretAddress,
  newSecretForm,
  secretAddress,
  secretList,
  secretPage,
  secretsAddress,
  typeList,
} from "./secret-views.js";

/** The most secrets on a page. */
const shown = 200;

/** Adds the pages of a project's secrets, and the forms that change them. No page shows a value. */
export function addSecretPages(pages: PageScope, platform: Platform): void {
  const { database } = platform;
  const scripts = ["times.js"] as const;

  pages.get(secretsAddress, "Viewer", async ({ caller: { project, role }, query }) => {
    const after = query.get("after") ?? "";
    const found = await listSecrets(database, project, { after, limit: shown + 1 });
    const secrets = found.slice(0, shown);
    const names = secrets.map(({ name }) => name);
    const last = names.at(-1);
    const body = secretList(secrets, await usesOfSecrets(database, project, names), {
      mayChange: mayActAs(role, "Editor"),
      isFirst: after === "",
      ...(found.length > shown && last !== undefined && { next: last }),
    });
    return { title: "Secrets", body, scripts };
  });

  pages.get(newSecretAddress, "Editor", async ({ query }) => {
    const type = secretTypeOf(query.get("type"));
    return { title: "New secret", trail, body: type ? newSecretForm(type) : typeList() };
  });

  pages.get(`${secretsAddress}/:secret`, "Viewer", async ({ caller, path: { secret: own = "" } }) => {
    const { secret, users } = await showSecret(database, caller, own);
    const body = secretPage(secret, users, mayActAs(caller.role, "Editor"));
    return { title: secret.name, trail, body, scripts };
  });

  pages.post(
    secretsAddress,
    "Editor",
    async ({ form, request }) => {
      const made = await withFields(async () =>
        createSecret(
          platform,
          doerOf(request),
          readNewSecret({
            name: form.get("name")?.trim() ?? "",
            value: valueIn(form, form.get("type") ?? ""),
            description: descriptionIn(form),
          }),
        ),
      );
      return secretAddress(made.name);
    },
    ({ form }, notice) => {
      const type = secretTypeOf(form.get("type"));
      return type && { title: "New secret", trail, body: html`${notice}${newSecretForm(type, form)}` };
    },
  );

  pages.post(`${secretsAddress}/:secret/value`, "Editor", async (visit) => {
    const { caller, form, request, path } = visit;
    const { secret } = await showSecret(database, caller, path.secret ?? "");
    await withFields(async () => {
      const value = valueIn(form, secret.type);
      return updateSecret(platform, doerOf(request), secret.name, readSecretChange({ value }));
    });
    return secretAddress(secret.name);
  });

  pages.post(`${secretsAddress}/:secret/description`, "Editor", async ({ form, request, path }) => {
    const change = readSecretChange({ description: descriptionIn(form) });
    const { name } = await updateSecret(platform, doerOf(request), path.secret ?? "", change);
    return secretAddress(name);
  });

  pages.post(`${secretsAddress}/:secret/delete`, "Editor", async ({ caller, form, request, path }) => {
    const { secret } = await showSecret(database, caller, path.secret ?? "");
    if (form.get("name")?.trim() !== secret.name)
      throw new Problem(
        "bad-request",
        `Nothing was deleted. To delete ${secret.name}, type its name exactly.`,
      );
    await removeSecret(platform, doerOf(request), secret.name);
    return secretsAddress;
  });
}

const trail = [["Secrets", secretsAddress]] as const;

function descriptionIn(form: URLSearchParams): string {
  const text = form.get("description")?.trim() ?? "";
  if (text.length <= longestDescription) return text;
  throw new Problem("bad-request", `A description has at most ${longestDescription} characters.`);
}
