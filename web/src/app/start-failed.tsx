import { useTranslation } from "react-i18next";
import type { TextKey } from "#/i18n/key";
import { buttonClass } from "#/shared/ui/button-class";

/** Shown instead of the application: its code could not be loaded, or it has failed. */
export function StartFailed({ reason }: { reason: TextKey }) {
  const { t } = useTranslation();
  return (
    <main id="main" className="mx-auto max-w-2xl px-4 py-16">
      <h1 tabIndex={-1} className="text-title font-[650]">
        {t("shell.error.title")}
      </h1>
      <p className="mt-2 mb-6 text-muted">{t(reason)}</p>
      <button
        type="button"
        className={buttonClass({ variant: "primary" })}
        onClick={() => window.location.reload()}
      >
        {t("common.tryAgain")}
      </button>
    </main>
  );
}
