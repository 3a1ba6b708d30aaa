import i18next from "i18next";
import { bundle } from ".";

// All texts are bundled; these come with the application itself, both languages at once.
const en = import.meta.glob<object>("./locales/en/*.json", { eager: true, import: "default" });
const es = import.meta.glob<object>("./locales/es/*.json", { eager: true, import: "default" });

i18next.addResourceBundle("en", "translation", bundle(en), true, true);
i18next.addResourceBundle("es", "translation", bundle(es), true, true);
