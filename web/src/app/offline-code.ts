import { loadAllLanguages, loadTexts } from "#/i18n";
import { loadPersistently } from "#/shared/lazy-part";
import { loadPhone } from "./lazy-phone";
import { loadPages } from "./load-home";

/**
 * Loads what may be shown without signal, in all languages: other pages, the pages after a logout,
 * and error texts.
 */
export async function loadForOffline(): Promise<void> {
  await Promise.all([
    loadPersistently(async () => (await loadPages()).loadHandOver()),
    import("./visitor-home"),
    loadPhone(),
    loadTexts("visitor", "landing", "refusals"),
  ]);
  await loadAllLanguages();
}
