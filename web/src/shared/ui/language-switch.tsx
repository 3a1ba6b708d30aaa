import { useTranslation } from "react-i18next";
import { changeLanguage, isLanguage } from "#/i18n";
import { LanguageButtons } from "./language-buttons";

export function LanguageSwitch() {
  const { i18n } = useTranslation();
  const now = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : "en";
  return <LanguageButtons now={now} onChoose={(language) => void changeLanguage(language)} />;
}
