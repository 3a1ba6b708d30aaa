import type { Language } from "#/i18n/languages";
import { LandingClosing } from "./landing-closing";
import { LandingContact } from "./landing-contact";
import { LandingDownload } from "./landing-download";
import { LandingFooter } from "./landing-footer";
import { LandingHeader } from "./landing-header";
import { LandingHero } from "./landing-hero";
import { LandingOperators } from "./landing-operators";
import { LandingOwners } from "./landing-owners";
import { LandingPlans } from "./landing-plans";

/**
 * The landing page without its script: rendered to HTML at build time, and by the application for
 * visitors. `behaviour.ts` adds its behavior.
 */
export function LandingPage({ language }: { language: Language }) {
  return (
    <>
      <LandingHeader language={language} />
      <main id="main" tabIndex={-1} className="outline-none">
        <LandingHero language={language} />
        <LandingOwners language={language} />
        <LandingOperators language={language} />
        <LandingPlans />
        <LandingDownload />
        <LandingContact />
        <LandingClosing />
      </main>
      <LandingFooter />
    </>
  );
}
