import { useTranslation } from "react-i18next";
import { isLanguage } from "#/i18n";
import { useChooseLanguage } from "#/session/choose-language";
import { LanguageButtons } from "./ui/language-buttons";

export function LanguageSwitch() {
  const { i18n } = useTranslation();
  const now = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : "en";
  return <LanguageButtons now={now} onChoose={useChooseLanguage()} />;
}
