import { useTranslation } from "react-i18next";
import { buttonClass } from "#/shared/ui/button-class";

/** Shown if the application's code could not be loaded and is not cached. */
export function StartFailed() {
  const { t } = useTranslation();
  return (
    <main id="main" className="mx-auto max-w-2xl px-4 py-16">
      <h1 tabIndex={-1} className="text-title font-[650]">
        {t("shell.error.title")}
      </h1>
      <p className="mt-2 mb-6 text-muted">{t("errors.network")}</p>
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
