import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import { languages, type Language } from "#/i18n/languages";

const names: Record<Language, string> = { en: "English", es: "Español" };

export function LanguageButtons({
  now,
  onChoose,
}: {
  now: Language;
  onChoose?: (language: Language) => void;
}) {
  const { t } = useTranslation();
  return (
    <div role="group" aria-label={t("shell.language")} className="flex">
      {languages.map((language) => (
        <button
          key={language}
          type="button"
          lang={language}
          aria-pressed={language === now}
          onClick={onChoose && (() => onChoose(language))}
          className={clsx(
            "inline-flex h-(--control) min-w-11 items-center justify-center rounded-(--control-radius) px-2 text-sm hover:bg-sunken md:min-w-9",
            language === now
              ? "font-bold text-ink underline decoration-accent decoration-2 underline-offset-4"
              : "text-muted",
          )}
        >
          {language.toUpperCase()} <span className="sr-only">{names[language]}</span>
        </button>
      ))}
    </div>
  );
}
