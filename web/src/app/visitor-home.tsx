import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { startLanding, type LandingState } from "#/features/landing/behaviour";
import { LandingPage } from "#/features/landing/landing-page";
import { changeLanguage, isLanguage } from "#/i18n";
import { toast } from "#/shared/toast/store";

export function VisitorHome() {
  const { i18n } = useTranslation();
  const router = useRouter();
  const language = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : "en";
  const root = useRef<HTMLDivElement>(null);
  const state = useRef<LandingState>(undefined);

  useEffect(() => {
    if (!root.current) return;
    const landing = startLanding(
      root.current,
      language,
      {
        chooseLanguage: (chosen) => void changeLanguage(chosen),
        complain: (title, text) => toast.failure(title, text),
        prepare: (to) => void router.preloadRoute({ to }),
        go: (href) => router.history.push(href),
      },
      state.current,
    );
    return () => {
      state.current = landing.state();
      landing.stop();
    };
  }, [language, router]);

  // The browser may have followed a link to a section before the page loaded.
  useEffect(() => {
    document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  }, []);

  return (
    // The script changes the elements, so another language gets new ones.
    <div key={language} ref={root}>
      <LandingPage language={language} />
    </div>
  );
}
