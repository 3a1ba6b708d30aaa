import i18next from "i18next";
import en from "./locales/en/second-factor.json";
import es from "./locales/es/second-factor.json";

// Few people need them, and seldom, so they are no part of the application that everybody loads.
i18next.addResourceBundle("en", "translation", { "second-factor": en }, true, true);
i18next.addResourceBundle("es", "translation", { "second-factor": es }, true, true);
