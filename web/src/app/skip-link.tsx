import { useTranslation } from "react-i18next";

export function SkipLink() {
  const { t } = useTranslation();
  return (
    <a
      href="#main"
      className="sr-only z-50 rounded-control bg-accent px-4 py-2 font-semibold text-accent-on focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
    >
      {t("shell.skipToContent")}
    </a>
  );
}
