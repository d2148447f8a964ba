import { secretTypeOf } from "../../../api/secret-types.js";
import { doerOf } from "../../http/doer-of.js";
import { type Html, html } from "../../http/html.js";
import { mayActAs } from "../../people/api-keys.js";
import type { Platform } from "../../platform.js";
import type { FieldError } from "../../problem.js";
import { readNewSecret, readSecretChange } from "../../secrets/asked-secret.js";
import { createSecret, removeSecret, showSecret, updateSecret } from "../../secrets/manage-secrets.js";
import { listSecrets, type Secret, usesOfSecrets } from "../../secrets/secrets.js";
import { FormState, type RefusedForm, requireTypedName, typedNameField, withFaults } from "../form-state.js";
import type { PageScope, Visit } from "../page-scope.js";
import { formFieldsOf, longestDescription, valueIn } from "./secret-fields.js";
import {
  descriptionField,
  descriptionForm,
  newSecretAddress,
  newSecretFields,
  newSecretForm,
  newValueForm,
  secretAddress,
  secretDeletion,
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
      const asked = withFaults(descriptionFaults(form), () =>
        readNewSecret({
          name: form.get("name")?.trim() ?? "",
          value: valueIn(form, form.get("type") ?? ""),
          description: descriptionIn(form),
        }),
      );
      return secretAddress((await createSecret(platform, doerOf(request), asked)).name);
    },
    ({ form }, refused) => {
      const type = secretTypeOf(form.get("type"));
      const state = new FormState(type && newSecretFields(type), refused);
      const body = html`${state.notice}${type ? newSecretForm(type, state) : typeList()}`;
      return { title: "New secret", trail, body };
    },
  );

  /** Adds a form that changes a secret. @param again the form alone, after it was refused */
  const change = (
    action: string,
    perform: (visit: Visit, secret: Secret) => Promise<string>,
    again: (secret: Secret, refused: RefusedForm) => readonly [FormState, Html | undefined],
  ): void => {
    const found = async ({ caller, path }: Visit) =>
      (await showSecret(database, caller, path.secret ?? "")).secret;
    pages.post(
      `${secretsAddress}/:secret/${action}`,
      "Editor",
      async (visit) => perform(visit, await found(visit)),
      async (visit, refused) => {
        const secret = await found(visit);
        const [state, form] = again(secret, refused);
        const own = [secret.name, secretAddress(secret.name)] as const;
        return form && { title: secret.name, trail: [...trail, own], body: html`${state.notice}${form}` };
      },
    );
  };

  change(
    "value",
    async ({ form, request }, { name, type }) => {
      const asked = readSecretChange({ value: valueIn(form, type) });
      return secretAddress((await updateSecret(platform, doerOf(request), name, asked)).name);
    },
    ({ name, type }, refused) => {
      const known = secretTypeOf(type);
      const state = new FormState(known && formFieldsOf(known), refused);
      return [state, known && newValueForm(name, known, state)];
    },
  );
  change(
    "description",
    async ({ form, request }, { name }) => {
      const asked = withFaults(descriptionFaults(form), () =>
        readSecretChange({ description: descriptionIn(form) }),
      );
      return secretAddress((await updateSecret(platform, doerOf(request), name, asked)).name);
    },
    ({ name, description }, refused) => {
      const state = new FormState([descriptionField], refused);
      return [state, descriptionForm(name, description, state)];
    },
  );
  change(
    "delete",
    async ({ form, request }, { name }) => {
      requireTypedName(form, name);
      await removeSecret(platform, doerOf(request), name);
      return secretsAddress;
    },
    ({ name }, refused) => {
      const state = new FormState([typedNameField], refused);
      return [state, secretDeletion(name, state)];
    },
  );
}

const trail = [["Secrets", secretsAddress]] as const;

function descriptionIn(form: URLSearchParams): string {
  return form.get("description")?.trim() ?? "";
}

function descriptionFaults(form: URLSearchParams): readonly FieldError[] {
  if (descriptionIn(form).length <= longestDescription) return [];
  return [{ field: "description", message: `must have at most ${longestDescription} characters` }];
}
