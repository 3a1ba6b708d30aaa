import { lazy, Suspense } from "react";
import { LandingFooter } from "./landing-footer";
import { LandingHeader } from "./landing-header";
import { LandingHero } from "./landing-hero";
import { LandingOperators } from "./landing-operators";
import { LandingOwners } from "./landing-owners";
import { Later } from "./later";

const LandingRest = lazy(() =>
  import("./landing-rest").then((module) => ({ default: module.LandingRest })),
);

export function LandingPage() {
  return (
    <>
      <LandingHeader />
      <main id="main" tabIndex={-1} className="outline-none">
        <LandingHero />
        <LandingOwners />
        <LandingOperators />
        <Later>
          <Suspense>
            <LandingRest />
          </Suspense>
        </Later>
      </main>
      <LandingFooter />
    </>
  );
}
