import { loadAllLanguages, loadTexts } from "#/i18n";
import { Route as Guest } from "#/routes/_guest";
import { Route as OperatorLogin } from "#/routes/_guest/employee-login";
import { Route as Operator } from "#/routes/_operator";
import { Route as SimpleOperator } from "#/routes/_operator/simple-operator";
import { loadPersistently } from "#/shared/lazy-part";
import { loadPhone } from "./lazy-phone";
import { loadPages } from "./load-home";

/**
 * Loads what may be shown without signal, in all languages: other pages, the pages after a logout,
 * and error texts.
 */
export async function loadForOffline(): Promise<void> {
  await Promise.all([
    loadPersistently(loadPages),
    loadPersistently(loadHandOver),
    import("./visitor-home"),
    loadPhone(),
    loadTexts("visitor", "landing", "refusals"),
  ]);
  await loadAllLanguages();
}

/** Loads the pages of a logout and of the next sign-in, which may both happen without signal. */
async function loadHandOver(): Promise<void> {
  for (const { options } of [Guest, OperatorLogin, Operator, SimpleOperator]) {
    await options.component?.preload?.();
  }
}
