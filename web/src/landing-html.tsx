import i18next from "i18next";
import { renderToStaticMarkup } from "react-dom/server";
import { I18nextProvider, initReactI18next } from "react-i18next";
import { SkipLink } from "./app/skip-link";
import { LandingPage } from "./features/landing/landing-page";
import { areas } from "./i18n/areas";
import type { Language } from "./i18n/languages";

const files = import.meta.glob<object>("./i18n/locales/*/*.json", {
  eager: true,
  import: "default",
});

/** Renders the landing page at build time, with the texts of its head. */
export async function renderLanding(language: Language) {
  const names = [...areas.shared, ...areas.visitor, ...areas.landing];
  const texts = Object.fromEntries(
    names.map((name) => [name, files[`./i18n/locales/${language}/${name}.json`]]),
  );
  const i18n = i18next.createInstance();
  await i18n.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation: texts } },
    returnNull: false,
    interpolation: { escapeValue: false },
    parseMissingKeyHandler: (key) => {
      throw new Error(`the landing page has no text ${key}`);
    },
  });
  const body = renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <SkipLink />
      <LandingPage language={language} />
    </I18nextProvider>,
  );
  const title = `Hourmeter - ${i18n.t("shell.titleSuffix")}`;
  return { body, title, description: i18n.t("landing.description") };
}
