import i18next from "i18next";
import { bundle } from ".";

// All texts are bundled; these come with the application itself, both languages at once. Those of
// second factors come with their screens, see `second-factor-texts.ts`.
const en = import.meta.glob<object>(["./locales/en/*.json", "!./locales/en/second-factor.json"], {
  eager: true,
  import: "default",
});
const es = import.meta.glob<object>(["./locales/es/*.json", "!./locales/es/second-factor.json"], {
  eager: true,
  import: "default",
});

i18next.addResourceBundle("en", "translation", bundle(en), true, true);
i18next.addResourceBundle("es", "translation", bundle(es), true, true);
