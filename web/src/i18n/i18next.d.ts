import type { Texts } from "./resources.gen";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    returnNull: false;
    resources: { translation: Texts };
  }
}
