import i18next from "i18next";
import { createRoot } from "react-dom/client";
import { I18nextProvider, initReactI18next } from "react-i18next";
import type { Language } from "./i18n/languages";
import { toast } from "./shared/toast/store";
import { Toaster } from "./shared/toast/toaster";

// Only the texts of a toast.
const texts = {
  en: () => import("./i18n/locales/en/common.json"),
  es: () => import("./i18n/locales/es/common.json"),
};

const root = createRoot(document.body.appendChild(document.createElement("div")));

/** Shows a toast on the prerendered landing page, which loads this code with its first toast. */
export async function showToast(language: Language, title: string, text: string): Promise<void> {
  const common = (await texts[language]()).default;
  const i18n = i18next.createInstance();
  await i18n.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation: { common } } },
    returnNull: false,
  });
  root.render(
    <I18nextProvider i18n={i18n}>
      <Toaster />
    </I18nextProvider>,
  );
  toast.failure(title, text);
}
