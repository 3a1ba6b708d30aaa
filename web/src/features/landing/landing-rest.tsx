import { useEffect } from "react";
import { LandingClosing } from "./landing-closing";
import { LandingContact } from "./landing-contact";
import { LandingDownload } from "./landing-download";
import { LandingPlans } from "./landing-plans";

/** From the plans on. */
export function LandingRest() {
  // A link to a section here may have been followed before there was one.
  useEffect(() => {
    document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  }, []);
  return (
    <>
      <LandingPlans />
      <LandingDownload />
      <LandingContact />
      <LandingClosing />
    </>
  );
}
